import { beforeEach, expect, test } from 'vitest';
import { empty, emulatorForEach, gantry, newFolder, smallApp } from '../support/index.ts';

/** A title, a cleared screen, a cursor one line up, a bell, text that runs backwards, a line of its own, a command. */
const hostile = 'na\u001b]0;owned\u0007\u001b[2J\u001b[1A\u009b1A\u0007\u202eme\r\n::error::owned';

const emulator = emulatorForEach({ real: false });

beforeEach(async () => {
  await gantry(['deploy'], { emulator, cwd: newFolder(smallApp()) });
  const { store, project } = emulator;
  const web = store.apps.get(`${project}-web`);
  if (!web) throw new Error('it was not deployed');
  store.apps.set(web.id, {
    ...web,
    name: hostile,
    settings: { ...web.settings, region: hostile, pythonVersion: hostile },
  });
  store.secrets.set(project, { [hostile]: hostile });
  const one = { id: hostile, name: hostile, projectId: project };
  empty(emulator, {
    keys: [{ ...one, apiKey: hostile, description: hostile, source: hostile, status: hostile }],
    users: [{ ...one, email: hostile, firstName: hostile, lastName: hostile, role: hostile, status: hostile }],
    serviceAccounts: [{ ...one, description: hostile, grants: [hostile] }],
    paymentMethods: [{ brand: hostile, last4: '1234' }, { hostile }],
    invoices: [{ id: hostile, amountDue: 1, currency: hostile, paymentStatus: hostile, createdAt: hostile }],
  });
});

test.each([
  ...['apps list', 'apps get web', 'secrets list', 'secrets list --show-values', 'api-keys list', 'users list'],
  ...['service-accounts list', 'plan payment-methods', 'plan invoices'],
])('gantry %s does not let text of the platform control the terminal or the CI system', async (line) => {
  for (const setting of [{}, { columns: 80 }, { env: { GITHUB_ACTIONS: 'true' } }]) {
    const { code, stdout, stderr } = await gantry(line.split(' '), { emulator, ...setting });
    expect([code, stderr]).toEqual([0, '']);
    const plain = stdout.replace(/\u001b\[[\d;]*m/g, '');
    expect(plain).toMatch(/name/);
    expect(plain).not.toMatch(/[\u001b\u0007\r\u009b\u202e]|0;owned/);
    if ('env' in setting) expect(plain).not.toMatch(/^\s*::/m);
  }
});

test('text of the platform cannot control them either if a command fails', async () => {
  const { secrets } = emulator.store;
  const get = secrets.get.bind(secrets);
  let readings = 0;
  secrets.get = (owner) => {
    readings += 1;
    return readings === 1 ? get(owner) : {};
  };
  const { code, stderr } = await gantry(['secrets', 'set', 'A', '--from-env'], { emulator, env: { A: '1' } });
  expect(code).toBe(7);
  expect(stderr).toContain('in the meantime: name');
  expect(stderr).not.toMatch(/[\u001b\u0007\r\u009b\u202e]|0;owned/);
});
