import { beforeAll, describe, expect, test } from 'vitest';
import { answering, deployWeb, empty, emulatorForAll, gantry } from '../support/index.ts';

/** So many of each there are. */
const number = 240;
const many = <Entry>(make: (index: number) => Entry) => Array.from({ length: number }, (_, index) => make(index));
const at = (index: number) => new Date(Date.now() - index * 60_000).toISOString();

const emulator = emulatorForAll({ real: false });

beforeAll(async () => {
  await deployWeb(emulator);
  const { store, project } = emulator;
  empty(emulator, {
    keys: many((index) => ({ id: `k-${index}`, name: `key ${index}`, apiKey: 'x', expiresAt: 'never' })),
    users: many((index) => ({
      id: `u-${index}`,
      email: `u${index}@example.com`,
      status: index % 2 ? 'active' : 'invited',
    })),
    serviceAccounts: many((index) => ({ id: `sa-${index}`, name: `sa ${index}` })),
  });
  const [app] = store.apps.values();
  const [build] = store.builds.values();
  if (!app || !build) throw new Error('web was not deployed');
  for (let index = 1; index < number; index++) {
    store.apps.set(`${project}-a${index}`, { ...app, id: `${project}-a${index}`, name: `a${index}` });
    store.builds.set(`b-${index}`, { ...build, id: `b-${index}` });
  }
});

describe.each([
  ['apps list', '240 apps'],
  ['builds list web', '240 builds'],
])('gantry %s', (line, all) => {
  const list = (...flags: string[]) => gantry([...line.split(' '), ...flags], { emulator });

  test('shows a hundred entries, and says that there are more', async () => {
    const { code, stdout, stderr } = await list();
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n')).toHaveLength(100);
    expect(stderr).toBe(`showing 100 of ${all}; pass --all to show the rest\n`);
    const inJson = await list('--json');
    expect([(inJson.json() as unknown[]).length, inJson.stderr]).toEqual([100, stderr]);
  });

  test('shows the first entries with --limit', async () => {
    const [three, whole] = [await list('--limit', '3', '--json'), await list('--all', '--json')];
    expect(three.json()).toEqual((whole.json() as unknown[]).slice(0, 3));
    expect([(whole.json() as unknown[]).length, whole.stderr]).toEqual([number, '']);
    expect((await list('--limit', '240')).stderr).toBe('');
    expect((await list('--limit', '5', '--quiet')).stderr).toBe('');
  });

  test.each([['--limit=0'], ['--limit=some'], ['--limit=5', '--all']])(
    'refuses %s %s with exit code 2',
    async (...flags) => {
      emulator.calls.length = 0;
      expect((await list(...flags.filter(Boolean))).code).toBe(2);
      expect(emulator.calls).toEqual([]);
    },
  );
});

test.each(['api-keys list', 'users list', 'service-accounts list'])('gantry %s shows all', async (line) => {
  expect((await gantry(line.split(' '), { emulator })).stdout.trimEnd().split('\n')).toHaveLength(number);
});

describe('apps are sorted, those that were changed last first', () => {
  const apps = [
    { id: 'p-12345678-Beta', name: 'Beta', updatedAt: at(2) },
    { id: 'p-12345678-alpha', name: 'alpha', updatedAt: at(3) },
    { id: 'p-12345678-gamma', updatedAt: at(1) },
    { id: 'p-12345678-delta', name: 'delta' },
  ].map((app) => ({ ...app, projectId: 'p-12345678' }));

  test.each([
    [[], ['gamma', 'Beta', 'alpha', 'delta']],
    [
      ['--limit', '2'],
      ['gamma', 'Beta'],
    ],
  ])('with %j: %j', async (flags, names) => {
    const env = { GANTRY_API_URL: await answering(apps) };
    const { json } = await gantry(['apps', 'list', '--json=id', ...flags], { emulator, env });
    expect(json()).toEqual(names.map((name) => ({ id: `p-12345678-${name}` })));
  });

  test('and picked by a text in their name', async () => {
    const env = { GANTRY_API_URL: await answering(apps) };
    const search = (text: string) => gantry(['apps', 'list', '--search', text, '--json=name'], { emulator, env });
    expect((await search('lt')).json()).toEqual([{ name: 'delta' }]);
    expect((await search('x')).stderr).toBe('no name contains x\n');
  });
});
