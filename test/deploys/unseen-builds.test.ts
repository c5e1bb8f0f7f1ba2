import { expect, test } from 'vitest';
import { crash, deployed, type Stage } from './stage.ts';

/** Two versions that a machine has deployed, the last of which serves. Builds of strangers follow, which it does not see. */
async function twoVersions(quirks = {}) {
  const { stage, machine } = await deployed([{ version: 0 }, { version: 1 }], quirks);
  stage.pass(60_000);
  return { stage, machine };
}

/** Somebody who has nothing in common with the machine deploys. */
async function colleague(stage: Stage, version: number): Promise<string> {
  const build = await (await stage.machine()).deploys({ version });
  stage.pass(60_000);
  return build;
}

/** What a rollback says that does not know what served before. */
const unknown = (...builds: string[]) =>
  new RegExp(
    `which build of web served before .* is not known\\n  why build ${builds.join(' or ')} may have: .+ nobody here saw`,
  );

test.each(['never looked', 'looked in between'])(
  'what a colleague deployed served before the live build: a machine that %s',
  async (how) => {
    const { stage, machine } = await twoVersions();
    const before = await colleague(stage, 2);
    if (how === 'looked in between') await machine.run('rollback web --dry-run');
    await colleague(stage, 3);
    const archive = `build ${before} of web cannot be deployed again`;
    expect(await machine.run('rollback web --yes')).toExit(6, how === 'never looked' ? unknown(before) : archive);
    expect(stage.ids).toHaveLength(4);
    expect((await machine.run('history web')).stdout).not.toContain('instead of');
  },
);

test.each(['--detach', 'the platform is gone after the upload'])(
  'a build of this machine that nobody saw serving may have served: it is to be named: %s',
  async (how) => {
    const { stage, machine } = await twoVersions();
    await machine.write({ version: 2 });
    stage.at('upload', 3, () => Object.assign(stage.platform, { isDown: how !== '--detach' }));
    await machine.run(how === '--detach' ? 'deploy --detach' : 'deploy');
    stage.calm();
    stage.pass(60_000);
    await colleague(stage, 3);
    const [, , unseen] = stage.ids;
    expect(await machine.run('rollback web --dry-run')).toExit(6, unknown(unseen ?? ''));
    expect(await machine.json(`rollback web ${unseen} --dry-run`)).toMatchObject({ restored: unseen });
  },
);

test('a build that was ready after a later one may never have served: none is chosen', async () => {
  const { stage, machine } = await twoVersions();
  const late = await stage.stranger({}, { buildMs: 20_000 });
  stage.pass(1_000);
  const first = await stage.stranger({}, { buildMs: 5_000 });
  stage.pass(60_000);
  await stage.stranger({}, {});
  stage.pass(60_000);
  expect(await machine.run('rollback web --dry-run')).toExit(6, unknown(late, first));
});

test('what was put back served later than what was created after it', async () => {
  const { stage, machine } = await twoVersions();
  const [zero] = stage.ids;
  const unseen = await colleague(stage, 2);
  stage.putBack();
  stage.pass(60_000);
  await machine.run('status web');
  await colleague(stage, 3);
  expect(await machine.json('rollback web --dry-run')).toMatchObject({ restored: zero });
  expect(unseen).not.toBe(zero);
});

test('without times, what may have served since is named', async () => {
  const { stage, machine } = await twoVersions({ hasNoTimes: true });
  const unseen = await colleague(stage, 2);
  await colleague(stage, 3);
  expect(await machine.run('rollback web --dry-run')).toExit(6, new RegExp(unseen));
});

test('an automatic rollback does not pass over what went live while the deploy waited', async () => {
  const { stage, machine } = await twoVersions();
  const [, own] = stage.ids;
  await machine.write({ version: 9, behaves: crash });
  const unseen = await stage.stranger({}, { buildMs: 3_000 });
  const { code, json } = await machine.run('deploy --if-busy wait --watch 40s --or-rollback --json');
  const [, , , sick] = stage.ids;
  const message = expect.stringMatching(`build ${unseen} may have`);
  const rollback = { outcome: 'no-earlier-build', serves: sick, message };
  expect([code, json()]).toMatchObject([12, { error: { details: { rollback } } }]);
  expect(own).not.toBe(unseen);
});

test('two rollbacks in a row go further back, whatever the platform lists of their files', async () => {
  const { stage, machine } = await twoVersions({ hasNoChecksums: true });
  await machine.deploys({ version: 2 });
  const [zero, one] = stage.ids;
  for (const restored of [one, zero]) {
    const { code, json, stderr } = await machine.run('rollback web --yes --json');
    expect({ code, json: json() }).toMatchObject({ code: 0, json: { restored, proof: 'record' } });
    expect(stderr).not.toContain('warning');
  }
});

test('explain tells of the rollback that made the live build, not of one before', async () => {
  const { stage, machine } = await twoVersions();
  await machine.write({ version: 9, behaves: crash });
  await machine.run('deploy --watch 40s --or-rollback');
  const [, , sick] = stage.ids;
  expect(await machine.json('explain web')).toMatchObject({ build: sick });
  await colleague(stage, 10);
  expect(await machine.json('explain web')).toMatchObject({ build: null });
});
