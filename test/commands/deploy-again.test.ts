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

test('without a watch, a build that was found sick is deployed again', async () => {
  const home = newFolder();
  replicas = 'FAILED';
  await deploy(home);
  const { code, json } = await deploy(home, ['--if-changed']);
  expect([code, builds.length]).toEqual([0, 2]);
  expect(json()).toMatchObject({ warnings: [{ message: expect.stringContaining('was found sick: deploying') }] });
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
  expect((await deploy(home, ['--if-changed'])).stderr).toContain('cannot read the deployed web: deploying');
});
