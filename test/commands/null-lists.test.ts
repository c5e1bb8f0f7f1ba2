import { describe, expect, test } from 'vitest';
import type { FaultTarget } from '../../src/emulator/model/faults.ts';
import { deployWeb, emulatorForEach, gantry, inFrontOf, newFolder } from '../support/index.ts';

// The platform replies with null where a list has no items.

const emulator = emulatorForEach({ real: false });

const noFiles = 'the folder is empty';
const noRuns = 'no runs match; those of the last seconds may be missing, and --since goes further back';
const noSecrets = 'no secrets yet: add one with gantry secrets set NAME';

test.each<[string, FaultTarget, note: string]>([
  ['ls', 'listFolder', noFiles],
  ['ls --recursive', 'listFolder', noFiles],
  ['volumes list', 'listVolumes', 'the platform reports no volumes'],
  [
    'apps list',
    'listApps',
    'no apps yet; gantry deploy creates one; gantry apps list --ephemeral shows those of one-off runs',
  ],
  ['apps containers web', 'listContainers', 'no containers are listed; an app may have none until it is called'],
  ['builds list web', 'listBuilds', 'no builds yet'],
  ['runs list web', 'listRuns', noRuns],
  ['runs list web --since 1h', 'getRunsChart', noRuns],
  ['logs web', 'getAppLogs', 'no log lines yet: they take some seconds to arrive; -f waits for them'],
  ['secrets list', 'getProjectSecrets', noSecrets],
  ['secrets list --app web', 'getAppSecrets', `${noSecrets} --app web`],
  ['projects list', 'listProjects', 'the token has no access to any project'],
  ['users list', 'listUsers', 'no users or invitations'],
  ['service-accounts list', 'listServiceAccounts', 'no service accounts yet: create one in the dashboard'],
  ['api-keys list', 'listApiKeys', 'no API keys yet: create one in the dashboard'],
  ['plan invoices', 'listInvoices', 'no invoices yet'],
  ['plan payment-methods', 'listPaymentMethods', 'no payment methods yet; add one in the dashboard'],
])('%s is an empty list with a note', async (line, target, note) => {
  await deployWeb(emulator);
  emulator.fail(target, 'null*');
  const { code, stdout, stderr } = await gantry(line.split(' '), { emulator });
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: `${note}\n` });
  // In JSON, what is not a list of gantry is passed through.
  const whole = { logs: '{"type":"result"}\n', volumes: 'null\n' }[line.split(' ')[0] ?? ''] ?? '[]\n';
  if (!line.includes('payment'))
    expect((await gantry([...line.split(' '), '--json'], { emulator })).stdout).toBe(whole);
});

test.each<[string, FaultTarget]>([
  ['volumes usage', 'listFolder'],
  ['cost', 'getProjectCost'],
])('%s is of nothing', async (line, target) => {
  await deployWeb(emulator);
  emulator.fail(target, 'null*');
  const { code, stderr } = await gantry(line.split(' '), { emulator });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringMatching(/warning|could not be read/) });
});

describe('a folder that does not exist, on a platform that lists it as null', () => {
  test.each([
    ['ls :/no', 6],
    ['ls --recursive :/no', 6],
    ['cat :/no/a', 6],
    ['cp :/no/a b', 6],
    ['cp :/no b', 6],
    ['sync :/no b', 6],
    ['rm :/no/a --yes', 6],
    ['rm -r :/no --confirm default:/no', 6],
    ['rm -r :/no/ --confirm default:/no/', 6],
    ['ls', 0],
    ['cp a :/no/a', 0],
    ['sync . :/no', 0],
  ])('%s ends with %i', async (line, exit) => {
    const cwd = newFolder({ a: 'x' });
    const env = await inFrontOf(emulator, async ({ route }, pass) => {
      if (!route.endsWith('/ls')) return undefined;
      const reply = await pass();
      return reply.status === 404 || reply.body === '[]' ? { body: 'null' } : reply;
    });
    const { code, stderr } = await gantry(line.split(' '), { emulator, cwd, env });
    expect({ code, stderr }).toEqual({ code: exit, stderr: expect.not.stringContaining('could not be read') });
  });
});
