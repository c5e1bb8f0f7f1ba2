import { expect, test } from 'vitest';
import { emulatorForEach, gantry, wideTerminal } from '../support/index.ts';

const emulator = emulatorForEach();

test('lists keys with their remaining time, the first to expire first', async () => {
  const { code, stdout } = await gantry(['api-keys', 'list'], { emulator, ...wideTerminal });
  expect(code).toBe(0);
  expect(stdout.trimEnd().split('\n')).toEqual([
    'NAME          SOURCE           STATUS   OWNER    EXPIRES',
    'deploys-2025  service_account  expired  ci       expired',
    'deploys-2026  service_account  active   ci       in 12 d',
    'dashboards    service_account  active   metrics  in 200 d',
    'inference     cerebrium_jwt    active   -        never',
  ]);
});

test('shows no key, in text or JSON, unless requested', async () => {
  for (const flags of [[], ['--json'], ['--debug']]) {
    const { stdout, stderr } = await gantry(['api-keys', 'list', ...flags], { emulator });
    expect(stdout + stderr).not.toContain('eyJ');
  }
  const { json } = await gantry(['api-keys', 'list', '--json=apiKey'], { emulator });
  expect(json()).toEqual(Array(4).fill({ apiKey: null }));
});

test('--show-values shows whole keys, also on a narrow terminal', async () => {
  const all = await gantry(['api-keys', 'list', '--show-values', '--json'], { emulator });
  const keys = all.json() as { apiKey: string; name: string; owner: string | null }[];
  const { stdout } = await gantry(['api-keys', 'list', '--show-values'], { emulator, columns: 40 });
  for (const { apiKey, name } of keys) {
    expect(apiKey).toMatch(/^eyJ/);
    expect(stdout).toContain(apiKey);
    expect(stdout).toContain(name);
  }
  expect(keys.map(({ owner }) => owner)).toEqual(['ci', 'ci', 'metrics', null]);
});

test('shows the ids of service accounts if their names may not be read', async () => {
  emulator.fail('listServiceAccounts', 403);
  expect(await gantry(['api-keys', 'list'], { emulator })).toPrint(/^deploys-2026\t.*\tsa-ci\t/m);
});

test.each(['500*', 'html*', 'malformed*', '401'])(
  'lists keys although the service accounts reply with %s',
  async (fault) => {
    emulator.fail('listServiceAccounts', fault);
    const { code, stdout, stderr } = await gantry(['api-keys', 'list'], { emulator });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^deploys-2026\t.*\tsa-ci\t/m);
    expect(stderr).toContain('warning: cannot read the names of service accounts: ');
  },
);
