import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { AppRunner } from '../../src/emulator/running/app-runner.ts';
import { newFolder, platform } from './support/platform.ts';
import { children, python, running } from './support/running.ts';
import { zip } from './support/zip.ts';

describe.skipIf(!python)('an app (needs python3)', () => {
  test('that does not start again reports the reason to its caller and in its log', async () => {
    const clock = { now: Date.now() };
    const { call, deploy, printed, runs } = await running('functions', {}, { now: () => clock.now });
    const main = 'import os\nif os.path.exists("used"):\n    import nothing_of_this_name\nopen("used", "w").close()\n';
    await deploy({ name: 'functions', cooldownPeriodSeconds: 60 }, { 'main.py': main });
    clock.now += 61_000;
    const { status, json } = await call('run');
    const reason = "the app failed to start: ModuleNotFoundError: No module named 'nothing_of_this_name'";
    expect([status, json.message]).toEqual([503, expect.stringContaining(reason)]);
    expect((await printed()).join('\n')).toContain('File "main.py", line 3');
    const [{ id: runId }] = await runs();
    expect((await printed({ runId })).join(' ')).toContain(`error: ${reason}`);
  });

  test('calls that wait during a deploy get the new version, and leave its replica alone', async () => {
    const gate = join(newFolder(), 'gate');
    const settings = { name: 'functions', replicaConcurrency: 1, maxReplicaCount: 1 };
    const version = (name: string) => ({
      'main.py': `import os, time\ndef run(gate=""):\n    while gate and not os.path.exists(gate):\n        time.sleep(0.01)\n    return "${name}"\n`,
    });
    const { call, deploy, runs } = await running('functions', settings);
    const states = async () => (await runs()).map((run: { status: string }) => run.status);
    await deploy(settings, version('old'));
    const active = call('run', { gate });
    await expect.poll(states).toEqual(['processing']);
    const waiting = [call('run'), call('run')];
    await expect.poll(states).toEqual(['containerQueued', 'containerQueued', 'processing']);
    await deploy(settings, version('new'));
    const later = call('run');
    const replies = await Promise.all([...waiting, later, call('run')]);
    expect(replies.map(({ json }) => json.result)).toEqual(['new', 'new', 'new', 'new']);
    writeFileSync(gate, '');
    expect((await active).json.result).toBe('old');
    expect(new Set((await runs()).map((run: { containerId: string }) => run.containerId)).size).toBe(2);
  });

  test('handles concurrent calls up to the limit, and queues the others', async () => {
    const { call, runs } = await running('functions', { replicaConcurrency: 2 });
    await call('run');
    const [first, second, third] = [1, 2, 3].map(() => call('sleeps', { seconds: 0.6 }));
    const states = async () => (await runs()).map((run: { status: string }) => run.status);
    await expect
      .poll(states)
      .toEqual(expect.arrayContaining(['processing', 'processing', 'containerQueued', 'success']));
    expect((await Promise.all([first, second, third])).map((reply) => reply?.status)).toEqual([200, 200, 200]);
    const waits = (await runs()).map((run: { queueTimeMs: number }) => run.queueTimeMs);
    expect(Math.max(...waits.slice(0, 3))).toBeGreaterThan(150);
  });

  test('is listed with its runs, their timings and its container', async () => {
    // Each reading of the clock advances it by 1 ms, which must not count as a cold start.
    const clock = { now: Date.now() };
    const { call, runs, ask, path } = await running('functions', {}, { now: () => clock.now++ });
    clock.now += 60_000;
    await call('run');
    await call('run');
    const [latest, first] = await runs();
    expect(latest).toMatchObject({
      status: 'success',
      statusCode: 200,
      functionName: 'run',
      method: 'POST',
      async: false,
    });
    expect([first.coldstartTimeMs > 0, latest.coldstartTimeMs, latest.containerId]).toEqual([
      true,
      0,
      first.containerId,
    ]);
    const { json } = await ask('GET', `${path}/containers`);
    // The replica of the build had cooled down by then, which the list may not show yet.
    expect(json).toMatchObject([
      { containerId: first.containerId, containerState: 'RUNNING' },
      { containerState: expect.stringMatching(/^(SUCCEEDED|RUNNING)$/) },
    ]);
  });

  test('leaves no process behind when the emulator stops or resets, or the app is deleted', async () => {
    const { call, emulator, ask, path, deploy } = await running();
    await call('run');
    expect(children()).toHaveLength(1);
    await ask('DELETE', path);
    expect(children()).toEqual([]);
    await deploy({ name: 'functions' }, { 'main.py': 'def run():\n    pass\n' });
    await call('run');
    await emulator.reset();
    expect(children()).toEqual([]);
    await deploy({ name: 'functions' }, { 'main.py': 'import time\ndef run():\n    time.sleep(60)\n' });
    const waiting = call('run').catch((error: Error) => error.name);
    await expect.poll(() => children().length).toBe(1);
    await emulator.close();
    expect(children()).toEqual([]);
    expect(await waiting).toBe('TypeError');
  });
});

test.skipIf(!python)(
  'each call is served while builds are canceled and replaced before they are ready (needs python3)',
  async () => {
    const main = (version: number, more = '') => `${more}def run():\n    return ${version}\n`;
    const hangs = 'import threading\nthreading.Event().wait()\n';
    const files = { 'main.py': main(0) };
    const { ask, put, call, path, emulator } = await running('web', {}, { keepWarm: true, files });
    const upload = async (text: string) => {
      const { json } = await ask('POST', '/apps', { name: 'web' });
      const sent = put(json.uploadUrl, zip({ 'main.py': text }));
      return { build: `${path}/builds/${json.buildId}`, record: emulator.store.builds.get(json.buildId), sent };
    };
    const answers = async (...versions: number[]) => {
      const { status, json } = await call('run', {});
      expect([status, versions]).toEqual([200, expect.arrayContaining([json.result])]);
    };
    for (let version = 1; version <= 4; version += 1) {
      const hanging = await upload(main(-1, hangs));
      const during = answers(version - 1);
      await hanging.sent;
      await answers(version - 1);
      await expect.poll(() => children().length).toBe(2);
      const canceled = ask('DELETE', hanging.build);
      const next = await upload(main(version));
      await Promise.all([during, canceled, next.sent, answers(version - 1, version)]);
      await expect.poll(() => next.record?.script.end?.status).toBe('success');
      await answers(version);
    }
    await expect.poll(() => children().length).toBe(1);
  },
);

test.skipIf(!python)('a build that is canceled once its app has started replaces nothing (needs python3)', async () => {
  const main = (version: number) => ({ 'main.py': `def run():\n    return ${version}\n` });
  const { ask, put, call, path, emulator } = await running('web', {}, { pace: 500, files: main(1) });
  const answer = async () => (await call('run', {})).json.result;
  await expect.poll(answer, { timeout: 10_000 }).toBe(1);
  const { json } = await ask('POST', '/apps', { name: 'web' });
  await put(json.uploadUrl, zip(main(2)));
  const record = emulator.store.builds.get(json.buildId);
  await expect.poll(() => record?.script.end?.status).toBe('success');
  expect((await ask('DELETE', `${path}/builds/${json.buildId}`)).status).toBe(200);
  await expect.poll(() => children().length).toBe(1);
  expect([await answer(), children().length]).toEqual([1, 1]);
});

test.skipIf(!python)('a build that begins while the emulator stops starts nothing (needs python3)', async () => {
  const { emulator, ask, put } = await platform({ data: newFolder(), now: Date.now, real: true });
  const { json } = await ask('POST', '/apps', { name: 'web' });
  let closed = Promise.resolve();
  const choose = AppRunner.prototype.pythonFor;
  const spy = vi.spyOn(AppRunner.prototype, 'pythonFor').mockImplementationOnce(function (this: AppRunner, ...args) {
    closed = emulator.close();
    return setTimeout(20).then(() => choose.apply(this, args));
  });
  await put(json.uploadUrl, zip({ 'main.py': 'def run():\n    return 1\n' })).catch(() => {});
  await closed;
  spy.mockRestore();
  const { end } = emulator.store.builds.get(json.buildId)?.script ?? {};
  expect(end).toMatchObject({ status: 'failure', reason: 'the emulator was stopped during this build' });
  expect(children()).toEqual([]);
});

test.skipIf(!python)('a run that a restart interrupted has failed (needs python3)', async () => {
  const data = newFolder();
  const { call, emulator, path } = await running('functions', {}, { data });
  const { json } = await call('sleeps?async=true');
  // As if it was killed: only the state on disk is left.
  const readSaved = () => readFileSync(join(data, 'state.json'), 'utf8');
  await expect.poll(readSaved).toContain(json.run_id);
  const state = readSaved();
  await emulator.close();
  writeFileSync(join(data, 'state.json'), state);
  const { ask } = await platform({ data, now: Date.now });
  expect((await ask('GET', `${path}/runs/${json.run_id}`)).json.item).toMatchObject({
    status: 'failure',
    statusCode: 500,
  });
});

describe.skipIf(!python)('an asynchronous call (needs python3)', () => {
  test('is acknowledged immediately with its run id, and continues', async () => {
    const { call, ask, path } = await running();
    const { status, json, headers } = await call('later?async=true', { seconds: 0.2 });
    expect([status, json]).toEqual([202, { run_id: headers.get('x-request-id') }]);
    const look = async () => (await ask('GET', `${path}/runs/${json.run_id}`)).json.item;
    expect(await look()).toMatchObject({ async: true, completedAt: '' });
    await expect.poll(async () => (await look()).status).toBe('success');
    expect((await look()).runtimeMs).toBeGreaterThan(150);
  });

  test('can be canceled', async () => {
    const { call, ask, path, runs } = await running('functions', { replicaConcurrency: 1 });
    const { json } = await call('sleeps?async=true');
    await expect.poll(async () => (await runs())[0].status).toBe('processing');
    expect((await ask('DELETE', `${path}/runs/${json.run_id}`)).status).toBe(200);
    expect((await runs())[0]).toMatchObject({ status: 'cancelled', statusCode: 0 });
    expect((await call('run')).status).toBe(200);
  });
});
