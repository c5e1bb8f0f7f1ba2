import { getEventListeners } from 'node:events';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { emulatorForAll } from '../support/emulators.ts';
import {
  deployWeb,
  gantry,
  jsonLines,
  print as printOn,
  record,
  type Setting,
  startEmulator,
} from '../support/index.ts';

const createdAt = Date.now() - 90_000;

const emulator = emulatorForAll({ real: false });

beforeAll(async () => {
  await deployWeb(emulator);
});

beforeEach(() => {
  emulator.store.runs.clear();
  emulator.calls.length = 0;
});

function print(run: string, text: string, stream: 'stdout' | 'stderr' = 'stdout') {
  printOn(emulator, text, { stream, run });
}

describe('following a run', () => {
  const follow = (run: string, flags: string[] = [], setting: Setting = {}) =>
    gantry(['logs', 'web', '--run', run, '-f', ...flags], { emulator, ...setting });

  test('prints the output of a run that has ended', async () => {
    record(emulator, { id: 'f-1', createdAt });
    print('f-1', 'one');
    print('f-1', 'aside', 'stderr');
    print('f-other', 'of another run');
    const { code, stdout, stderr, waits } = await follow('f-1');
    expect([code, stdout, waits, stderr]).toEqual([0, 'one\naside\n', [], '']);
  });

  test('keeps no line once it has ended: a server (gantry mcp) follows many', async () => {
    const joined = vi.spyOn(AbortSignal, 'any');
    onTestFinished(() => joined.mockRestore());
    record(emulator, { id: 'f-kept', createdAt, runtimeMs: 1e12 });
    print('f-kept', 'one');
    const meanwhile = () => record(emulator, { id: 'f-kept', createdAt });
    expect((await follow('f-kept', [], { meanwhile })).code).toBe(0);
    const signals = joined.mock.results.map(({ value }) => value as AbortSignal);
    expect(signals.length).toBeGreaterThan(0);
    expect(signals.flatMap((signal) => getEventListeners(signal, 'abort'))).toEqual([]);
  });

  test('prints lines as they arrive, each once, including two that are equal', async () => {
    record(emulator, { id: 'f-2', createdAt, runtimeMs: 1e12 });
    print('f-2', 'begins');
    let looks = 0;
    const meanwhile = () => {
      looks += 1;
      if (looks === 2) for (const text of ['same', 'same', '', 'tick\rtock']) print('f-2', text);
      if (looks === 4) record(emulator, { id: 'f-2', createdAt });
    };
    expect(await follow('f-2', [], { meanwhile })).toPrint('begins\nsame\nsame\n\ntock\n');
  });

  test('waits some seconds for a run that another command has just started, and no longer', async () => {
    let looks = 0;
    const meanwhile = () => {
      looks += 1;
      if (looks !== 3) return;
      record(emulator, { id: 'f-late', createdAt });
      print('f-late', 'late');
    };
    expect(await follow('f-late', [], { meanwhile })).toPrint('late\n');
    const missing = await follow('f-never', ['--json']);
    expect([missing.code, missing.waits.reduce((sum, ms) => sum + ms, 0) < 10_000]).toEqual([6, true]);
  });

  test.each([
    [503, 'failed', 'failed'],
    [0, 'canceled', 'was canceled'],
    [-1, 'closed', 'was closed'],
  ])('exits with 13 if it ends with %i', async (statusCode, status, said) => {
    record(emulator, { id: 'f-3', createdAt, statusCode });
    const outcome = await follow('f-3', ['--json'], { clock: { now: createdAt } });
    expect(outcome).toExit(13, `run f-3 of web ${said}`);
    expect(JSON.parse(outcome.stdout.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      error: { details: { run: 'f-3', status } },
    });
  });

  test('tolerates a failed poll and a log that cannot be read', async () => {
    record(emulator, { id: 'f-4', createdAt });
    print('f-4', 'one');
    emulator.fail('getRun', ...Array(6).fill('503'));
    emulator.fail('getAppLogs', '500', '500', '500', '500', '500');
    expect(await follow('f-4')).toExit(0, 'retrying in', 'cannot read the log: ');
  });

  test('does not wait for a log that hangs once the result is known', async () => {
    const mute = await startEmulator({ real: false });
    onTestFinished(() => mute.close());
    await deployWeb(mute);
    record(mute, { id: 'f-6', createdAt });
    mute.fail('getAppLogs', 'stall*');
    const { code, stderr } = await follow('f-6', [], { emulator: mute, io: { silenceMs: 500 } });
    expect([code, stderr]).toEqual([0, expect.stringContaining('warning: cannot read the log: ')]);
  });

  test('exits with 8 at --timeout, and Ctrl-C does not cancel the run', async () => {
    record(emulator, { id: 'f-5', createdAt, runtimeMs: 1e12 });
    print('f-5', 'still here', 'stderr');
    expect((await follow('f-5', ['--timeout', '3s'])).code).toBe(8);
    const stopped = await follow('f-5', [], { stop: /still here/ });
    expect(stopped).toExit(130, 'stopped following; run f-5 continues; to follow it: gantry logs web --run f-5 -f');
    expect(emulator.calls.filter(({ endpoint }) => endpoint === 'cancelRun')).toEqual([]);
  });
});

describe('the log of a run', () => {
  const logs = (run: string, ...flags: string[]) => gantry(['logs', 'web', '--run', run, ...flags], { emulator });

  test('shows all output, with times if requested', async () => {
    record(emulator, { id: 'l-1', createdAt });
    for (const text of ['one', '', 'two']) print('l-1', text);
    expect((await logs('l-1')).stdout).toBe('one\n\ntwo\n');
    expect((await logs('l-1', '--timestamps')).stdout).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ one\n/);
    const { stdout } = await logs('l-1', '--json');
    const lines = jsonLines(stdout);
    expect(lines.map(({ logLine, stream }) => [logLine, stream])).toEqual([
      ['one', 'stdout'],
      ['', 'stdout'],
      ['two', 'stdout'],
      [undefined, undefined],
    ]);
  });

  test('may be empty; exits with 6 if the run does not exist', async () => {
    record(emulator, { id: 'l-2', createdAt });
    const empty = await logs('l-2');
    expect([empty.code, empty.stdout, empty.stderr]).toEqual([
      0,
      '',
      'it has ended, and no line of the log is of it\n',
    ]);
    expect((await logs('l-none')).code).toBe(6);
  });

  test('is shown even if the run cannot be read', async () => {
    record(emulator, { id: 'l-4', createdAt });
    print('l-4', 'one');
    emulator.fail('getRun', '403');
    expect(await logs('l-4')).toMatchObject({ code: 0, stdout: 'one\n' });
  });

  test('fails if it cannot be read', async () => {
    record(emulator, { id: 'l-3', createdAt });
    emulator.fail('getAppLogs', '403');
    expect((await logs('l-3')).code).toBe(5);
  });
});
