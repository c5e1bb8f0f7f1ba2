import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { openDeliveries } from '../../src/calls/map/async-calls.ts';
import { signWebhook } from '../../src/platform/contract/webhooks.ts';
import { appServer, sayJson } from '../support/app-server.ts';
import { emulatorForEach, gantry, newFolder, type Setting, smallApp } from '../support/index.ts';
import { type Line, numbers, sorted, upTo } from '../support/mapping.ts';

interface Behavior {
  /** What the record of a run says. Before its delivery, if it has one, a run goes on. */
  status?: (n: number) => string;
  /** How often the record of a run says after its delivery that it goes on. */
  late?: number;
  /** Whether the result of a run comes by webhook, to the address that the call named. */
  delivers?: boolean;
  inputs?: number;
}

/** An app whose runs go on after their call. */
async function running(behavior: Behavior = {}) {
  const { inputs = 10 } = behavior;
  const started: number[] = [];
  const answers: number[] = [];
  const delivered = new Set<string>();
  const asked = new Map<string, number>();
  const isDelivering = () => behavior.delivers !== false;
  const server = await appServer(async (response, { method, path, headers, body }) => {
    const { pathname, searchParams } = new URL(path, 'http://x');
    const [, run] = /\/runs\/(r-(?:\d+))$/.exec(pathname) ?? [];
    if (run) {
      const isLate =
        delivered.has(run) && (asked.set(run, (asked.get(run) ?? 0) + 1).get(run) ?? 0) <= (behavior.late ?? 0);
      const goesOn = isDelivering() && (!delivered.has(run) || isLate);
      const status = goesOn ? 'processing' : (behavior.status?.(Number(run.slice(2))) ?? 'success');
      return sayJson(response, { item: { id: run, status, ...(status === 'failure' && { statusCode: 500 }) } });
    }
    if (method === 'GET') return sayJson(response, { id: 'p-12345678-web', name: 'web', maxReplicaCount: '4' });
    const { n } = JSON.parse(String(body));
    started.push(n);
    expect(searchParams.get('async')).toBe('true');
    sayJson(response, { run_id: `r-${n}` }, 202, { 'x-request-id': `r-${n}` });
    const address = searchParams.get('webhookEndpoint');
    if (!isDelivering() || !address) return;
    const result =
      behavior.status?.(n) === 'failure' ? { detail: `no ${n}` } : { run_id: `r-${n}`, run_time_ms: 1, result: { n } };
    const requestId = `r-${n}`;
    const timestamp = String(Math.floor(Date.now() / 1000));
    const text = JSON.stringify(result);
    const signature = signWebhook(String(headers['x-webhook-secret']), { requestId, timestamp, body: text });
    const reply = fetch(address, {
      method: 'POST',
      body: text,
      headers: {
        'content-type': 'application/json',
        'x-request-id': requestId,
        'x-cerebrium-webhook-timestamp': timestamp,
        'x-cerebrium-webhook-signature': signature,
      },
    }).catch(() => undefined);
    delivered.add(requestId);
    answers.push((await reply)?.status ?? 0);
  });
  const { env } = server;
  const cwd = newFolder({ 'in.jsonl': numbers(inputs) });
  const file = join(cwd, 'out.jsonl');
  const run = (line = '', setting: Setting = {}) =>
    gantry(['map', 'web', 'in.jsonl', '-o', 'out.jsonl', ...line.split(' ').filter(Boolean)], {
      env,
      cwd,
      meanwhile: () => setTimeout(1),
      ...setting,
    });
  const lines = (): Line[] =>
    readFileSync(file, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
      .sort((one, other) => one.index - other.index);
  return { ...server, cwd, file, run, lines, started, answers, behavior };
}

describe('asynchronous calls', () => {
  test('have the result that their webhook delivers', async () => {
    const { run, lines, started, answers, file } = await running();
    const { code } = await run('--async');
    expect([code, sorted(started), answers]).toEqual([0, upTo(10), Array(10).fill(200)]);
    expect(lines()).toEqual(
      upTo(10).map((index) => ({
        index,
        status: 'succeeded',
        result: { n: index },
        run: `r-${index}`,
        ms: expect.any(Number),
      })),
    );
    expect(readFileSync(`${file}.gantry-map`, 'utf8')).not.toContain('r-');
  });

  test.each([0, 2])('fail as their runs do, with what was delivered, %i looks before', async (late) => {
    const { run, lines } = await running({ late, status: (n) => (n % 5 === 3 ? 'failure' : 'success') });
    expect((await run('--async')).code).toBe(13);
    expect(lines().filter(({ status }) => status === 'failed')).toMatchObject([
      { index: 3, run: 'r-3', error: { code: 'app-error', message: 'no 3', statusCode: 500 } },
      { index: 8, run: 'r-8', error: { code: 'app-error', message: 'no 8', statusCode: 500 } },
    ]);
  });

  test('have the result null if nothing is delivered', async () => {
    const { run, lines } = await running({ delivers: false, status: (n) => (n === 2 ? 'failure' : 'success') });
    expect((await run('--async')).code).toBe(13);
    expect(lines().map(({ status, result }) => (status === 'succeeded' ? result : status))).toEqual(
      upTo(10).map((n) => (n === 2 ? 'failed' : null)),
    );
  });

  test('that go on for too long are failures with their run', async () => {
    const { run, lines } = await running({ delivers: false, status: (n) => (n === 1 ? 'processing' : 'success') });
    expect((await run('--async --call-timeout 3s')).code).toBe(13);
    expect(lines()[1]).toMatchObject({ status: 'failed', run: 'r-1', error: { code: 'pending' } });
  });
});

describe('runs that go on after the command', () => {
  test('are asked by the same command, and no input is called twice', async () => {
    const stop = new AbortController();
    const { run, lines, started, behavior, file } = await running({
      delivers: false,
      status: (n) => {
        if (n === 3) setImmediate(() => stop.abort());
        return n < 2 ? 'success' : 'processing';
      },
    });
    const { code, stderr } = await run('--async', { stop: stop.signal });
    expect(code).toBe(130);
    expect(stderr).toContain('runs that were started go on');
    const ended = lines().length;
    expect(stderr).toContain(`${started.length - ended} runs that were started may go on and will be asked for`);
    expect(readFileSync(`${file}.gantry-map`, 'utf8')).toContain('"started":"r-');
    const before = [...started];
    behavior.status = () => 'success';
    // Also without --async, a run that is known is not started again.
    const again = await run('--async');
    expect([again.code, lines().map(({ index }) => index)]).toEqual([0, upTo(10)]);
    expect(again.stderr).not.toContain('made again');
    expect(again.stderr).toContain(`${before.length - ended} runs of an earlier command are asked for`);
    expect(sorted(started)).toEqual(upTo(10));
    expect(readFileSync(`${file}.gantry-map`, 'utf8')).not.toContain('r-');
  });

  test('are known after a kill, with half a line at the end', async () => {
    const { run, lines, started, file } = await running({ inputs: 4, delivers: false });
    await run('--async');
    const entries = upTo(3).map((index) => `{"index":${index},"started":"r-${index}"}\n`);
    // The result of the last one is there; its entry was not removed yet.
    const [first = ''] = readFileSync(file, 'utf8').split(/(?<=\n)/);
    const { index: done } = JSON.parse(first);
    started.length = 0;
    writeFileSync(file, first);
    appendFileSync(`${file}.gantry-map`, `${entries.join('')}{"index":3,"st`);
    expect((await run('--async')).code).toBe(0);
    expect(lines().map(({ index }) => index)).toEqual(upTo(4));
    expect(started).toEqual(upTo(4).filter((index) => index === 3 && index !== done));
  });

  test('of other inputs are not taken for those of these', async () => {
    const { run, started, file } = await running({ inputs: 2, delivers: false });
    const other = { gantryMap: 1, input: { bytes: 1, sha256: 'x', inputs: 1 }, target: 'web/run', key: 'k' };
    writeFileSync(`${file}.gantry-map`, `${JSON.stringify(other)}\n{"index":0,"started":"r-9"}\n`);
    expect((await run('--async')).code).toBe(0);
    expect(sorted(started)).toEqual([0, 1]);
  });

  test('that cannot be read end the command: none is started again', async () => {
    const { run, started, file } = await running({ inputs: 2, delivers: false });
    mkdirSync(`${file}.gantry-map`);
    const { code, stderr } = await run('--async');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/cannot read .*\.gantry-map: /) });
    expect(started).toEqual([]);
  });
});

describe('a platform that cannot reach this machine', () => {
  test('is given the address of a tunnel', async () => {
    const { run, seen } = await running({ inputs: 1, delivers: false });
    await run('--async --public-url https://tunnel.example/x');
    expect(seen.map(({ path }) => path).join()).toContain(encodeURIComponent('https://tunnel.example/x'));
  });

  test('sends no results, and it is said before the calls', async () => {
    const said: unknown[] = [];
    const settings = { addresses: { management: { value: 'https://rest.example.invalid' } } };
    const context = { settings, progress: { warn: (warning: unknown) => said.push(warning) } };
    const options = { port: undefined, publicUrl: undefined, webhookSecretFile: undefined };
    expect(await openDeliveries(context as never, options)).toBeUndefined();
    expect(said).toMatchObject([
      { message: expect.stringContaining('null'), fix: expect.stringContaining('--public-url') },
    ]);
  });
});

describe('without a build that serves', () => {
  const emulator = emulatorForEach({ real: false });

  test.each([
    ['build_failure', 11],
    ['init_failure', 12],
  ] as const)('a map ends at once after a %s', async (fault, exit) => {
    const cwd = newFolder({ ...smallApp(), 'in.jsonl': '{}\n'.repeat(5) });
    emulator.fail('build', fault);
    expect((await gantry(['deploy'], { emulator, cwd })).code).toBe(exit);
    const outcome = await gantry('map web in.jsonl --async -o out.jsonl --concurrency 1', { emulator, cwd });
    expect(outcome).toExit(exit, 'fix gantry explain web\n');
    expect(emulator.store.runs.size).toBe(1);
    expect(readFileSync(join(cwd, 'out.jsonl'), 'utf8')).toBe('');
  });
});
