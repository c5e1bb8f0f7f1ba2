import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deployWeb, emulatorForAll, expectErrorDocument, gantry, record, wideTerminal } from '../support/index.ts';

const createdAt = Date.now() - 90_000;
const goesOn = { createdAt, runtimeMs: 1e12 };

const emulator = emulatorForAll({ real: false });

beforeAll(async () => {
  await deployWeb(emulator);
});

beforeEach(() => {
  emulator.store.runs.clear();
  emulator.calls.length = 0;
});

describe('one run', () => {
  const get = (...flags: string[]) => gantry(['runs', 'get', 'web', 'r-1', ...flags], { emulator, ...wideTerminal });

  test('shows all fields, with local times', async () => {
    record(emulator, {
      id: 'r-1',
      createdAt,
      coldstartMs: 2_400,
      containerQueueMs: 2_500,
      runtimeMs: 10_000,
      async: true,
      webhookEndpoint: 'https://example.com/hook',
    });
    const { code, stdout } = await get();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^RUN\nid +r-1\nstatus +succeeded\nstatus code +200\nkind +call\nfunction +run\n/);
    expect(stdout).toMatch(/^method +POST, asynchronous\nwebhook +https:\/\/example\.com\/hook$/m);
    expect(stdout).toContain(`${local(createdAt)} (1 min ago)`);
    expect(stdout).toMatch(/^queued +2\.5 s\nstart-up +2\.4 s\nran +10 s\nresponse +13 s$/m);
    expect(stdout).toMatch(/^container +web-1$/m);
  });

  test('shows no end while it is in progress', async () => {
    record(emulator, { id: 'r-1', ...goesOn });
    const { stdout } = await get();
    expect(stdout).toMatch(/^status +in progress$/m);
    expect(stdout).not.toMatch(/^(completed|ran|answered|status code) /m);
  });

  test('passes the reply through in JSON, with times in UTC', async () => {
    record(emulator, { id: 'r-1', createdAt });
    const { json } = await get('--json');
    expect(json()).toMatchObject({ id: 'r-1', status: 'success', createdAt: new Date(createdAt).toISOString() });
  });
});

describe('canceling a run', () => {
  const cancel = (flags: string[], more = {}) =>
    gantry(['runs', 'cancel', 'web', 'r-1', ...flags], { emulator, ...more });
  const cancelled = () => emulator.store.runs.get('r-1')?.cancelledAt !== undefined;
  const sent = () => emulator.calls.filter(({ endpoint }) => endpoint === 'cancelRun').length;

  test('cancels with --yes', async () => {
    record(emulator, { id: 'r-1', ...goesOn });
    expect(await cancel(['--yes'])).toPrint('canceled run r-1\n');
    expect(cancelled()).toBe(true);
  });

  test('does not ask if the run is already canceled', async () => {
    record(emulator, { id: 'r-1', ...goesOn });
    await cancel(['--yes']);
    expect(await cancel([])).toPrint('nothing to change: run r-1 is already canceled\n');
    expect((await cancel(['--json'])).json()).toMatchObject({
      app: 'web',
      run: 'r-1',
      status: 'canceled',
      changed: false,
    });
    expect(sent()).toBe(1);
  });

  test.each([
    [200, 'succeeded'],
    [503, 'failed'],
  ])('exits with 7 if the run has ended with %i', async (statusCode, state) => {
    record(emulator, { id: 'r-1', createdAt, statusCode });
    const outcome = await cancel(['--yes', '--json']);
    expect(outcome).toExit(7, `\nerror: run r-1 of web has already ended: ${state}\n  fix gantry runs get web r-1\n`);
    expectErrorDocument(outcome);
    expect(sent()).toBe(0);
  });

  test('succeeds if the first reply was lost', async () => {
    record(emulator, { id: 'r-1', ...goesOn });
    emulator.fail('cancelRun', 'reset-after');
    const { code, stdout } = await cancel(['--yes']);
    expect(code).toBe(0);
    expect(stdout).toContain('run r-1 is already canceled');
    expect(sent()).toBe(2);
  });

  test('shows the platform’s refusal', async () => {
    record(emulator, { id: 'r-1', ...goesOn });
    emulator.fail('cancelRun', 409);
    expect((await cancel(['--yes'])).code).toBe(7);
    expect(cancelled()).toBe(false);
  });
});

/** The same time in the local time zone. */
function local(time: number): string {
  const at = new Date(time);
  return new Date(time - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19).replace('T', ' ');
}
