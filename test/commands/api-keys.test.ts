import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/index.ts';
import { empty } from '../support/account.ts';
import { gantry, wideTerminal } from '../support/gantry.ts';

let emulator: Emulator;

beforeEach(async () => {
  emulator = await startEmulator();
});

afterEach(() => emulator.close());

test('keys are listed with what is left of their time, the first to expire first', async () => {
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

test('no key is said, in text or in JSON, unless it is asked for', async () => {
  for (const flags of [[], ['--json'], ['--debug']]) {
    const { stdout, stderr } = await gantry(['api-keys', 'list', ...flags], { emulator });
    expect(stdout + stderr).not.toContain('eyJ');
  }
  const { json } = await gantry(['api-keys', 'list', '--json=apiKey'], { emulator });
  expect(json()).toEqual(Array(4).fill({ apiKey: null }));
});

test('with --show-values keys are said in full, on a narrow terminal too', async () => {
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

test('who may not see service accounts sees their ids', async () => {
  emulator.fail('listServiceAccounts', 403);
  const { code, stdout } = await gantry(['api-keys', 'list'], { emulator });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^deploys-2026\t.*\tsa-ci\t/m);
});

test.each(['500*', 'html*', 'malformed*', '401'])(
  'keys are listed although service accounts answer %s',
  async (fault) => {
    emulator.fail('listServiceAccounts', fault);
    const { code, stdout, stderr } = await gantry(['api-keys', 'list'], { emulator });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^deploys-2026\t.*\tsa-ci\t/m);
    expect(stderr).toContain('warning: cannot read the names of service accounts: ');
  },
);

test('no keys are an empty list', async () => {
  empty(emulator);
  const text = await gantry(['api-keys', 'list'], { emulator });
  expect([text.code, text.stdout]).toEqual([0, '']);
  expect(text.stderr).toBe('no API keys yet: create one in the dashboard\n');
  expect((await gantry(['api-keys', 'list', '--json'], { emulator })).stdout).toBe('[]\n');
});
