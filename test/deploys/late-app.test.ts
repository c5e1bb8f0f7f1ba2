import { appendFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { crash, deployed, type Machine, type Stage } from './stage.ts';

// For some seconds after a deploy, an app may show the build before as the one that serves. The list of builds is right.

const lagsMs = 6_000;

const sentTo = ({ builds }: Stage) => builds[0]?.body ?? {};

/** A build of somebody else that is live at once. */
async function deployedByOthers(stage: Stage): Promise<string> {
  const theirs = await stage.stranger(sentTo(stage), { buildMs: 500 });
  stage.pass(1_000);
  return theirs;
}

/** An app with this many versions, which from now on is late to show what serves. */
async function lateStage(versions: number): Promise<{ stage: Stage; machine: Machine }> {
  const { stage, machine } = await deployed(Array.from({ length: versions }, (_, at) => ({ version: at + 1 })));
  stage.quirks.lagsMs = lagsMs;
  stage.pass(60_000);
  return { stage, machine };
}

describe('what somebody else has deployed meanwhile is not replaced although the app does not show it yet', () => {
  test.each([
    ['is in progress', 'before'],
    ['begins meanwhile', 'create-app'],
  ])('the same commit is deployed once, if the first deploy %s', async (_, when) => {
    const { stage, machine } = await lateStage(1);
    const commit = { version: 2, behaves: { buildMs: 5_000 } };
    await machine.write(commit);
    const second = await stage.machine(commit);
    if (when === 'before') await machine.run('deploy --detach');
    stage.platform.before = async ({ point, nth }) => {
      if (point === when && nth === 2) await machine.run('deploy --detach');
    };
    const again = await second.json('deploy --if-changed --if-busy wait');
    expect(again).toMatchObject({ changed: false, build: stage.platform.live() });
  });

  test('nor what began before the live build, and became ready after it: either of them may serve', async () => {
    const { stage, machine } = await deployed({ version: 1 });
    const slow = await stage.stranger(sentTo(stage), { buildMs: 200_000 });
    await machine.deploys({ version: 2 });
    stage.pass(100_000);
    stage.quirks.lagsMs = lagsMs;
    stage.at('create-app', 3, () => stage.pass(101_000));
    const said = `build ${slow} became ready meanwhile: it is not replaced`;
    expect(await machine.run('rollback web --yes')).toExit(7, said);
  });

  test('compare says that a later one may serve', async () => {
    const { stage, machine } = await lateStage(2);
    const theirs = await deployedByOthers(stage);
    expect(await machine.run('builds compare web')).toExit(0, `warning: build ${theirs} of web is ready`);
    stage.pass(lagsMs);
    expect((await machine.run('builds compare web')).stderr).not.toContain('is ready');
  });

  test.each(['before the command', 'between create and upload'])('by a plan: %s', async (when) => {
    const { stage, machine } = await lateStage(1);
    await machine.write({ version: 2 });
    await machine.run('deploy --dry-run --save-plan ../plan.json');
    const theirs = when === 'before the command' ? await deployedByOthers(stage) : undefined;
    const meanwhile = theirs ? undefined : stage.othersAt('create-app', 2, 500);
    expect(await machine.run('deploy --apply-plan ../plan.json')).toExit(7, 'not as planned: the live build');
    expect(stage.platform.live()).toBe(theirs ?? meanwhile?.id);
  });
});

test.each([
  ['deploy --watch 40s --or-rollback', 12],
  ['rollback web --yes', 0],
])('a list of builds that is late is no deploy of others: %s', async (line, code) => {
  const { stage, machine } = await deployed({ version: 1 });
  await machine.write({ version: 2, behaves: crash });
  let rollsBack = false;
  stage.platform.after = ({ point, nth }) => {
    if (point === 'create-app' && nth === 3) stage.quirks.hidesNewest = false;
    if (point === 'containers' && nth > 8 && !rollsBack) stage.quirks.hidesNewest = rollsBack = true;
  };
  if (code === 0) await machine.run('deploy');
  if (code === 0) stage.quirks.hidesNewest = true;
  const ended = await machine.run(line);
  expect([ended.code, ended.stderr]).toEqual([code, expect.not.stringContaining('it is not replaced')]);
  expect(stage.platform.live()).toBe(stage.ids[2]);
});

test('the build of a rollback that was killed does not keep the next one from its work', async () => {
  const { stage, machine } = await deployed({ version: 1 });
  await machine.write({ version: 2, behaves: crash });
  stage.at('upload', 2, async () => {
    stage.pass(10);
    const left = await stage.stranger(sentTo(stage));
    // As the killed process wrote it down: pids of 2^22 and more are never given.
    const [file = ''] = await readdir(join(machine.home, 'state', 'history'));
    const path = join(machine.home, 'state', 'history', file);
    const created = (await readFile(path, 'utf8')).split('\n').find((line) => line.includes('"event":"created"')) ?? '';
    const dead = created
      .replace(/"build":"[^"]+"/, `"build":"${left}"`)
      .replace(/"process":"\d+/, '"process":"4194999');
    await appendFile(path, `\n${dead}`);
  });
  expect(await machine.run('deploy --watch 40s --or-rollback')).toExit(12, 'rolled back to build');
});

test('a plan that was made while the app was late is applied to the state that it was made for', async () => {
  const { stage, machine } = await lateStage(1);
  await deployedByOthers(stage);
  await machine.write({ version: 2 });
  await machine.run('deploy --dry-run --save-plan ../plan.json');
  stage.pass(60_000);
  expect(await machine.run('deploy --apply-plan ../plan.json')).toMatchObject({ code: 0 });
});

test.each([
  ['a short', 3, 30_000, 0, 'web is live'],
  ['a long', 2, Number.POSITIVE_INFINITY, 8, 'has succeeded, but the app still shows build'],
])('%s outage while the app is asked which build serves', async (_, nth, lastsMs, code, said) => {
  const { stage, machine } = await lateStage(1);
  stage.quirks.lagsMs = 50_000;
  let looks = 0;
  let until = 0;
  stage.platform.before = ({ point }) => {
    if (point === 'get-app' && stage.web.services.length === 2 && ++looks === nth) until = stage.clock.now + lastsMs;
    return stage.clock.now < until ? 'cut' : undefined;
  };
  await machine.write({ version: 2 });
  expect(await machine.run('deploy')).toExit(code, said);
  expect(until).toBeGreaterThan(0);
});

test('a rollback by hand replaces what serves, not what the app still shows', async () => {
  const { stage, machine } = await lateStage(2);
  const theirs = await deployedByOthers(stage);
  expect(await machine.json('rollback web --yes')).toMatchObject({ replaced: theirs, restored: stage.ids[1] });
});

test('of two rollbacks at once, none says that its build serves if the other one’s does', async () => {
  const slow = { version: 1, behaves: { buildMs: 2_000 } };
  const { stage, machine } = await deployed([slow, { version: 2 }, { version: 3 }]);
  const other = await stage.machine({}, machine);
  let second: ReturnType<Machine['run']> | undefined;
  stage.at('upload', 4, () => {
    second = other.run(`rollback web ${stage.ids[0]} --yes --json`);
  });
  const outcomes = [await machine.run('rollback web --yes --json'), await second];
  const last = stage.platform.live();
  for (const outcome of outcomes) {
    const { build, serves = build } = (outcome?.json() ?? {}) as { build?: string; serves?: string };
    const isTold = /it is not replaced|replaces it once it is ready/.test(outcome?.stderr ?? '');
    expect(isTold || (outcome?.code === 0 && serves === last)).toBe(true);
  }
});
