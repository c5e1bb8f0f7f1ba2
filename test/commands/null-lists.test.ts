import { describe, expect, test } from 'vitest';
import type { FaultTarget } from '../../src/emulator/model/faults.ts';
import { emulatorForEach } from '../support/emulators.ts';
import { newFolder } from '../support/files.ts';
import { gantry } from '../support/gantry.ts';
import { inFrontOf } from '../support/in-front-of.ts';
import { deployWeb } from '../support/runs.ts';

// The platform replies with null where a list has no items.

const emulator = emulatorForEach({ real: false });

test.each<[string, FaultTarget]>([
  ['ls', 'listFolder'],
  ['ls --recursive', 'listFolder'],
  ['volumes usage', 'listFolder'],
  ['volumes list', 'listVolumes'],
  ['apps list', 'listApps'],
  ['apps containers web', 'listContainers'],
  ['builds list web', 'listBuilds'],
  ['runs list web', 'listRuns'],
  ['runs list web --since 1h', 'getRunsChart'],
  ['logs web', 'getAppLogs'],
  ['secrets list', 'getProjectSecrets'],
  ['secrets list --app web', 'getAppSecrets'],
  ['projects list', 'listProjects'],
  ['users list', 'listUsers'],
  ['service-accounts list', 'listServiceAccounts'],
  ['api-keys list', 'listApiKeys'],
  ['plan invoices', 'listInvoices'],
  ['plan payment-methods', 'listPaymentMethods'],
  ['cost', 'getProjectCost'],
])('%s shows an empty list', async (line, target) => {
  await deployWeb(emulator);
  emulator.fail(target, 'null*');
  const { code, stderr } = await gantry(line.split(' '), { emulator });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringMatching(/warning|could not be read/) });
});

describe.each(['null', '[]'])('a folder that does not exist, on a platform that lists it as %s', (nothing) => {
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
      return reply.status === 404 || reply.body === '[]' ? { body: nothing } : reply;
    });
    const { code, stderr } = await gantry(line.split(' '), { emulator, cwd, env });
    expect({ code, stderr }).toEqual({ code: exit, stderr: expect.not.stringContaining('could not be read') });
  });
});
