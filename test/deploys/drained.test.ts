import { expect, test } from 'vitest';
import { deployed, type Machine, type Stage, verdictOf } from './stage.ts';

const scaling = 'min_replicas = 0\n';
interface Draining {
  listedMs: number;
  answersMs: number;
  /** Whether the list of replicas has their builds. */
  isNamed: boolean;
}

/**
 * An app that is broken and asleep, and its fix, about to be deployed. Users wake the broken build while the other one is
 * made: its replica answers for some time after that is live.
 */
async function brokenApp({ listedMs, answersMs, isNamed }: Draining): Promise<{ stage: Stage; machine: Machine }> {
  const { stage, machine, build: broken } = await deployed({ scaling });
  stage.pass(60_000);
  await machine.write({ scaling, version: 2 });
  const { world } = stage.platform;
  const [replicas, call] = [world.replicas.bind(world), world.call.bind(world)];
  const isWithin = (ms: number) => {
    const { build, from = 0 } = stage.platform.app('web')?.services[1] ?? {};
    return build !== undefined && stage.clock.now < from + ms;
  };
  const old = { id: `${broken}-0`, state: 'RUNNING', restarts: 0, isTerminating: false, startedAt: stage.clock.now };
  world.replicas = (app) => {
    const listed = [...replicas(app), ...(isWithin(listedMs) ? [{ ...old, build: broken }] : [])];
    return listed.map((replica) => (isNamed ? replica : { ...replica, build: '' }));
  };
  world.call = (app) => {
    const answer = call(app);
    if (!isWithin(answersMs)) return answer;
    Object.assign(world.calls.at(-1) ?? {}, { build: broken, code: 500 });
    return { ...answer, code: 500 };
  };
  return { stage, machine };
}

test('what a replica without a build has answered does not make the new build sick, however long it is watched', async () => {
  const { stage, machine } = await brokenApp({ listedMs: 20_000, answersMs: 20_000, isNamed: false });
  const outcome = await machine.run('deploy --smoke run --watch 2m --or-rollback --json');
  expect([outcome.code, verdictOf(outcome)]).toEqual([8, 'unknown']);
  expect(stage.ids).toHaveLength(2);
});

test('a replica without a build that runs and answers does not make the new build healthy', async () => {
  const { stage, machine } = await brokenApp({ listedMs: 20_000, answersMs: 20_000, isNamed: false });
  stage.alter((each) => (each.id.startsWith(stage.ids[0] ?? '') ? [each] : []));
  const outcome = await machine.run('deploy --watch 8s --or-rollback --json');
  expect([outcome.code, verdictOf(outcome)]).toEqual([8, 'unknown']);
});

test('status counts replicas of earlier builds apart, and shows the region', async () => {
  const { machine } = await brokenApp({ listedMs: 20_000, answersMs: 0, isNamed: true });
  await machine.run('deploy');
  const { stdout, json } = await machine.run('status web --json');
  expect(json(), stdout).toMatchObject({ replicas: { running: 0, others: 1 }, region: 'us-east-1' });
  expect((await machine.run('status web')).stdout).toMatch(
    /replicas\t0 running, 0 to \d+, 1 more of earlier builds\nregion\t/,
  );
});

test('the watch knows whose a replica was that a call of --smoke has found', async () => {
  const { machine } = await brokenApp({ listedMs: 12_000, answersMs: 12_000, isNamed: true });
  const outcome = await machine.run('deploy --smoke run --watch 6s --or-rollback --json');
  expect([outcome.code, verdictOf(outcome)]).toEqual([0, 'healthy']);
});
