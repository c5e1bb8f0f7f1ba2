import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { appServer, sayJson } from '../support/app-server.ts';
import { expectErrorDocument, gantry, listening, newFolder, smallApp } from '../support/index.ts';
import { joiningProxy, overHttps } from '../support/proxy.ts';

const reply = { run_id: 'r-1', run_time_ms: 12, result: 'fine' };
const web = { id: 'p-12345678-web', name: 'web' };
/** An app whose calls are answered so, and what the platform shows of it. */
const refusing = (status: number, body: object, shown: object = web) =>
  appServer((response, { path }) => {
    if (path.startsWith('/v4/')) return sayJson(response, body, status);
    return sayJson(response, path.endsWith('/apps') ? [web] : shown);
  });
const fine = () => appServer((response) => sayJson(response, reply, 200, { 'x-request-id': 'r-1' }));

describe('the request', () => {
  test.each([
    ['nothing', 'invoke web', 'POST', '/v4/p-12345678/web/run', '{}'],
    ['a function', 'invoke web predict', 'POST', '/v4/p-12345678/web/predict', '{}'],
    ['the id of an app', 'invoke p-12345678-web', 'POST', '/v4/p-12345678/web/run', '{}'],
    [
      'pairs',
      'invoke web a=1 b:=2 c:=[true] d=x=y',
      'POST',
      '/v4/p-12345678/web/run',
      '{"a":"1","b":2,"c":[true],"d":"x=y"}',
    ],
    ['a function and pairs', 'invoke web predict a=1', 'POST', '/v4/p-12345678/web/predict', '{"a":"1"}'],
    ['pairs after --', 'invoke web -- --a=1', 'POST', '/v4/p-12345678/web/run', '{"--a":"1"}'],
    ['JSON', 'invoke web --data {"a":[1]}', 'POST', '/v4/p-12345678/web/run', '{"a":[1]}'],
    ['a path', 'invoke web --method get --path /health?x=1', 'GET', '/v4/p-12345678/web/health?x=1', ''],
    [
      'a path below a function',
      'invoke web run --path /chat/completions',
      'POST',
      '/v4/p-12345678/web/run/chat/completions',
      '',
    ],
    ['unusual names', 'invoke a/b c?d', 'POST', '/v4/p-12345678/a%2Fb/c%3Fd', '{}'],
    ['another method', 'invoke web --method put --path /x --data 1', 'PUT', '/v4/p-12345678/web/x', '1'],
  ])('%s', async (_, line, method, path, body) => {
    const { seen, env } = await fine();
    expect(await gantry(line.split(' '), { env })).toPrint(JSON.stringify(reply));
    expect(seen).toMatchObject([{ method, path, body: Buffer.from(body) }]);
    expect(seen[0]?.headers.authorization).toBe('Bearer token-of-a-test');
    expect(seen[0]?.headers['content-type']).toBe(body ? 'application/json' : undefined);
  });

  test.each([
    ['--data', '{a: 1}', `fix name=value without --data, or --data '{"name": "value"}'`],
    ['stdin', '-', 'fix name=@FILE, or --input FILE to send any bytes'],
  ])('%s that is not JSON: says what to type instead', async (source, data, fix) => {
    const { env } = await fine();
    const { stderr } = await gantry(['invoke', 'web', '--data', data], { env, stdin: '{a: 1}' });
    expect(stderr).toContain(`error: ${source} is not valid JSON\n`);
    expect(stderr).toContain(fix);
  });

  test('a file or stdin, as JSON or as it is', async () => {
    const { seen, env } = await fine();
    const bytes = randomBytes(3_000_000);
    const folder = newFolder({ 'body.json': '{"from": "file"}' });
    const run = (line: string, stdin?: string | Buffer) =>
      gantry(line.split(' '), { env, cwd: folder, ...(stdin !== undefined && { stdin }) });
    await run('invoke web --data @body.json');
    await run('invoke web --data -', '{"from": "stdin"}');
    await run('invoke web --input body.json');
    await run('invoke web --input -', bytes);
    expect(
      seen.map(({ body, headers }) => [body.toString('latin1'), headers['content-type'], headers['content-length']]),
    ).toEqual([
      ['{"from": "file"}', 'application/json', '16'],
      ['{"from": "stdin"}', 'application/json', '17'],
      ['{"from": "file"}', 'application/octet-stream', '16'],
      // Of what is large nobody knows the length.
      [bytes.toString('latin1'), 'application/octet-stream', undefined],
    ]);
  });

  test('given headers take precedence, also over the token', async () => {
    const { seen, env } = await fine();
    const headers = ['Authorization: Basic eA==', 'content-type: text/plain', 'X-Own:  a: b '];
    await gantry(['invoke', 'web', ...headers.flatMap((header) => ['--header', header])], { env });
    expect(seen[0]?.headers).toMatchObject({
      authorization: 'Basic eA==',
      'content-type': 'text/plain',
      'x-own': 'a: b',
    });
  });

  test('the key of the project takes precedence over the token, and --no-auth needs neither', async () => {
    const { seen, env } = await fine();
    await gantry(['invoke', 'web'], { env: { ...env, GANTRY_INFERENCE_KEY: ' key-of-a-test\n' } });
    await gantry(['invoke', 'web', '--no-auth'], { env: { ...env, GANTRY_TOKEN: '' } });
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer key-of-a-test', undefined]);
    const outcome = await gantry(['invoke', 'web'], { env: { ...env, GANTRY_TOKEN: '' } });
    expect(outcome).toExit(4, 'for an app with disable_auth, pass --no-auth');
  });

  test.each<[string, string[], number?]>([
    ['two bodies', ['--data', '{}', '--input', 'x']],
    ['pairs and a body', ['a=b', '--data', '{}']],
    ['invalid JSON', ['--data', '{a: 1}']],
    ['a word that is not a pair', ['predict', 'again']],
    ['a parameter twice', ['a=1', 'a=2']],
    ['a missing file', ['--data', '@nope.json'], 6],
    ['a folder', ['--input', '.']],
    ['a body with GET', ['--method', 'GET', '--data', '{}']],
    ['pairs with GET', ['--method', 'GET', 'a=b']],
    ['an unknown method', ['--method', 'FETCH']],
    ['a header without a name', ['--header', ': x']],
    ['a header of two lines', ['--header', 'X-A: b\r\nX-C: d']],
    ['a header that is not ours to give', ['--header', 'Content-Length: 1']],
    ['an invalid path', ['--path', 'health']],
    ['a path that leaves the app', ['--path', '/../other/run']],
    ['a hidden path that leaves the app', ['--path', '/%2e%2e/other/run']],
    ['--wait and --await-webhook', ['--wait', '--await-webhook']],
    ['two webhooks', ['--webhook', 'https://x.example', '--await-webhook']],
    ['a webhook that is not https', ['--webhook', 'http://x.example/hook']],
    ['a webhook that is not a URL', ['--webhook', 'x.example']],
  ])('%s is refused before anything is sent', async (_, words, exit = 2) => {
    const { seen, env } = await fine();
    const outcome = await gantry(['invoke', 'web', ...words, '--json'], { env });
    expect(outcome.code, outcome.stderr).toBe(exit);
    expectErrorDocument(outcome);
    expect(seen).toEqual([]);
  });
});

describe('the response', () => {
  test('is printed byte for byte, and its status on stderr', async () => {
    const bytes = randomBytes(300_000);
    const { env } = await appServer((response) => response.writeHead(200, { 'content-type': 'image/png' }).end(bytes));
    const outcome = await gantry(['invoke', 'web'], { env });
    expect(outcome.code).toBe(0);
    expect(outcome.bytes.equals(bytes)).toBe(true);
    expect(outcome.stderr).toMatch(/^project .*\n200 OK in \d+ ms\n$/);
  });

  test('--show-headers prints status and headers first', async () => {
    const { env } = await fine();
    const { stdout } = await gantry(['invoke', 'web', '--show-headers'], { env });
    expect(stdout).toMatch(/^HTTP 200 OK\ncontent-type: application\/json\nx-request-id: r-1\n[\s\S]*\n\n\{"run_id"/);
  });

  test.each([
    ['JSON', '{"run_id":"r-9","result":[1]}', { body: { run_id: 'r-9', result: [1] }, encoding: 'json', run: 'r-9' }],
    ['text', 'plain', { body: 'plain', encoding: 'text', run: 'r-1' }],
    ['bytes', Buffer.from([0xff, 0xfe]), { body: '//4=', encoding: 'base64', run: 'r-1' }],
    ['nothing', '', { body: '', encoding: 'text', run: 'r-1' }],
  ])('--json wraps %s', async (_, body, expected) => {
    const { env } = await appServer((response) => response.writeHead(201, { 'x-request-id': 'r-1' }).end(body));
    const { json } = await gantry(['invoke', 'web', '--json'], { env });
    expect(json()).toMatchObject({ statusCode: 201, durationMs: expect.any(Number), ...expected });
  });

  test.each([
    ['gzip', gzipSync, 200, 0],
    ['br', brotliCompressSync, 200, 0],
    ['gzip', gzipSync, 500, 13],
  ])('--json has the content of a response with the encoding %s', async (encoding, compress, status, exit) => {
    const { env } = await appServer((response) =>
      response.writeHead(status, { 'content-encoding': encoding }).end(compress('{"message":"hello"}')),
    );
    const { code, stdout } = await gantry(['invoke', 'web', '--json'], { env });
    const { body, error } = JSON.parse(stdout);
    expect([code, body ?? error.details.body]).toEqual([exit, { message: 'hello' }]);
  });

  test.each([{}, { columns: 80 }])(
    'prints the text of a compressed response, and with --raw its bytes (%j)',
    async (setting) => {
      const bytes = gzipSync('{"message":"hello"}');
      const { env } = await appServer((response) =>
        response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' }).end(bytes),
      );
      expect(JSON.parse((await gantry(['invoke', 'web'], { env, ...setting })).stdout)).toEqual({ message: 'hello' });
      expect((await gantry(['invoke', 'web', '--raw'], { env, ...setting })).bytes).toEqual(bytes);
    },
  );

  test('--json=body prints only the body', async () => {
    const { env } = await fine();
    expect((await gantry(['invoke', 'web', '--json=body'], { env })).json()).toEqual({ body: reply });
  });

  test('--events ends with the result as one line', async () => {
    const { env } = await fine();
    const { stdout } = await gantry(['invoke', 'web', '--events'], { env });
    expect(JSON.parse(stdout)).toMatchObject({ type: 'result', statusCode: 200, body: reply });
    expect(stdout.trim()).not.toContain('\n');
  });
});

describe('an error', () => {
  test.each([
    [500, { message: 'division by zero' }, 13, 'web/run returned 500: division by zero'],
    [500, { run_id: 'r-1', result: { error: 'no luck' } }, 13, 'web/run returned 500: no luck'],
    [418, 'short and stout', 13, 'web/run returned 418: short and stout'],
    [422, { detail: [{ loc: ['body'] }] }, 13, 'web/run returned 422'],
    [587, '', 13, 'web/run returned 587'],
    [409, { message: 'busy' }, 13, 'web/run returned 409: busy'],
    [502, { run_id: 'r-1', run_time_ms: 1, result: 'by hand' }, 13, 'web/run returned 502'],
    [401, { message: 'no' }, 4, 'the app does not accept the token (HTTP 401)'],
    [403, { message: 'no' }, 5, 'the token has no permission to call the app (HTTP 403)'],
    [402, { message: 'pay first' }, 14, 'pay first'],
    [429, {}, 75, 'too many calls to web (HTTP 429)'],
    // It says the run, which has begun.
    [502, { run_id: 'r-7', message: 'it ended' }, 13, 'web/run did not respond (HTTP 502)'],
    [502, '<html>', 69, 'web/run is unavailable (HTTP 502)'],
    [503, '', 69, 'web/run is unavailable (HTTP 503)'],
    [504, 'timeout', 69, 'web/run did not respond within'],
  ])('%i %j exits with %i', async (status, body, exit, message) => {
    const { seen, env } = await appServer((response) => {
      response.writeHead(status, { 'x-request-id': 'r-7', 'retry-after': '7' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    const outcome = await gantry(['invoke', 'web', '--json'], { env });
    expect(outcome).toExit(exit, `error: ${message}`);
    expectErrorDocument(outcome);
    expect(outcome.json()).toMatchObject({ error: { statusCode: status, details: { body } } });
    // What was refused has no run.
    expect(outcome.stderr).toMatch([4, 5, 14, 75].includes(exit) ? / {2}request r-7/ : / {2}run r-/);
    // It may have been carried out: it is not sent again.
    expect(seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  test('says how to pass a number that was sent as text', async () => {
    const message = "TypeError: 'str' object cannot be interpreted as an integer";
    const { env } = await appServer((response) => response.writeHead(500).end(JSON.stringify({ message })));
    const fix = async (...words: string[]) => (await gantry(['invoke', 'web', 'slow', ...words], { env })).stderr;
    expect(await fix('seconds=2', 'name=Ada')).toContain('fix pass it as a number, not as text: seconds:=2\n');
    expect(await fix('seconds:=2', 'name=Ada')).not.toContain('as a number');
  });

  test('429 shows how long to wait', async () => {
    const { env } = await appServer((response) => response.writeHead(429, { 'retry-after': '7' }).end());
    const { json } = await gantry(['invoke', 'web', '--json'], { env });
    expect(json()).toMatchObject({ error: { retryable: true, retryAfterMs: 7_000 } });
  });

  test('explains a timeout of the gateway by the setting that causes it', async () => {
    const { env } = await refusing(504, {}, { ...web, responseGracePeriodSeconds: '90' });
    const { stderr } = await gantry(['invoke', 'web'], { env });
    expect(stderr).toContain("the platform ends a call after the app's response_grace_period");
    expect(stderr).toMatch(/fix .*response_grace_period.*--async/);
  });

  /** Containers of the live build, and when they ended, in seconds since the call. */
  const live = { lastBuildStatus: 'success', latestReadyBuildId: 'b-1' };
  test.each([
    [503, { lastBuildStatus: 'build_failure' }, [], 11, 'no build of web serves'],
    [503, { lastBuildStatus: 'init_failure' }, [], 12, 'no build of web serves'],
    [503, { lastBuildStatus: 'initializing' }, [], 69, 'no replica of the app could take the call'],
    [503, { lastBuildStatus: 'init_failure', latestReadyBuildId: 'b-0' }, [], 69, 'no replica'],
    [503, live, [['Failed', 1]], 12, 'the live build does not keep running'],
    [503, live, [['Failed', -60]], 69, 'no replica of the app could take the call'],
    [
      503,
      live,
      [
        ['Failed', 1],
        ['Running', 0],
      ] as const,
      69,
      'no replica of the app could take the call',
    ],
    [502, live, [['OOMKilled', 1]], 13, 'the app closed the connection'],
    [502, live, [], 69, 'the app closed the connection'],
  ] as const)('%i of an app that is shown as %j with %j is exit code %i', async (status, shown, ended, exit, why) => {
    const { env } = await appServer((response, { method, path }) => {
      if (method === 'POST') return sayJson(response, {}, status);
      if (!path.endsWith('/containers')) return sayJson(response, { ...web, ...shown });
      return sayJson(
        response,
        ended.map(([containerState, seconds], at) => ({
          containerId: `c-${at}`,
          buildId: 'b-1',
          containerState,
          containerTerminationTimestamp: new Date(Date.now() + seconds * 1_000).toISOString(),
        })),
      );
    });
    const outcome = await gantry(['invoke', 'web', '--json'], { env });
    expect(outcome).toExit(exit, why);
    // Who repeats what is retryable must not do it for ever.
    expect(outcome.json()).toMatchObject({ error: { retryable: exit === 69, fix: 'gantry explain web' } });
  });

  test('404 says whether the app or the function is missing', async () => {
    const { env } = await appServer((response, { method, path }) => {
      if (method === 'POST' || path.endsWith('-wob')) return sayJson(response, { message: 'not here' }, 404);
      return sayJson(response, path.endsWith('-web') ? web : [web]);
    });
    const app = await gantry(['invoke', 'wob'], { env });
    expect(app).toExit(6, /app wob not found in p-12345678: did you mean web\?\n {2}fix gantry apps list\n/);
    const fn = await gantry(['invoke', 'web', 'nope'], { env });
    expect(fn).toExit(6, /web\/nope not found.*\n {2}why not here\n {2}fix web exists/);
  });

  test.each(
    Object.entries({
      predcit: 'gantry invoke . predict text=text',
      taek: "gantry invoke . take a:=1 b:=1.5 c:=true 'd:=[]' 'e:=[]' 'f:=[]' 'g:=[]' 'h:=[]' 'i:={}' 'j:={}' 'k:={}' l=text",
      nope: 'call one that main.py has: run, predict, take',
    }),
  )('404 of the function %s names one that the folder has, and calls no other', async (name, fix) => {
    const types = 'int float bool list tuple set[str] Sequence[int] Iterable dict Mapping Row Any'.split(' ');
    const taken = types.map((type, at) => `${'abcdefghijkl'[at]}: ${type}`).join(', ');
    const code = `def run():\n    pass\n\ndef predict(text: str):\n    pass\n\ndef take(${taken}):\n    pass\n`;
    const app = newFolder({ ...smallApp(), 'main.py': code });
    const { env } = await refusing(404, {});
    const { code: exit, stderr } = await gantry(['invoke', '.', name], { env, cwd: app });
    expect([exit, stderr]).toEqual([6, expect.stringContaining(`  fix ${fix}\n`)]);
  });

  test.each([
    ['predictoin', 'gantry invoke . prediction text=a --json'],
    ['nope', 'call one that is deployed: run, prediction'],
  ])('404 of the function %s names one that is deployed, whatever the folder has', async (name, fix) => {
    const app = newFolder({ ...smallApp(), 'main.py': 'def run():\n    pass\n\ndef other():\n    pass\n' });
    const message = `function ${name} not found; available functions: run, prediction`;
    const { env } = await refusing(404, { message });
    const { stderr, json } = await gantry(['invoke', '.', name, 'text=a', '--json'], { env, cwd: app });
    expect(stderr).toContain(`  fix ${fix}\n`);
    expect(JSON.stringify(json())).not.toContain('"apps","list"');
  });

  test('404 of an app without functions says to add one', async () => {
    const message = 'function run not found; available functions: none';
    const { env } = await refusing(404, { message });
    const { stderr } = await gantry(['invoke', '.'], { env, cwd: newFolder({ ...smallApp(), 'main.py': 'x = 1\n' }) });
    expect(stderr).toContain('  fix add a function to main.py, then gantry deploy\n');
  });

  test.each([
    [422, [{ type: 'missing', loc: ['body', 'text'], msg: 'Field required' }], [], 'send text in the body'],
    [422, [{ type: 'missing', loc: ['query', 'q'], msg: 'Field required' }], [], 'send q in the query'],
    [
      422,
      [
        { loc: ['body', 'text'], msg: 'Field required' },
        { loc: ['query', 'q'], msg: 'Field required' },
      ],
      [],
      "send text in the body, in its type: text=text, or text:=json; send q in the query, in its type: --path '/…?q=value'",
    ],
    [404, 'Not Found', ['--path', '/nowhere'], 'call a path of its routes in the code with --path; of a FastAPI app'],
    [405, 'Method Not Allowed', ['--path', '/predict'], 'pass a method that it takes, such as --method POST'],
  ])('%i of a server of FastAPI says what to send (%j), and explain knows it', async (status, detail, words, fix) => {
    const { env } = await appServer((response, { path }) => {
      if (path.startsWith('/v4/'))
        return sayJson(response, { detail }, status, { 'x-request-id': 'r-1', allow: 'POST' });
      if (path.includes('/logs')) return sayJson(response, { logs: [] });
      if (path.endsWith('/builds/r-1')) return sayJson(response, { message: 'no' }, 404);
      const item = { id: 'r-1', statusCode: status, status: 'failure', createdAt: '2026-01-01T00:00:00Z' };
      if (path.endsWith('/apps')) return sayJson(response, [web]);
      const app = { id: 'p-12345678-web', runtime: 'custom' };
      return sayJson(response, path.includes('/runs') ? { item, items: [item] } : app);
    });
    const called = await gantry(['invoke', 'web', ...words], { env });
    expect(called).toExit(13, `  fix ${fix}`);
    const { stdout } = await gantry(['explain', 'web', 'r-1', '--json=cause'], { env });
    expect(JSON.parse(stdout)).toEqual({ cause: 'wrong-arguments' });
  });

  test('405 of a function names the method that its reply names', async () => {
    const message = 'method GET not allowed: functions are called with POST';
    const { env } = await refusing(405, { message });
    const { stderr } = await gantry(['invoke', 'web', '--method', 'GET'], { env });
    expect(stderr).toContain('  fix pass a method that it takes, such as --method POST\n');
  });

  test("404 from the app's own server is the app's error", async () => {
    const { env } = await refusing(404, { detail: 'nothing at /' }, { ...web, runtime: 'custom' });
    const outcome = await gantry(['invoke', 'web', '--path', '/nope'], { env });
    expect(outcome).toExit(13, /the server of web\/nope returned 404\n {2}why nothing at \/\n {2}fix .*--path/);
  });

  test('401 with the token of a login says what is needed instead', async () => {
    const { env } = await appServer((response) => sayJson(response, {}, 401));
    const claims = Buffer.from('{"token_use":"access"}').toString('base64url');
    const { code, stderr } = await gantry(['invoke', 'web'], { env: { ...env, GANTRY_TOKEN: `e30.${claims}.x` } });
    expect(code).toBe(4);
    expect(stderr).toMatch(
      /apps do not accept login tokens[\s\S]*GANTRY_INFERENCE_KEY.*api-keys list --show-values.*service account token/,
    );
  });

  test('401 with --no-auth says that a token is needed', async () => {
    const { env } = await appServer((response) => sayJson(response, {}, 401));
    const { stderr } = await gantry(['invoke', 'web', '--no-auth'], { env });
    expect(stderr).toMatch(/the app requires a token.*\n {2}fix omit --no-auth/);
  });

  test('does not follow a redirect: the token is not sent elsewhere', async () => {
    const other = await fine();
    const { env } = await appServer((response) =>
      response.writeHead(307, { location: `${other.url}/x?signature=abc` }).end(),
    );
    const { code, stderr } = await gantry(['invoke', 'web'], { env });
    expect(code).toBe(13);
    expect(stderr).toContain(`it redirects to ${other.url}/x\n`);
    expect(stderr).not.toContain('abc');
    expect(other.seen).toEqual([]);
  });

  test('steers no terminal and commands no runner', async () => {
    const { env } = await appServer((response) => sayJson(response, { message: 'a\u001b[2J\n::error::b' }, 500));
    const { stderr } = await gantry(['invoke', 'web'], { env: { ...env, GITHUB_ACTIONS: 'true' }, columns: 80 });
    expect(stderr).not.toContain('\u001b[2J');
    expect(stderr).not.toMatch(/^\s*::error/m);
  });
});

describe('a bad connection', () => {
  test('that is refused is retried, because nothing was sent', async () => {
    const { env } = await fine();
    const gone = { ...env, GANTRY_INFERENCE_URL: 'http://127.0.0.1:9' };
    const { code, stderr, waits } = await gantry(['invoke', 'web'], { env: gone });
    expect([code, waits.length]).toEqual([69, 4]);
    expect(stderr).toContain('connection refused');
  });

  test.each(['before the response', 'in the middle of a request'])('that breaks %s is not retried', async (when) => {
    let calls = 0;
    const server = createServer((socket) => {
      calls += 1;
      socket.on('error', () => {});
      if (when === 'before the response') socket.on('data', () => socket.destroy());
      else setImmediate(() => socket.resetAndDestroy());
    });
    const { env } = await fine();
    const url = await listening(server);
    const { code, stderr } = await gantry(['invoke', 'web'], { env: { ...env, GANTRY_INFERENCE_URL: url } });
    expect([code, calls]).toEqual([69, 1]);
    expect(stderr).toContain('it was not retried');
  });

  test.each([{ 'content-length': '100' }, {}])(
    'that breaks in the response is an error; what arrived stays printed: %j',
    async (headers) => {
      const { env } = await appServer((response) => {
        response.writeHead(200, headers).write('the beginning', () => response.destroy());
      });
      const { code, stdout, stderr } = await gantry(['invoke', 'web'], { env });
      expect([code, stdout]).toEqual([69, 'the beginning']);
      expect(stderr).toContain('the response of web/run was cut off after 13 B');
      expect((await gantry(['invoke', 'web', '--json'], { env })).code).toBe(69);
    },
  );

  test('that is silent in the response fails', async () => {
    const { env } = await appServer((response) => response.writeHead(200, { 'content-length': '9' }).write('abc'));
    expect(await gantry(['invoke', 'web'], { env, io: { silenceMs: 50 } })).toExit(69, 'no data for 0.05 s');
  });

  test('may be silent longer before the response', async () => {
    const { env } = await appServer((response) => setTimeout(() => response.end('late'), 1_000));
    expect((await gantry(['invoke', 'web'], { env, io: { silenceMs: 500 } })).stdout).toBe('late');
  });

  test('--timeout ends the wait and says that the app may continue', async () => {
    const { env } = await appServer(() => {});
    const { code, stderr } = await gantry(['invoke', 'web', '--timeout', '100ms'], { env });
    expect(code).toBe(8);
    expect(stderr).toMatch(
      /did not respond within 100 ms[\s\S]*the call may still be in progress\n {2}fix gantry runs list web/,
    );
  });

  test('Ctrl-C says that the app may continue', async () => {
    const { env } = await appServer(() => {});
    const outcome = gantry(['invoke', 'web', '--debug'], { env, stop: /Waiting for web\/run to respond/ });
    expect(await outcome).toExit(130, 'the call of web may still be in progress: gantry runs list web');
  });
});

test('uses the proxy of the environment', async () => {
  const { env, seen } = await fine();
  const far = await overHttps(env.GANTRY_INFERENCE_URL);
  const { asked, url: HTTPS_PROXY } = await joiningProxy();
  const outcome = await gantry(['invoke', 'web'], { env: { ...env, HTTPS_PROXY, GANTRY_INFERENCE_URL: far } });
  expect([outcome.code, seen.length, asked]).toEqual([0, 1, [new URL(far).host]]);
  await gantry(['invoke', 'web'], { env: { ...env, HTTPS_PROXY } });
  expect([seen.length, asked.length]).toEqual([2, 1]);
});

describe('hostile output', () => {
  const hostile = '\u001b]0;title\u0007\u001b[2Jred \u001b[31mtext\u001b[0m\n::error::x\n';
  const pieces = (response: import('node:http').ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    // Byte by byte: what is dangerous only as a whole comes in parts.
    for (const byte of Buffer.from(hostile)) response.write(Buffer.from([byte]));
    response.end();
  };

  test('is sanitized on a terminal, in chunks of any size', async () => {
    const { env } = await appServer(pieces);
    const { stdout } = await gantry(['invoke', 'web', '--color', 'always'], { env, columns: 80 });
    expect(stdout).toBe('red \u001b[31mtext\u001b[0m\n::error::x\n');
  });

  test('cannot control a workflow runner', async () => {
    const { env } = await appServer(pieces);
    const { stdout } = await gantry(['invoke', 'web'], { env: { ...env, GITHUB_ACTIONS: 'true' } });
    expect(stdout).toBe('red text\n: :error::x\n');
  });

  test.each([{}, { columns: 80 }, { env: { GITHUB_ACTIONS: 'true' } }])(
    'is unchanged with --raw: %j',
    async (setting) => {
      const { env } = await appServer(pieces);
      const { stdout } = await gantry(['invoke', 'web', '--raw'], { ...setting, env: { ...env, ...setting.env } });
      expect(stdout).toBe(hostile);
    },
  );

  test('that is binary is not printed on a terminal', async () => {
    const { env } = await appServer((response) => response.writeHead(200, { 'content-type': 'image/png' }).end('x'));
    const { code, stdout, stderr } = await gantry(['invoke', 'web'], { env, columns: 80 });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('redirect to a file, or pass --raw');
  });

  test('JSON has the same form on a terminal', async () => {
    for (const sent of ['[12345678901234567890,1.0]', '['.repeat(1_000) + ']'.repeat(1_000)]) {
      const { env } = await appServer((response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(sent);
      });
      expect((await gantry(['invoke', 'web'], { env, columns: 80 })).stdout).toBe(`${sent}\n`);
    }
  });

  test('a response without a newline gets one on a terminal', async () => {
    const { env } = await fine();
    expect((await gantry(['invoke', 'web'], { env, columns: 80 })).stdout).toBe(`${JSON.stringify(reply)}\n`);
    expect((await gantry(['invoke', 'web', '--raw'], { env, columns: 80 })).stdout).toBe(JSON.stringify(reply));
  });
});
