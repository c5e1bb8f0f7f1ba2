import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderOf, smallApp } from '../support/app.ts';
import { emulatorForAll } from '../support/emulators.ts';
import { filesIn, newFolder } from '../support/files.ts';
import { gantry, type Setting } from '../support/gantry.ts';

const data = newFolder();
const emulator = emulatorForAll({ real: false, data });

/** On a machine of its own, unless its home is given, with the state of the team. */
function run(line: string, setting: Setting = {}) {
  const env = { GANTRY_CONFIG_DIR: newFolder(), GANTRY_TEAM_STATE: 'default:/.gantry', ...setting.env };
  return gantry(line.split(' '), { emulator, ...setting, env });
}

async function deploy(name: string, version: string, scaling = '') {
  await using app = await folderOf({ ...smallApp(scaling), 'data.txt': version });
  const { code, json, stderr } = await run(`deploy --name ${name} --json`, { cwd: app.path });
  expect(code, stderr).toBe(0);
  return json() as { build: string };
}

/** SHA-256 of what the platform has received for a build. */
function received(build: string): string {
  const key = emulator.store.builds.get(build)?.keyName ?? '';
  const [path = ''] = filesIn(data).filter((each) => each.endsWith(key));
  return createHash('sha256')
    .update(readFileSync(join(data, path)))
    .digest('hex');
}

const scaled = (most: number, more = '') => `[cerebrium.scaling]\nmax_replicas = ${most}\n${more}`;

test('deploys the archive that serves as another app, byte for byte, from another machine', async () => {
  const hardware = '[cerebrium.hardware]\ncpu = 3\nmemory = 5\n';
  const staging = await deploy('web-staging', 'two', scaled(2, hardware));
  const live = await deploy('web', 'one', scaled(7));
  const dry = await run('promote web-staging web --dry-run --json');
  expect(dry.json()).toMatchObject({
    ...{ app: 'web', replaced: live.build, restored: staging.build, proof: 'record' },
    settings: expect.arrayContaining([{ setting: 'cpu', from: expect.anything(), to: 3 }]),
  });
  const asked = await run('promote web-staging web');
  expect([asked.code, asked.stderr]).toEqual([9, expect.stringMatching(/setting cpu: .* -> 3/)]);
  const { code, json } = await run('promote web-staging web --yes --json');
  const promoted = json() as { build: string; archive: string };
  expect(code).toBe(0);
  expect(received(promoted.build)).toBe(received(staging.build));
  expect(promoted.archive).toBe(received(staging.build));
  const shown = (await run('apps get web --json')).json();
  expect(shown).toMatchObject({ latestReadyBuildId: promoted.build, maxReplicaCount: 7, cpu: 3 });
  expect((await run('apps get web-staging --json')).json()).toMatchObject({ latestReadyBuildId: staging.build });
  const back = await run('rollback web --yes --json');
  expect(back.json()).toMatchObject({ replaced: promoted.build, restored: live.build });
});

test.each([
  ['promote web-staging nowhere --yes', 6],
  ['promote nowhere web --yes', 6],
  ['promote web web --yes', 2],
])('%s changes nothing', async (line, expected) => {
  await deploy('web', 'one');
  await deploy('web-staging', 'two');
  const before = emulator.store.builds.size;
  expect((await run(line)).code).toBe(expected);
  expect(emulator.store.builds.size).toBe(before);
});

test('sends nothing that is not what the record says was sent', async () => {
  const home = { GANTRY_CONFIG_DIR: newFolder(), GANTRY_TEAM_STATE: 'off' };
  await deploy('web', 'one');
  await deploy('web-staging', 'two');
  const { code, stderr } = await run('promote web-staging web --yes', { env: home });
  expect([code, stderr]).toEqual([6, expect.stringContaining('gantry deploy --name web')]);
});
