import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { signWebhook } from '../../src/platform/contract/webhooks.ts';
import { appServer, sayJson } from '../support/app-server.ts';
import { expectErrorDocument, gantry, newFolder } from '../support/index.ts';

const acknowledged = { run_id: 'r-1' };

/** A platform whose run says these, one after another; the last for ever. */
const saying = (...records: (object | number)[]) =>
  appServer((response, { method, path }) => {
    if (method === 'POST') return sayJson(response, acknowledged, 202, { 'x-request-id': 'r-1' });
    if (!path.includes('/runs/')) return sayJson(response, { id: 'p-12345678-web', responseGracePeriodSeconds: '900' });
    const next = (records.length > 1 ? records.shift() : records[0]) ?? {};
    if (typeof next === 'number') return sayJson(response, { message: 'no' }, next);
    return sayJson(response, { item: { id: 'r-1', ...next } });
  });

describe('--async', () => {
  test('prints the id of the run without waiting', async () => {
    const { env, seen } = await saying({ status: 'processing' });
    expect(await gantry(['invoke', 'web', '--async', 'a=1'], { env })).toPrint('r-1\n');
    expect(seen.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /v4/p-12345678/web/run?async=true']);
    expect((await gantry(['invoke', 'web', '--async', '--json'], { env })).json()).toEqual({
      run: 'r-1',
      app: 'web',
      statusCode: 202,
      record: null,
      next: [{ argv: ['gantry', 'logs', 'web', '--run', 'r-1', '-f'], when: 'to follow it' }],
    });
  });

  test('fails if the response has no run id', async () => {
    const { env } = await appServer((response) => sayJson(response, { result: 1 }));
    expect((await gantry(['invoke', 'web', '--async'], { env })).code).toBe(70);
  });
});

describe('--wait', () => {
  test('exits like the run', async () => {
    const { env } = await saying(
      { status: 'pending' },
      { status: 'processing' },
      { status: 'success', statusCode: 200 },
    );
    const { code, stdout, waits } = await gantry(['invoke', 'web', '--wait'], { env });
    expect([code, stdout]).toEqual([0, 'r-1\n']);
    expect(waits).toEqual([1_000, 1_300]);
  });

  test.each([
    [{ status: 'failure', statusCode: 500, runtimeMs: 40 }, 'run r-1 of web failed (HTTP 500)', 'explain'],
    [{ status: 'cancelled', statusCode: 0 }, 'run r-1 of web was canceled', 'runs get'],
    [{ status: 'failed' }, 'run r-1 of web failed', 'explain'],
  ])('%j exits with 13', async (record, message, helps) => {
    const { env } = await saying(record);
    const outcome = await gantry(['invoke', 'web', '--wait', '--json'], { env });
    expect(outcome).toExit(13, message, `fix gantry ${helps} web r-1`);
    expectErrorDocument(outcome);
  });

  test('waits for lines of a run that failed since its end, not since that was seen', async () => {
    let startedAt = 0;
    const at = (ms: number) => new Date(startedAt + ms).toISOString();
    const logLine = 'torch.OutOfMemoryError: CUDA out of memory.';
    const records = [{ status: 'processing' }, { status: 'failure', statusCode: 500 }];
    const { env } = await appServer((response, { method, path }) => {
      startedAt ||= Date.now();
      if (method === 'POST') return sayJson(response, acknowledged, 202, { 'x-request-id': 'r-1' });
      if (path.includes('/logs')) return sayJson(response, { logs: [{ logLine, timestamp: at(5), logId: 'l-1' }] });
      return sayJson(response, { item: { id: 'r-1', completedAt: at(10), ...(records.shift() ?? records[0]) } });
    });
    const { code, stderr, waits } = await gantry(['invoke', 'web', '--wait'], { env });
    expect([code, stderr]).toEqual([13, expect.stringContaining('cause: the GPU has too little memory')]);
    expect(waits.reduce((one, other) => one + other)).toBeLessThan(5_000);
  });

  test('explains a failure after response_grace_period by that setting', async () => {
    const { env } = await saying({ status: 'failure', statusCode: 504, runtimeMs: 900_000 });
    const { stderr } = await gantry(['invoke', 'web', '--wait'], { env });
    expect(stderr).toContain(
      "why the platform ends a call after the app's response_grace_period: 15m for web, 12 hours at most",
    );
  });

  test('tolerates a run that is listed late, and failed requests', async () => {
    const { env } = await saying(404, 404, 503, { status: 'success' });
    expect((await gantry(['invoke', 'web', '--wait'], { env })).code).toBe(0);
  });

  test('fails if the run is never listed', async () => {
    const { env } = await saying(404);
    expect((await gantry(['invoke', 'web', '--wait'], { env })).code).toBe(6);
  });

  test('--timeout ends the wait, not the run', async () => {
    const { env } = await saying({ status: 'processing', runtimeMs: 0 });
    const { code, stderr } = await gantry(['invoke', 'web', '--wait', '--timeout', '2m'], { env });
    expect(code).toBe(8);
    expect(stderr).toMatch(/run r-1 of web is still in progress after 2m\n {2}fix gantry logs web --run r-1 -f/);
  });

  test('does not doubt a run that is not shown before --timeout', async () => {
    const { env } = await saying(404);
    const outcome = await gantry(['invoke', 'web', '--wait', '--timeout', '2s'], { env });
    expect(outcome).toExit(8, 'error: run r-1 of web has begun, and is not shown after 2.0 s');
    expect(outcome.stderr).toContain('fix gantry logs web --run r-1 -f');
  });

  test('does not wait forever for a status that never becomes final, and says so', async () => {
    const { env } = await saying({ status: 'processing', runtimeMs: 0 });
    const { code, stderr, waits } = await gantry(['invoke', 'web', '--wait', '--timeout', '1h'], { env });
    expect(code).toBe(8);
    const warnings = [...stderr.matchAll(/run r-1 has had status in progress for (\S+)/g)].map(([, time]) => time);
    expect(warnings).toEqual(['10m', '20m', '40m']);
    expect(Math.max(...waits)).toBe(5_000);
  });

  test('Ctrl-C says that the run continues, and how to follow and cancel it', async () => {
    const { env } = await saying({ status: 'processing' });
    const { code, stderr } = await gantry(['invoke', 'web', '--wait', '--timeout', '1h'], {
      env,
      stop: /has had status in progress/,
    });
    expect(code).toBe(130);
    expect(stderr).toContain(
      'run r-1 continues: gantry logs web --run r-1 -f waits for it, gantry runs cancel web r-1 cancels it',
    );
  });
});

describe('--webhook', () => {
  test('is sent encoded, with its secret, also without --async', async () => {
    const { env, seen } = await saying({});
    const folder = newFolder({ secret: 'hush\n' });
    const hook = 'https://example.com/hook?a=b&c=d e';
    const run = (words: string[], more = {}, stdin?: string) =>
      gantry(['invoke', 'web', '--webhook', hook, ...words], {
        env: { ...env, ...more },
        cwd: folder,
        ...(stdin && { stdin }),
      });
    const outcomes = [
      await run(['--async']),
      await run(['--webhook-secret-file', 'secret']),
      await run(['--webhook-secret-file', '-'], {}, 'piped'),
      await run([], { GANTRY_WEBHOOK_SECRET: 'from-env' }),
      await gantry(['invoke', 'web'], { env: { ...env, GANTRY_WEBHOOK_SECRET: 'from-env' } }),
    ];
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
    expect(outcomes.map(({ stdout, stderr }) => stdout + stderr).join()).not.toMatch(/hush|piped|from-env/);
    const queries = seen.map(({ path }) => Object.fromEntries(new URL(path, 'http://x').searchParams));
    const webhookEndpoint = new URL(hook).href;
    expect(queries).toEqual([
      { async: 'true', webhookEndpoint },
      { webhookEndpoint },
      { webhookEndpoint },
      { webhookEndpoint },
      {},
    ]);
    const secrets = seen.map(({ headers }) => headers['x-webhook-secret']);
    expect(secrets).toEqual([undefined, 'hush', 'piped', 'from-env', undefined]);
  });

  test.each([
    ['an empty secret', '\n'],
    ['a secret of two lines', 'a\nb\n'],
    ['one that is not ASCII', 'ä'],
  ])('refuses %s without showing it', async (_, text) => {
    const { env, seen } = await saying({});
    const words = ['invoke', 'web', '--webhook', 'https://x.example', '--webhook-secret-file', '-'];
    const { code, stderr } = await gantry(words, { env, stdin: text });
    expect([code, seen]).toEqual([2, []]);
    expect(stderr).not.toContain('ä');
  });
});

describe('--await-webhook', () => {
  /** Delivers to the address it is given, signed by the secret it is given, or by another one. */
  const delivering = (
    body: string,
    { secret, run = 'r-1', status = 'processing' }: { secret?: string; run?: string; status?: string } = {},
  ) => {
    const answers: number[] = [];
    return appServer(async (response, { method, path, headers }) => {
      if (method === 'GET') return sayJson(response, { item: { id: 'r-1', status } });
      const address = new URL(path, 'http://x').searchParams.get('webhookEndpoint') ?? '';
      const timestamp = String(Math.floor(Date.now() / 1000));
      const signature = signWebhook(secret ?? String(headers['x-webhook-secret']), { requestId: run, timestamp, body });
      const delivery = fetch(address, {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          'x-request-id': run,
          'x-cerebrium-webhook-timestamp': timestamp,
          'x-cerebrium-webhook-signature': signature,
        },
      });
      // It may well come before the answer to the call.
      await setTimeout(20);
      sayJson(response, acknowledged, 202, { 'x-request-id': 'r-1' });
      answers.push((await delivery).status);
    }).then((server) => ({ ...server, answers }));
  };
  const meanwhile = () => setTimeout(20);

  test('prints the delivered result like --wait', async () => {
    const { env, seen, answers } = await delivering('{"run_id":"r-1","result":1}');
    const { code, stdout, stderr } = await gantry(['invoke', 'web', '--await-webhook'], { env, meanwhile });
    expect([code, stdout]).toEqual([0, '{"run_id":"r-1","result":1}']);
    expect(stderr).toMatch(/run r-1\n$/);
    expect(answers).toEqual([200]);
    expect(seen[0]?.path).toContain('async=true');
    expect(String(seen[0]?.headers['x-webhook-secret'])).toMatch(/^[\w-]{32}$/);
    const { json } = await gantry(['invoke', 'web', '--await-webhook', '--json'], { env, meanwhile });
    expect(json()).toMatchObject({ run: 'r-1', body: { result: 1 } });
  });

  test('ignores deliveries with another signature or of another run', async () => {
    for (const odd of [{ secret: 'another' }, { run: 'r-2' }]) {
      const { env, answers } = await delivering('{}', odd);
      const words = ['invoke', 'web', '--await-webhook', '--timeout', '20s'];
      const { code, stdout, stderr } = await gantry(words, { env, meanwhile });
      expect([code, stdout]).toEqual([8, '']);
      if (odd.secret) expect(stderr).toContain('rejected a delivery: its signature does not match');
      expect(answers).toEqual([odd.secret ? 401 : 400]);
    }
  });

  test('says of a run that succeeded why its delivery was rejected', async () => {
    const { env } = await delivering('{}', { secret: 'another', status: 'success' });
    const outcome = await gantry(['invoke', 'web', '--await-webhook'], { env, meanwhile });
    expect(outcome).toExit(
      69,
      /\n {2}why rejected a delivery: its signature does not match/,
      'without a change of what',
    );
  });

  test('fails if the run fails, whether it is delivered or not', async () => {
    const { env } = await delivering('{"message":"no luck"}', { status: 'failure' });
    const { code, stdout } = await gantry(['invoke', 'web', '--await-webhook'], { env, meanwhile });
    expect([code, stdout]).toEqual([13, '']);
    const { json } = await gantry(['invoke', 'web', '--await-webhook', '--json'], { env, meanwhile });
    expect(json()).toMatchObject({
      error: {
        why: 'it delivered {"message":"no luck"}',
        fix: 'gantry explain web r-1',
        details: { app: 'web', run: 'r-1', status: 'failed', statusCode: null },
      },
    });
  });

  test('does not wait forever for a delivery', async () => {
    const { env } = await saying({ status: 'success' });
    expect(await gantry(['invoke', 'web', '--await-webhook'], { env })).toExit(69, 'its webhook was not delivered');
  });

  test('--timeout also ends the wait for a delivery', async () => {
    const { env } = await saying({ status: 'success' });
    const words = ['invoke', 'web', '--await-webhook', '--timeout', '2s'];
    const { code, stderr, waits } = await gantry(words, { env });
    expect([code, stderr]).toEqual([8, expect.stringContaining('its webhook was not delivered in time')]);
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(2_000);
  });

  test('warns if the platform cannot reach this machine, unless a tunnel is given', async () => {
    const { env, seen } = await saying({ status: 'success' });
    const elsewhere = {
      ...env,
      GANTRY_TOKEN: 'opaque',
      GANTRY_EMULATOR_SECRET: '',
      GANTRY_LOGS_URL: '',
      GANTRY_API_URL: 'https://rest.example.invalid',
      GANTRY_INFERENCE_URL: 'https://api.example.invalid',
    };
    const run = (words: string[]) =>
      gantry(['invoke', 'web', '--await-webhook', '--timeout', '1s', ...words], { env: elsewhere });
    expect((await run([])).stderr).toMatch(
      /warning: the platform cannot reach http:\/\/127\.0\.0\.1:\d+\n[\s\S]*--public-url/,
    );
    const tunnel = ['--public-url', 'https://tunnel.example/x'];
    expect((await run(tunnel)).stderr).not.toContain('cannot reach http://127');
    await gantry(['invoke', 'web', '--await-webhook', '--timeout', '1s', ...tunnel], { env });
    expect(seen.map(({ path }) => path).join()).toContain(encodeURIComponent('https://tunnel.example/x'));
  });
});
