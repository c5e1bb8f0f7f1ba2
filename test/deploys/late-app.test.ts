import { appendFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deployed, type Machine, type Stage, staged } from './stage.ts';

// For some seconds after a deploy, an app may show the build before as the one that serves. The list of builds is right.

const lagsMs = 6_000;

const idOf = (stage: Stage, index: number): string => [...stage.platform.world.builds.keys()][index] ?? '';
const sentTo = (stage: Stage) => stage.platform.world.builds.get(idOf(stage, 0))?.body ?? {};

/** A build of somebody else that is live at once. */
async function deployedByOthers(stage: Stage): Promise<string> {
  const theirs = await stage.stranger(sentTo(stage), { buildMs: 500 });
  stage.pass(1_000);
  return theirs;
}

/** An app with this many versions, which from now on is late to show what serves. */
async function lateStage(versions: number): Promise<{ stage: Stage; machine: Machine }> {
  const { stage, machine } = await staged();
  for (let version = 1; version <= versions; version++) await machine.deploys({ version });
  stage.quirks.lagsMs = lagsMs;
  stage.pass(60_000);
  return { stage, machine };
}

/** Lets somebody else deploy once this many builds were created. Gives their build. */
function othersDeployAt(stage: Stage, point: string, nth: number): { id: string } {
  const theirs = { id: '' };
  stage.platform.after = async (call) => {
    if (call.point === point && call.nth === nth && theirs.id === '') theirs.id = await deployedByOthers(stage);
  };
  return theirs;
}

describe('what somebody else has deployed meanwhile is not replaced although the app does not show it yet', () => {
  const sick = { version: 9, behaves: { replicas: 'crash' as const } };

  test.each([
    ['deploy --watch 40s --or-rollback', 12, sick],
    ['rollback web --yes', 7, undefined],
  ])('%s', async (line, code, next) => {
    const { stage, machine } = await lateStage(2);
    if (next) await machine.write(next);
    const theirs = othersDeployAt(stage, 'create-app', next ? 4 : 3);
    const ended = await machine.run(line);
    expect({ code: ended.code, stderr: ended.stderr, serves: stage.platform.live() }).toEqual({
      code,
      stderr: expect.stringContaining(`build ${theirs.id} serves now: it is not replaced`),
      serves: theirs.id,
    });
  });

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
    const { code, json } = await second.run('deploy --if-changed --if-busy wait --json');
    const serves = stage.platform.live();
    expect({ code, json: json() }).toMatchObject({ code: 0, json: { changed: false, build: serves } });
  });

  test('nor what began before the live build, and became ready after it: either of them may serve', async () => {
    const { stage, machine } = await staged();
    await machine.deploys({ version: 1 });
    const slow = await stage.stranger(sentTo(stage), { buildMs: 200_000 });
    await machine.deploys({ version: 2 });
    stage.pass(100_000);
    stage.quirks.lagsMs = lagsMs;
    stage.platform.after = ({ point, nth }) => {
      if (point === 'create-app' && nth === 3) stage.pass(101_000);
    };
    expect(await machine.run('rollback web --yes')).toExit(
      7,
      `build ${slow} became ready meanwhile: it is not replaced`,
    );
  });

  test.each([
    ['rollback web --yes', 7, 'create-app', undefined],
    ['deploy --watch 40s --or-rollback', 12, 'containers', sick],
  ])('nor what somebody else is building: %s', async (line, code, point, next) => {
    const { stage, machine } = await lateStage(2);
    if (next) await machine.write(next);
    let theirs = '';
    stage.platform.after = async (call) => {
      if (call.point !== point || theirs !== '') return;
      theirs = await stage.stranger(sentTo(stage), { buildMs: 600_000 });
    };
    const { code: exit, stderr } = await machine.run(line);
    const said = `build ${theirs} was created meanwhile and is in progress: it is not replaced`;
    expect([exit, stderr]).toEqual([code, expect.stringContaining(said)]);
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
    const meanwhile = othersDeployAt(stage, 'create-app', 2);
    expect(await machine.run('deploy --apply-plan ../plan.json')).toMatchObject({
      code: 7,
      stderr: expect.stringContaining('not as planned: the live build'),
    });
    expect(stage.platform.live()).toBe(theirs ?? meanwhile.id);
  });
});

test.each([
  ['deploy --watch 40s --or-rollback', 12],
  ['rollback web --yes', 0],
])('a list of builds that is late is no deploy of others: %s', async (line, code) => {
  const { stage, machine } = await deployed({ version: 1 });
  await machine.write({ version: 2, behaves: { replicas: 'crash' } });
  let rollsBack = false;
  stage.platform.after = ({ point, nth }) => {
    if (point === 'create-app' && nth === 3) stage.quirks.hidesNewest = false;
    if (point === 'containers' && nth > 8 && !rollsBack) stage.quirks.hidesNewest = rollsBack = true;
  };
  if (code === 0) await machine.run('deploy');
  if (code === 0) stage.quirks.hidesNewest = true;
  const ended = await machine.run(line);
  expect({ code: ended.code, stderr: ended.stderr }).toEqual({
    code,
    stderr: expect.not.stringContaining('it is not replaced'),
  });
  expect(stage.platform.live()).toBe(idOf(stage, 2));
});

test('a build that was replaced by the one before it is not sick: its replicas ended for that', async () => {
  const { stage, machine, build: first } = await deployed({ version: 1 });
  await machine.write({ version: 2 });
  stage.pass(60_000);
  stage.platform.after = ({ point, nth }) => {
    const app = stage.platform.app('web');
    const [old, now] = app?.services ?? [];
    if (point !== 'containers' || nth !== 8 || !app || !old || !now) return;
    now.until = stage.clock.now;
    app.services.push({ build: old.build, from: stage.clock.now, until: Number.POSITIVE_INFINITY });
  };
  const { code, stderr } = await machine.run('deploy --watch 40s --or-rollback');
  expect({ code, stderr }).toEqual({ code: 8, stderr: expect.stringContaining(`the app shows build ${first}`) });
  expect(stage.platform.live()).toBe(first);
});

test('the build of a rollback that was killed does not keep the next one from its work', async () => {
  const { stage, machine } = await deployed({ version: 1 });
  await machine.write({ version: 2, behaves: { replicas: 'crash' } });
  stage.platform.after = async ({ point, nth }) => {
    if (point !== 'upload' || nth !== 2) return;
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
  };
  const { code, stderr } = await machine.run('deploy --watch 40s --or-rollback');
  expect({ code, stderr }).toEqual({ code: 12, stderr: expect.stringContaining('rolled back to build') });
});

test('a plan that was made while the app was late is applied to the state that it was made for', async () => {
  const { stage, machine } = await lateStage(1);
  await deployedByOthers(stage);
  await machine.write({ version: 2 });
  await machine.run('deploy --dry-run --save-plan ../plan.json');
  stage.pass(60_000);
  expect(await machine.run('deploy --apply-plan ../plan.json')).toMatchObject({ code: 0 });
});

test('a rollback by hand replaces what serves, not what the app still shows', async () => {
  const { stage, machine } = await lateStage(2);
  const theirs = await deployedByOthers(stage);
  const { code, json } = await machine.run('rollback web --yes --json');
  expect({ code, json: json() }).toMatchObject({ code: 0, json: { replaced: theirs, restored: idOf(stage, 1) } });
});

test('of two rollbacks at once, none says that its build serves if the other one’s does', async () => {
  const { stage, machine } = await deployed({ version: 1, behaves: { buildMs: 2_000 } });
  await machine.deploys({ version: 2 });
  await machine.deploys({ version: 3 });
  const other = await stage.machine({}, machine);
  let second: ReturnType<Machine['run']> | undefined;
  stage.platform.after = ({ point, nth }) => {
    if (point !== 'upload' || nth !== 4) return;
    second = other.run(`rollback web ${idOf(stage, 0)} --yes --json`);
  };
  const outcomes = [await machine.run('rollback web --yes --json'), await second];
  const last = stage.platform.live();
  for (const outcome of outcomes) {
    const { build, serves = build } = (outcome?.json() ?? {}) as { build?: string; serves?: string };
    const isTold = /it is not replaced|replaces it once it is ready/.test(outcome?.stderr ?? '');
    expect(isTold || (outcome?.code === 0 && serves === last)).toBe(true);
  }
});
