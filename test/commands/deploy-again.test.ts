import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emulatorForEach, gantry, newFolder, smallApp } from '../support/index.ts';

const emulator = emulatorForEach({ real: false });

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
  expect(await deployed(55)).toExit(0, expect.not.stringContaining('changed outside'));
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
  const setting = { emulator, cwd: newFolder(smallApp()), env: { GANTRY_CONFIG_DIR: newFolder() } };
  await gantry(['deploy'], setting);
  emulator.fail('getApp', '500*');
  const { stderr } = await gantry(['deploy', '--if-changed'], setting);
  expect(stderr).toContain('cannot read the deployed web: deploying');
});
