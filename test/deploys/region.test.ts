import { expect, test } from 'vitest';
import { keys } from '../support/gantry.ts';
import { staged } from './stage.ts';

const inFile = (region: string) => ({ more: `[cerebrium.hardware]\nregion = "${region}"\n` });
const profile = 'config set region eu-west-2';

type Change = [where: string, flags: string, file: string | undefined, env: Record<string, string>];
const changes: Change[] = [
  ['the flag', ' --region eu-north-1', undefined, {}],
  ['the variable', '', undefined, { GANTRY_REGION: 'eu-north-1' }],
  ['the config file', '', 'eu-north-1', {}],
];

/** An app in us-east-1, and a machine that has deployed it. */
async function deployed() {
  const { stage, machine } = await staged();
  expect((await machine.run('deploy')).code).toBe(0);
  const region = () => stage.web.settings.region;
  expect(region()).toBe('us-east-1');
  return { stage, machine, region };
}

test.each(changes)(
  'another region of %s is a change, and moves the app only after a yes',
  async (_, flags, file, env) => {
    const { stage, machine, region } = await deployed();
    if (file) await machine.write(inFile(file));
    const dry = await machine.run(`deploy${flags} --dry-run --json`, { env });
    const row = { setting: 'hardware.region', from: 'us-east-1', to: 'eu-north-1', byDefault: false };
    const next = [{ argv: expect.arrayContaining(['--yes']) }];
    expect(dry.json()).toMatchObject({ changed: true, settings: [row], setup: { region: 'eu-north-1' }, next });
    for (const line of ['deploy', 'deploy --if-changed']) {
      const outcome = await machine.run(`${line}${flags}`, { env });
      expect(outcome).toExit(7, 'web is in us-east-1, and this deploy would move it', '--yes', '--region us-east-1');
    }
    const no = await machine.run(`deploy${flags}`, { env, stdin: keys('n\r'), columns: 160 });
    expect(no).toExit(130, 'Move web from us-east-1 to eu-north-1?');
    expect([region(), stage.platform.world.builds.size]).toEqual(['us-east-1', 1]);
    expect((await machine.run(`deploy${flags} --yes`, { env })).code).toBe(0);
    expect(region()).toBe('eu-north-1');
  },
);

test('an app that is deployed stays where it is without a word, whatever the profile and the platform choose', async () => {
  const { machine, region } = await deployed();
  expect((await machine.run('deploy --region eu-north-1 --yes')).code).toBe(0);
  await machine.run(profile);
  const plan = await machine.json('deploy --dry-run');
  expect(plan).toMatchObject({ changed: false, settings: [], setup: { region: 'eu-north-1' } });
  expect(await machine.json('deploy --if-changed')).toMatchObject({ changed: false });
  expect((await machine.run('deploy')).code).toBe(0);
  expect(region()).toBe('eu-north-1');
});

test('a plan that moves an app is a yes', async () => {
  const { machine, region } = await deployed();
  expect((await machine.run('deploy --region eu-north-1 --dry-run --save-plan plan.json')).code).toBe(0);
  expect((await machine.run('deploy --region eu-north-1 --apply-plan plan.json')).code).toBe(0);
  expect(region()).toBe('eu-north-1');
});

test('the region of the profile is that of a new app, and the same line again changes nothing', async () => {
  const { stage, machine } = await staged();
  await machine.run(profile);
  for (const line of ['deploy', 'deploy --if-changed', 'deploy --if-changed']) {
    expect((await machine.run(line)).code).toBe(0);
  }
  expect(stage.web.settings.region).toBe('eu-west-2');
  expect(stage.ids).toHaveLength(1);
});

test('an app of which the platform shows no region is left to it', async () => {
  const { stage, machine } = await staged({}, { defaults: { region: '' } });
  await machine.run('deploy');
  await machine.run(profile);
  expect((await machine.run('deploy')).code).toBe(0);
  expect(stage.builds.map(({ body }) => body.region)).toEqual([undefined, undefined]);
});

test.each([undefined, ''])(
  'where the platform shows the region %j, another one than was sent is a change',
  async (shown) => {
    const { stage, machine } = await deployed();
    stage.quirks.alters = (point, json) => (point === 'get-app' ? { ...(json as object), region: shown } : json);
    for (const changed of [true, false])
      expect(await machine.json('deploy --if-changed --region eu-north-1 --yes')).toMatchObject({ changed });
  },
);

test('a rollback to a revision does not move the app', async () => {
  const { machine, region } = await deployed();
  await machine.run('deploy --region eu-north-1 --yes');
  await machine.run(profile);
  machine.commit();
  await machine.deploys({ version: 2 });
  expect(await machine.run('rollback --from-git HEAD --yes')).toExit(0, expect.not.stringContaining('setting region'));
  expect(region()).toBe('eu-north-1');
});

test('what was promoted from another region is unchanged in its own', async () => {
  const { stage, machine } = await staged();
  await machine.run('deploy --region eu-west-2');
  await machine.write({ version: 2 });
  for (const flags of ['--new --region us-east-1', '']) await machine.run(`deploy --name web-staging ${flags}`.trim());
  expect((await machine.run('promote web-staging web --yes')).code).toBe(0);
  expect(stage.platform.world.apps.get('web')?.settings).toMatchObject({ region: 'eu-west-2' });
  expect(await machine.json('deploy --dry-run')).toMatchObject({ changed: false });
  expect(await machine.json('deploy --if-changed')).toMatchObject({ changed: false });
});
