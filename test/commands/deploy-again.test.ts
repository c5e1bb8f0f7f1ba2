import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { altering, emulatorForEach, gantry, newFolder, smallApp } from '../support/index.ts';

/** State of the replicas of all builds, and of the app. */
let replicas: string;
let status: string | undefined;
let builds: string[];
let front: Record<string, string>;

const emulator = emulatorForEach({ real: false });

beforeEach(async () => {
  [replicas, status, builds] = ['RUNNING', undefined, []];
  front = await altering(emulator, (method, path, json) => {
    if (method === 'POST' && path.endsWith('/apps')) builds.push((json as { buildId: string }).buildId);
    if (method === 'GET' && path.endsWith('-web') && status) return { body: { ...(json as object), status } };
    const containers = builds.map((buildId) => ({ containerId: `c-${buildId}`, buildId, containerState: replicas }));
    return path.endsWith('/containers') ? { body: containers } : undefined;
  });
});

const line = ['--if-changed', '--watch', '10s'];

/** The same app, typed on a machine that remembers, or on a new one. */
async function deploy(home: string, flags = line) {
  const app = newFolder(smallApp());
  const env = { ...front, GANTRY_CONFIG_DIR: home };
  const { code, stderr, json } = await gantry(['deploy', '--json', ...flags], { emulator, cwd: app, env });
  return { code, stderr, json };
}

test.each([
  ['on the same machine', (home: string) => home],
  ['on a new machine', () => newFolder()],
])('the same line typed again over a crashing app fails again, %s', async (_, next) => {
  const home = newFolder();
  replicas = 'FAILED';
  expect((await deploy(home)).code).toBe(12);
  const { code, stderr } = await deploy(next(home));
  expect([code, builds.length]).toEqual([12, 1]);
  expect(stderr).toContain('is not healthy');
});

test('a build that was found healthy is not watched again', async () => {
  const home = newFolder();
  const first = await deploy(home);
  const { dashboard } = first.json() as { dashboard: string };
  expect([first.code, dashboard]).toEqual([0, expect.stringContaining('http')]);
  const again = await deploy(home);
  expect(again.json()).toMatchObject({ changed: false, dashboard });
  expect((again.json() as { health?: object }).health).toBeUndefined();
});

test('a new machine watches what it does not know', async () => {
  await deploy(newFolder());
  const { code, json } = await deploy(newFolder());
  expect([code, json()]).toEqual([0, expect.objectContaining({ changed: false, health: expect.anything() })]);
});

test('without a watch, a build that was found sick is deployed again', async () => {
  const home = newFolder();
  replicas = 'FAILED';
  await deploy(home);
  const { code, stderr } = await deploy(home, ['--if-changed']);
  expect([code, builds.length]).toEqual([0, 2]);
  expect(stderr).toContain('was found sick: deploying');
});

test.each(['error', 'not_ready'])('an app with the status %s is deployed again', async (word) => {
  const home = newFolder();
  await deploy(home, []);
  status = word;
  const { code, stderr } = await deploy(home, ['--if-changed']);
  expect([code, builds.length, stderr]).toEqual([0, 2, expect.stringContaining(`its status is ${word}: deploying`)]);
});

test('a platform with defaults of its own is no reason to deploy again, and no drift', async () => {
  const home = newFolder();
  const shown = { cooldownPeriodSeconds: '60', responseGracePeriodSeconds: '1200', evaluationIntervalSeconds: '7' };
  const env = await altering(emulator, (method, path, json) =>
    method === 'GET' && path.endsWith('-web') ? { body: { ...(json as object), ...shown } } : undefined,
  );
  const app = newFolder(smallApp());
  const run = (words: string[], dir = home) =>
    gantry(['deploy', ...words], { emulator, cwd: app, env: { ...env, GANTRY_CONFIG_DIR: dir } });
  await run([]);
  for (const dir of [home, newFolder()]) {
    const again = await run(['--if-changed', '--json'], dir);
    expect(again.json(), again.stderr).toMatchObject({ changed: false, status: 'succeeded' });
    expect(again.stderr).not.toContain('changed outside');
  }
  expect((await run(['--fail-on-drift'])).code).toBe(0);
});

test('what a failed build had for settings is no change of others', async () => {
  const cwd = newFolder(smallApp());
  const env = { GANTRY_CONFIG_DIR: newFolder() };
  const deployed = (cooldown: number) => {
    const { 'cerebrium.toml': text = '' } = smallApp(`[cerebrium.scaling]\ncooldown = ${cooldown}\n`);
    writeFileSync(join(cwd, 'cerebrium.toml'), text);
    return gantry(['deploy', '--yes'], { emulator, cwd, env });
  };
  await deployed(50);
  emulator.fail('build', 'build_failure');
  expect((await deployed(45)).code).toBe(11);
  const { code, stderr } = await deployed(55);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('changed outside')]);
  expect((await gantry(['history', 'web'], { emulator, cwd, env })).stdout).not.toContain('not from here');
  await gantry(['apps', 'scale', 'web', '--cooldown', '70s'], { emulator, env: { GANTRY_CONFIG_DIR: newFolder() } });
  expect((await deployed(56)).stderr).toContain('scaling.cooldown 70 -> 56: changed outside of the config file');
});

test('what somebody sets back to what the live build had is a change, too', async () => {
  const cwd = newFolder(smallApp('[cerebrium.scaling]\ncooldown = 50\n'));
  const env = { GANTRY_CONFIG_DIR: newFolder() };
  await gantry(['deploy'], { emulator, cwd, env });
  for (const cooldown of ['70s', '50s']) {
    const others = { GANTRY_CONFIG_DIR: newFolder() };
    await gantry(['apps', 'scale', 'web', '--cooldown', cooldown], { emulator, env: others });
    await gantry(['deploy', '--dry-run'], { emulator, cwd, env });
  }
  const { stdout } = await gantry(['history', 'web'], { emulator, cwd, env });
  expect(stdout.match(/cooldown \d+ -> \d+/g)).toEqual(['cooldown 70 -> 50', 'cooldown 50 -> 70']);
});

test('an app that cannot be read is deployed again', async () => {
  const home = newFolder();
  await deploy(home, []);
  emulator.fail('getApp', '500*');
  const { stderr } = await deploy(home, ['--if-changed']);
  expect(stderr).toContain('cannot read the deployed web: deploying');
});
