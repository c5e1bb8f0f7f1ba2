import { expect, test } from 'vitest';
import { emulatorForEach, gantry, inFrontOf, newFolder, smallApp, wideTerminal, widthOf } from '../support/index.ts';

const emulator = emulatorForEach({ real: false });

test('--quiet hides the note', async () => {
  const { stdout, stderr } = await gantry(['apps', 'list', '--quiet'], { emulator });
  expect([stdout, stderr]).toEqual(['', '']);
});

test('lists apps, the last deployed first', async () => {
  await deploy('one');
  await deploy('two');
  await deploy('one');
  const { stdout } = await gantry(['apps', 'list'], { emulator, ...wideTerminal });
  expect(stdout.split('\n').map((line) => line.split(' ')[0])).toEqual(['NAME', 'one', 'two', '']);
  const piped = await gantry(['apps', 'list'], { emulator });
  expect(piped.stdout.split('\n').map((line) => line.split('\t')[0])).toEqual(['one', 'two', '']);
});

test.each([
  [1, undefined],
  [2, 'app-1, app-2'],
  [10, 'app-1, app-2, app-3, app-4, app-5, app-6, app-7, app-8, app-9, app-10'],
  [11, 'app-1, app-2, app-3, app-4, app-5, app-6, app-7, app-8, app-9, app-10, …'],
])('where an app is to be named, says which there are: %i of them', async (count, shown) => {
  const apps = Array.from({ length: count }, (_, at) => ({ id: `${emulator.project}-app-${at + 1}` }));
  const env = await inFrontOf(emulator, ({ route }) =>
    route.endsWith('/apps') ? { body: JSON.stringify(apps) } : undefined,
  );
  const { code, stderr } = await gantry(['apps', 'get'], { emulator, env, cwd: newFolder() });
  expect(code).toBe(2);
  expect(/^ {2}why (.*)$/m.exec(stderr)?.[1]).toBe(shown && `${emulator.project} has ${shown}`);
});

test('lists apps of one-off runs only with --ephemeral', async () => {
  await deploy('web');
  const id = `${emulator.project}-web`;
  const record = emulator.store.apps.get(id);
  if (!record) throw new Error('it was not deployed');
  emulator.store.apps.set(`${emulator.project}-run`, {
    ...record,
    id: `${emulator.project}-run`,
    name: 'run',
    ephemeral: true,
  });
  expect((await gantry(['apps', 'list', '--json=name'], { emulator })).json()).toEqual([{ name: 'web' }]);
  expect((await gantry(['apps', 'list', '--ephemeral', '--json=name,ephemeral'], { emulator })).json()).toEqual(
    expect.arrayContaining([
      { name: 'run', ephemeral: true },
      { name: 'web', ephemeral: null },
    ]),
  );
});

test('keeps the name and the status whole on a narrow terminal', async () => {
  await deploy('a-name-as-long-as-names-may-be-1');
  for (const columns of [46, 60, 80, 120]) {
    const { stdout } = await gantry(['apps', 'list'], { emulator, columns, env: { NO_COLOR: '1' } });
    for (const line of stdout.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(columns);
    expect(stdout).toMatch(/^a-name-as-long-as-names-may-be-1 {2}ready/m);
  }
});

test('shows all fields of an app, and whether anyone can call it', async () => {
  await deploy('web', 'disable_auth = true\n');
  const { stdout } = await gantry(['apps', 'get', 'web'], { emulator, ...wideTerminal });
  expect(stdout).toMatch(/^STATE\nname +web\n/);
  expect(stdout).toContain('none: anyone can call it');
  expect(stdout).toMatch(/replicas +0 to 1/);
});

test('prints numbers in JSON even if the platform sends text', async () => {
  await deploy('web');
  const { json } = await gantry(['apps', 'get', 'web', '--json=cpu,maxReplicaCount,port'], { emulator });
  expect(json()).toEqual({ cpu: 2, maxReplicaCount: 1, port: 8000 });
});

test('shows why the build of an app failed', async () => {
  emulator.fail('build', 'build_failure');
  await deploy('web');
  expect((await gantry(['apps', 'get', 'web'], { emulator })).stdout).toMatch(/^last error\tpip install failed/);
});

async function deploy(name: string, more = ''): Promise<void> {
  const app = newFolder({
    ...smallApp(),
    'cerebrium.toml': `[cerebrium.deployment]\nname = "web"\n${more}`,
  });
  await gantry(['deploy', '--name', name], { emulator, cwd: app });
}

test('a setting that is null is not known: not shown, and absent in JSON', async () => {
  await deploy('one');
  const unknown = { disableAuth: null, minReplicaCount: null, gpuCount: null, updatedAt: null };
  const env = await inFrontOf(emulator, async ({ route }, pass) => {
    if (!/^GET .*\/apps\/[^/]+$/.test(route)) return undefined;
    return { body: JSON.stringify({ ...JSON.parse((await pass()).body), ...unknown }) };
  });
  const { stdout } = await gantry(['apps', 'get', 'one'], { emulator, env });
  expect(stdout).not.toMatch(/authentication|null|updated/);
  expect(stdout).toMatch(/replicas\s+\? to/);
  const { json } = await gantry(['apps', 'get', 'one', '--json'], { emulator, env });
  for (const field of Object.keys(unknown)) expect(json()).not.toHaveProperty(field);
});
