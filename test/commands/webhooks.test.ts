import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { signWebhook } from '../../src/platform/contract/webhooks.ts';
import { appServer } from '../support/app-server.ts';
import { gantry, jsonLines, newFolder, type Setting } from '../support/index.ts';

const secret = 'hush';
const now = () => String(Math.floor(Date.now() / 1000));

/** The headers of a delivery, as the platform sends them. */
function signed(body: string | Buffer, { by = secret, at = now(), run = 'r-1' } = {}): Record<string, string> {
  return {
    'content-type': 'application/json',
    'x-request-id': run,
    'x-cerebrium-webhook-timestamp': at,
    'x-cerebrium-webhook-signature': signWebhook(by, { requestId: run, timestamp: at, body }),
  };
}

/** A folder with the secret in it. */
async function place() {
  const folder = newFolder({ secret: `${secret}\n` });
  return { path: folder, env: { GANTRY_CONFIG_DIR: join(folder, 'config') } };
}

/** Listens, lets something happen there, and stops. */
async function listening(
  words: string[],
  happen: (url: string) => Promise<unknown>,
  { path, env }: { path: string; env: Record<string, string> },
  setting: Setting = {},
) {
  const stopping = new AbortController();
  let found = (_: string) => {};
  const where = new Promise<string>((resolve) => {
    found = resolve;
  });
  const outcome = gantry(['webhooks', 'listen', '--port', '0', ...words], {
    cwd: path,
    env,
    stop: stopping.signal,
    seen: (_, text) => /listening on (http:\S+);/.exec(text)?.slice(1, 2).forEach(found),
    ...setting,
  });
  await happen(await where);
  // What was answered is shown in the next turn of the event loop.
  await setImmediate();
  stopping.abort();
  return outcome;
}

const post = async (url: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  (await fetch(url, { method: 'POST', body, headers })).status;

/** Without the last line, which says how the stream ended. */
const lines = (text: string) => {
  const all = jsonLines(text);
  expect(all.pop()).toEqual({ type: 'result' });
  return all;
};

describe('webhooks listen', () => {
  test('shows each delivery with the check of its signature, and exits with 0 on Ctrl-C', async () => {
    const there = await place();
    const statuses: number[] = [];
    const old = String(Math.floor(Date.now() / 1000) - 3_600);
    const outcome = await listening(
      ['--secret-file', 'secret', '--json'],
      async (url) => {
        statuses.push(await post(`${url}/hook?x=1`, '{"result":1}', signed('{"result":1}')));
        statuses.push(await post(url, '{}', signed('{}', { by: 'another' })));
        statuses.push(await post(url, '{}', signed('{}', { at: old })));
        statuses.push(await post(url, '{}', signed('{}', { at: String(Number(old) + 7_200) })));
        statuses.push(await post(url, '{}'));
        statuses.push(await post(url, Buffer.from([0xff]), signed(Buffer.from([0xff]))));
      },
      there,
    );
    expect(outcome.code).toBe(0);
    expect(statuses).toEqual([200, 401, 401, 401, 400, 200]);
    const [first, ...deliveries] = lines(outcome.stdout);
    expect(first).toEqual({ type: 'listening', url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) });
    expect(deliveries).toMatchObject([
      {
        type: 'delivery',
        signature: 'good',
        why: null,
        run: 'r-1',
        path: '/hook?x=1',
        body: { result: 1 },
        statusCode: 200,
      },
      { signature: 'bad', why: expect.stringContaining('does not match the secret'), statusCode: 401 },
      { signature: 'bad', why: expect.stringMatching(/36\d\d s old/) },
      { signature: 'bad', why: expect.stringContaining('in the future') },
      { signature: 'bad', why: 'it has no signature', statusCode: 400 },
      { signature: 'good', body: '/w==', encoding: 'base64' },
    ]);
    expect(outcome.stdout + outcome.stderr).not.toContain(secret);
  });

  test('prints a line for each delivery, and its body', async () => {
    const there = await place();
    const { stdout } = await listening(
      ['--secret-file', 'secret'],
      (url) => post(url, '{"a":[1]}', signed('{"a":[1]}')),
      there,
      { columns: 80, env: { ...there.env, NO_COLOR: '1' } },
    );
    expect(stdout).toMatch(
      /^http:\S+\n\S+ \S+ {2}signature good {2}returned 200\n {2}run r-1, \/, 9 B\n {2}\{\n {4}"a": \[\n/,
    );
  });

  test('accepts deliveries unchecked without a secret, and says so', async () => {
    const there = await place();
    const outcome = await listening(['--json'], async (url) => expect(await post(url, 'x')).toBe(200), there);
    expect(lines(outcome.stdout)[1]).toMatchObject({ signature: 'unchecked', run: '', body: 'x' });
    expect(outcome.stderr).toContain('not checking signatures');
  });

  test('refuses other methods than POST, and large bodies', async () => {
    const there = await place();
    const { stdout, stderr } = await listening(
      ['--json'],
      async (url) => {
        for (const method of ['GET', 'HEAD', 'PUT']) expect((await fetch(url, { method })).status).toBe(405);
        expect(await post(url, Buffer.alloc(10 * 1024 * 1024 + 1))).toBe(413);
        const pieces = async function* () {
          for (let piece = 0; piece < 11; piece++) yield Buffer.alloc(1024 * 1024);
        };
        const chunked = await fetch(url, { method: 'POST', body: pieces() as never, duplex: 'half' } as RequestInit);
        expect(chunked.status).toBe(413);
        expect(await post(url, Buffer.alloc(10 * 1024 * 1024, 'x'))).toBe(200);
      },
      there,
    );
    expect(lines(stdout)).toHaveLength(2);
    expect(stderr).toContain('rejected POST /: the body exceeds 10 MiB');
  });

  test('survives invalid requests', async () => {
    const there = await place();
    const header = fc
      .tuple(fc.stringMatching(/^[\w-]{1,20}$/), fc.string())
      .map(([name, value]) => `${name}: ${value}`);
    const known = fc.constantFrom(
      ...Object.keys(signed('')),
      'content-length',
      'transfer-encoding',
      'expect',
      'upgrade',
      'host',
    );
    const request = fc.record({
      first: fc.oneof(
        fc.constantFrom('POST / HTTP/1.1', 'POST * HTTP/1.1', 'POST //[ HTTP/1.1', 'CONNECT x:1 HTTP/1.1'),
        fc.string(),
      ),
      headers: fc.array(
        fc.oneof(
          header,
          fc.tuple(known, fc.string()).map(([name, value]) => `${name}: ${value}`),
        ),
      ),
      body: fc.uint8Array({ maxLength: 500 }),
    });
    await listening(
      ['--secret-file', 'secret', '--json'],
      async (url) => {
        await fc.assert(
          fc.asyncProperty(request, async ({ first, headers, body }) => {
            const socket = connect(Number(new URL(url).port), '127.0.0.1');
            socket.on('error', () => {});
            socket.end(Buffer.concat([Buffer.from([first, 'host: x', ...headers, '', ''].join('\r\n')), body]));
            socket.resume();
            await Promise.race([once(socket, 'close'), new Promise((done) => setTimeout(done, 50))]);
            socket.destroy();
          }),
          { numRuns: 150 },
        );
        await fc.assert(
          fc.asyncProperty(
            fc.uint8Array(),
            fc.dictionary(fc.constantFrom(...Object.keys(signed(''))), fc.stringMatching(/^[!-~]{0,30}$/)),
            async (body, headers) => {
              expect([200, 400, 401]).toContain(
                await post(url, Buffer.from(body), { ...signed(Buffer.from(body)), ...headers }),
              );
            },
          ),
          { numRuns: 100 },
        );
        expect(await post(url, '{}', signed('{}'))).toBe(200);
      },
      there,
    );
  });

  test('runs several times on different ports, and reports a port in use', async () => {
    const there = await place();
    await listening(
      [],
      async (first) => {
        await listening(
          [],
          async (second) => {
            expect(second).not.toBe(first);
            const outcome = await gantry(['webhooks', 'listen', '--port', new URL(first).port], {
              env: there.env,
            });
            expect(outcome).toExit(1, /is in use\n {2}fix use a free port: gantry .*--port 0/);
          },
          there,
        );
      },
      there,
    );
  });

  test('cannot control the terminal', async () => {
    const there = await place();
    const { stdout } = await listening(
      [],
      (url) => post(`${url}/\u001b`, 'a\u001b[2J\n::error::b', { 'x-request-id': 'r' }),
      there,
      { columns: 80, env: { ...there.env, GITHUB_ACTIONS: 'true' } },
    );
    expect(stdout).not.toContain('\u001b[2J');
    expect(stdout).not.toMatch(/^\s*::/m);
  });
});

describe('webhooks listen --forward', () => {
  test('forwards the same bytes and headers, and returns the response of the app', async () => {
    const there = await place();
    const app = await appServer((response) => response.writeHead(404, { 'x-app': 'yes' }).end('not yet'));
    const body = '{"a": "ä"}';
    const headers = signed(body);
    await listening(
      ['--secret-file', 'secret', '--forward', `${app.url}/hook`],
      async (url) => {
        const answer = await fetch(url, { method: 'POST', body, headers });
        expect([answer.status, answer.headers.get('x-app'), await answer.text()]).toEqual([404, 'yes', 'not yet']);
        expect(await post(url, body, signed(body, { by: 'another' }))).toBe(401);
      },
      there,
    );
    expect(app.seen).toHaveLength(1);
    expect(app.seen[0]).toMatchObject({
      method: 'POST',
      path: '/hook',
      body: Buffer.from(body),
      headers,
    });
  });

  test('sends no response while the app is down, so that the platform retries', async () => {
    const there = await place();
    let up = false;
    const app = await appServer((response) => (up ? response.end() : response.destroy()));
    const outcome = await listening(
      ['--forward', app.url, '--json'],
      async (url) => {
        await expect(post(url, '{}')).rejects.toThrow();
        up = true;
        expect(await post(url, '{}')).toBe(200);
      },
      there,
    );
    expect(
      lines(outcome.stdout)
        .slice(1)
        .map(({ statusCode }) => statusCode),
    ).toEqual([null, 200]);
    expect(outcome.stderr).toContain('not forwarded: ');
  });

  test.each([['http://example.com/x'], ['nowhere'], ['ftp://127.0.0.1']])('refuses %s', async (to) => {
    expect((await gantry(['webhooks', 'listen', '--forward', to])).code).toBe(2);
  });
});
