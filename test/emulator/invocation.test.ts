import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { onceForAll } from './support/platform.ts';
import { python, running, untilCut } from './support/running.ts';

describe.skipIf(!python)('a function (needs python3)', () => {
  const shared = onceForAll((closing) => running('functions', {}, { closing }));

  test("is called with the body's fields, and its process serves the next call", async () => {
    const { call } = await running();
    const first = await call('run', { name: 'Ada' });
    expect([first.status, first.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(first.json).toEqual({
      run_id: first.headers.get('x-request-id'),
      run_time_ms: expect.any(Number),
      result: { greeting: 'hello Ada', calls: 1, process: expect.any(Number) },
    });
    const second = await call('run');
    expect(second.json.result).toEqual({ ...first.json.result, greeting: 'hello world', calls: 2 });
  });

  test.each([
    ['later', {}, 200, { result: 'done' }],
    ['teapot', {}, 418, { result: { status_code: 418, body: 'short and stout' } }],
    ['fails', {}, 500, { message: 'ValueError: it went badly' }],
    ['numpy_like', {}, 200, { result: { score: 0.5, rows: [1, 2] } }],
    ['not_json', {}, 500, { message: expect.stringContaining('cannot be converted to JSON') }],
    ['nothing', {}, 404, { message: expect.stringContaining('function nothing not found') }],
    ['_private', {}, 404, { message: expect.stringContaining('function _private not found') }],
    ['os', {}, 404, {}],
    ['run', { nam: 'Ada' }, 422, { message: expect.stringContaining("unexpected keyword argument 'nam'") }],
    ['run', [1], 400, { message: expect.stringContaining('must be a JSON object') }],
    ['run', '{"name": ', 400, { message: expect.stringContaining('not valid JSON') }],
    ['run/chat/completions', { name: 'Ada' }, 200, { result: { greeting: 'hello Ada' } }],
  ])('%s called with %j responds %i', async (name, body, status, answer) => {
    const { call } = shared();
    const reply = await call(name, body);
    expect([reply.status, reply.json]).toEqual([status, expect.objectContaining({ run_id: expect.any(String) })]);
    expect(reply.json).toMatchObject(answer);
  });

  test('gets its run id, and numbers are not rounded', async () => {
    const { call } = shared();
    const { json, headers } = await call('who', {});
    expect(json.result).toBe(headers.get('x-request-id'));
    expect((await call('large_number')).text).toContain('"result":9223372036854775809');
  });

  test('supports large bodies and responses', async () => {
    const { call } = shared();
    const name = 'é'.repeat(2_000_000);
    expect((await call('run', { name })).json.result.greeting).toBe(`hello ${name}`);
  });

  test('that yields responds with server-sent events as they are produced', async () => {
    const { base, call } = shared();
    const answer = await fetch(`${base}/count`, { method: 'POST', body: '{"to": 2}' });
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-request-id': expect.any(String),
    });
    expect(await answer.text()).toBe('data: {"number": 0}\n\ndata: {"number": 1}\n\n');
    expect((await call('words', { text: 'a b' })).text).toBe('data: a\ndata: !\n\ndata: b\ndata: !\n\n');
  });

  test('that yields events that are formatted already responds with them unchanged', async () => {
    const { call } = shared();
    const events = ['data: {"token": "a"}', 'event: done\ndata: b', 'data: [DONE]', 'data: data is not a field here'];
    expect((await call('events')).text).toBe(`${events.join('\n\n')}\n\n`);
  });

  test.each(['breaks_off', 'dies_off'])('that fails in the middle of a stream aborts it: %s', async (name) => {
    const { base, runs } = shared();
    expect(await untilCut(`${base}/${name}`)).toBe('data: first\n\n');
    expect((await runs())[0]).toMatchObject({ status: 'failure', statusCode: 500, functionName: name });
  });

  test('whose stream is not read waits', async () => {
    const { base, printed } = await running();
    const controller = new AbortController();
    const body = JSON.stringify({ parts: 10_000 });
    const answer = await fetch(`${base}/pours`, { method: 'POST', body, signal: controller.signal });
    await answer.body?.getReader().read();
    const last = async () => (await printed({ direction: 'backward', pageSize: 1 }))[0];
    await expect.poll(async () => (await last()) === (await setTimeout(100).then(last))).toBe(true);
    expect(await last()).toMatch(/^piece \d{2,3}$/);
    controller.abort();
  });

  test("gets its identity and secrets in the environment, and nothing of the emulator's", async () => {
    const { call, emulator, id, buildId } = await running();
    emulator.store.secrets.set(emulator.project, { SHARED: 'project', OWN: 'project' });
    emulator.store.secrets.set(id, { OWN: 'app' });
    process.env.GANTRY_TOKEN = 'not for the app';
    const { result } = (await call('environment')).json;
    delete process.env.GANTRY_TOKEN;
    expect(result).toMatchObject({ APP_NAME: 'functions', PROJECT_ID: emulator.project, BUILD_ID: buildId });
    expect(result).toMatchObject({
      SHARED: 'project',
      OWN: 'app',
      PATH: expect.stringContaining(String(process.env.PATH)),
    });
    expect(Object.keys(result).filter((name) => /GANTRY|CEREBRIUM|TOKEN|VITEST|NODE/.test(name))).toEqual([]);
  });

  test('whose process dies is a 502, and its replica starts again for the next call', async () => {
    const { call, runs, ask, path, printed } = await running();
    const broken = await call('dies');
    expect([broken.status, broken.json.message]).toEqual([502, 'the app failed: its process ended with exit code 3']);
    expect((await call('run')).status).toBe(200);
    expect((await ask('GET', `${path}/containers`)).json).toMatchObject([
      { containerId: (await runs())[0].containerId, containerState: 'RUNNING', containerRestartCount: 1 },
    ]);
    expect(await printed()).toContain('error: its process ended with exit code 3; restart 1 of the replica now');
  });

  test('that exceeds response_grace_period is a 504, and is stopped', async () => {
    const { call, emulator, id, runs } = await running();
    await call('run');
    const { settings } = emulator.store.apps.get(id) as { settings: { responseGracePeriodSeconds: number } };
    settings.responseGracePeriodSeconds = 0.2;
    await expect(call('sleeps')).toAnswer(504, 'response_grace_period of 0.2 seconds');
    expect((await runs())[0]).toMatchObject({ status: 'failure', statusCode: 504 });
    expect((await call('run')).json.result.calls).toBe(2);
  });
});

describe('the caller of an app', () => {
  test('needs a key of the project or the token of a service account, unless the app is public', async () => {
    const { call, emulator, ask } = await running('functions', { disableAuth: false }, { real: false });
    const keys = (await ask('GET', '/api-keys')).json as { source: string; apiKey: string; status: string }[];
    const inference = keys.find(({ source }) => source === 'cerebrium_jwt')?.apiKey;
    const expired = keys.find(({ status }) => status === 'expired')?.apiKey;
    const login = emulator.issueToken({ token_use: 'access' });
    const status = async (token?: string) =>
      (await call('run', {}, token ? { headers: { authorization: `Bearer ${token}` } } : {})).status;
    expect(await status(inference)).toBe(200);
    expect(await status(emulator.token)).toBe(200);
    expect(await status()).toBe(401);
    expect(await status(expired)).toBe(401);
    expect(await status(login)).toBe(401);
    expect(await status(emulator.issueToken({ exp: 1 }))).toBe(401);
    expect(await status(emulator.issueToken({ project_id: 'p-other123' }))).toBe(403);
    expect(await status('nonsense')).toBe(401);
  });

  test.each([
    ['an unknown app', 'nothing', {}, 404, 'app nothing not found'],
    ['a partner app', 'voice', { name: 'voice', runtime: 'deepgram' }, 501, 'only the partner has their image'],
  ])('gets an error for %s', async (_, name, app, status, message) => {
    const { emulator, ask, base } = await running('functions', {}, { real: false });
    if ('name' in app) await ask('POST', '/partner-apps', app);
    const answer = await fetch(base.replace(/functions$/, `${name}/run`), { method: 'POST' });
    expect([answer.status, ((await answer.json()) as { message: string }).message]).toEqual([
      status,
      expect.stringContaining(message),
    ]);
    expect(emulator.calls.at(-1)?.endpoint).toBe('invoke');
  });

  test('gets a simulated response with the parameters if Python is missing', async () => {
    const { call, printed, runs } = await running('functions', {}, { real: false });
    const { status, json } = await call('run', { name: 'Ada' });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      result: { simulated: true, function: 'run', parameters: { name: 'Ada' } },
      note: 'simulated: python3 not found',
    });
    expect(await printed()).toEqual(['this call is simulated: python3 not found']);
    expect(await runs()).toMatchObject([{ status: 'success', functionName: 'run' }]);
  });
});

describe('the response to a call', () => {
  test.skipIf(!python)('can be cut in the middle of a stream (needs python3)', async () => {
    const { base, emulator, runs } = await running();
    emulator.fail('invoke', 'truncated');
    const answer = await fetch(`${base}/count`, { method: 'POST', body: '{"to": 5}' });
    const reader = answer.body?.getReader();
    expect(String(Buffer.from((await reader?.read())?.value ?? []))).toBe('data: {"number": 0}\n\n');
    await expect(reader?.read()).rejects.toThrow('terminated');
    await expect.poll(async () => (await runs())[0].status).toBe('cancelled');
  });

  test.skipIf(!python).each(['sleeps', 'drips'])(
    'is given up when its caller leaves, and %s is stopped (needs python3)',
    async (name) => {
      const { base, call, runs, printed } = await running();
      await call('run');
      const signal = AbortSignal.timeout(300);
      const left = async () => (await fetch(`${base}/${name}`, { method: 'POST', signal })).text();
      await expect(left()).rejects.toThrow('timeout');
      await expect.poll(async () => (await runs())[0]).toMatchObject({ statusCode: -1, status: 'cancelled' });
      await expect.poll(printed).toContain('stopped');
    },
  );
});
