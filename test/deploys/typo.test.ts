import { expect, test } from 'vitest';
import { keys } from '../support/gantry.ts';
import { staged } from './stage.ts';

/** A folder that has deployed web. */
async function deployed() {
  const { stage, machine } = await staged();
  expect((await machine.run('deploy')).code).toBe(0);
  return { stage, machine, apps: () => [...stage.platform.world.apps.keys()] };
}

test.each(['deploy --name wbe', 'deploy --name wbe --yes', 'deploy --name wbe --if-changed --json'])(
  'a folder that has deployed web creates no second app by a mistyped name: %s',
  async (line) => {
    const { machine, apps } = await deployed();
    const { code, stderr } = await machine.run(line);
    expect([code, stderr]).toEqual([9, expect.stringMatching(/this folder has deployed web, and wbe .*--new/s)]);
    expect(apps()).toEqual(['web']);
    expect(stderr).toContain(`fix to create it (to deploy web, correct the name): gantry ${line} --new`);
  },
);

test('a terminal asks, and no is the default', async () => {
  const { machine, apps } = await deployed();
  const { code, stderr } = await machine.run('deploy --name wbe', { stdin: keys('\r'), columns: 160 });
  expect([code, stderr]).toEqual([130, expect.stringContaining('Create wbe? This folder has deployed web.')]);
  expect(apps()).toEqual(['web']);
});

test('--new creates it, and then either name deploys', async () => {
  const { machine, apps } = await deployed();
  expect((await machine.run('deploy --name web-staging --new')).code).toBe(0);
  expect((await machine.run('deploy --name web')).code).toBe(0);
  expect((await machine.run('deploy --name web-staging')).code).toBe(0);
  expect(apps()).toEqual(['web', 'web-staging']);
});

test('an app that was deleted is deployed again, and so is one of a folder that has deployed nothing', async () => {
  const { stage, machine } = await deployed();
  stage.platform.world.apps.delete('web');
  expect((await machine.run('deploy')).code).toBe(0);
  expect((await (await stage.machine()).run('deploy --name other')).code).toBe(0);
});
