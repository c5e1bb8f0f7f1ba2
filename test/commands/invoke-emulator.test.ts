import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { python, running } from '../emulator/support/running.ts';
import { expectNoTrace, gantry, type Setting } from '../support/index.ts';

/** Real time passes while it waits: an app needs it. */
const meanwhile = () => setTimeout(20);

/** The app of `fixtures/apps/functions`, and gantry beside it. */
async function functions(settings: object = {}) {
  const { emulator } = await running('functions', settings);
  const invoke = (line: string, setting: Setting = {}) =>
    gantry(`invoke functions ${line}`.split(' '), { emulator, meanwhile, ...setting });
  return { emulator, invoke };
}

describe.skipIf(!python)('a deployed app (needs python3)', () => {
  test('is called, and shows no secret', async () => {
    const { emulator, invoke } = await functions();
    const outcome = await invoke('run name=Ada');
    expect(outcome.code).toBe(0);
    expect(JSON.parse(outcome.stdout)).toMatchObject({ result: { greeting: 'hello Ada' } });
    expectNoTrace(outcome, emulator);
  });

  test('streams its response', async () => {
    const { invoke } = await functions();
    expect((await invoke('count to:=2')).stdout).toBe('{"number": 0}\n{"number": 1}\n');
  });

  test.each([
    ['breaks_off', 'cause: the code of the app raised RuntimeError: no second one'],
    ['dies_off', 'why the response of functions/dies_off was cut off after 13 B'],
  ])('%s, which fails after it has begun to answer, has failed: nothing says to try again', async (name, says) => {
    const { invoke } = await functions();
    const outcome = await invoke(`${name} --events`);
    expect(outcome).toExit(13, /run \S+ of functions failed/, says);
    expect(
      outcome.stdout
        .split('\n')
        .slice(0, 2)
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { type: 'event', data: 'first' },
      { type: 'error', error: { code: 'app-error', retryable: false } },
    ]);
  });

  test.each([
    ['fails', 13, 'functions/fails returned 500: ValueError: it went badly'],
    ['teapot', 13, 'functions/teapot returned 418'],
    ['run nam=Ada', 13, 'functions/run returned 422'],
    ['nothing', 6, 'functions/nothing not found'],
  ])('%s exits with %i', async (line, exit, message) => {
    const { invoke } = await functions();
    const { code, stdout, stderr } = await invoke(line);
    expect([code, stdout]).toEqual([exit, '']);
    expect(stderr).toContain(`error: ${message}`);
  });

  test('a body that is no call of the function is answered with what it takes, not with a log that has nothing', async () => {
    const { invoke } = await functions();
    const outcome = await invoke(`run --input ${process.cwd()}/LICENSE`);
    expect(outcome).toExit(13, /returned 400: .*\n(?: {2}why .*\n)? {2}fix pass the param/);
  });

  test('--wait exits like the run', async () => {
    const { invoke } = await functions();
    expect((await invoke('later --wait seconds:=0.1')).code).toBe(0);
    expect(await invoke('fails --wait')).toExit(13, /run \S+ of \S+ failed \(HTTP 500\)/);
  });

  test('--await-webhook prints the delivered result', async () => {
    const { invoke } = await functions();
    const { code, json } = await invoke('later --await-webhook --json seconds:=0.1');
    expect(code).toBe(0);
    expect(json()).toMatchObject({ run: expect.any(String), body: { result: 'done' } });
    expect((await invoke('fails --await-webhook')).code).toBe(13);
  });

  test('prints a repeated delivery once', async () => {
    const { emulator, invoke } = await functions();
    emulator.fail('webhook', 'twice');
    const { code, stdout } = await invoke('run --await-webhook');
    expect([code, stdout.match(/run_id/g)]).toEqual([0, ['run_id']]);
  });
});

describe('an app that requires a token', () => {
  test('gets it, and is not called without it', async () => {
    const { invoke } = await functions({ disableAuth: false });
    expect((await invoke('run')).code).toBe(0);
    expect(await invoke('run --no-auth')).toExit(4, 'omit --no-auth');
  });

  test('does not accept the token of a login', async () => {
    const { emulator, invoke } = await functions({ disableAuth: false });
    const token = emulator.issueToken({ token_use: 'access' } as never);
    expect(await invoke('run', { env: { GANTRY_TOKEN: token } })).toExit(4, 'GANTRY_INFERENCE_KEY');
  });

  test('a missing app is distinguished from a missing function', async () => {
    const { emulator } = await functions();
    expect(await gantry(['invoke', 'functoins'], { emulator })).toExit(6, 'app functoins not found');
  });
});
