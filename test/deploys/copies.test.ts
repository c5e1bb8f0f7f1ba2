import { expect, test } from 'vitest';
import type { Quirks } from '../support/app-platform/types.ts';
import { type AppOf, deployed, type Machine, type Stage, staged } from './stage.ts';

// What a cache kept, or a platform does not read anew, says nothing of what is true by now.

const crashing: AppOf = { version: 2, behaves: { replicas: 'crash' } };
const ids = ({ platform }: Stage): string[] => [...platform.world.builds.keys()];

/** A platform that from the moment on at which the second build is live answers some question with a copy. */
async function copying(
  copies: NonNullable<Quirks['copies']>,
  quirks: Quirks,
): Promise<{ stage: Stage; machine: Machine }> {
  const { stage, machine } = await deployed({ version: 1 }, quirks);
  stage.pass(60_000);
  stage.platform.after = ({ point }) => {
    const now = stage.platform.app('web')?.services[1]?.from ?? Number.POSITIVE_INFINITY;
    // Once its replica runs.
    if (point === 'containers' && stage.clock.now > now + 1_000) stage.quirks.copies = copies;
    // As long as requests take.
    if (point === 'create-app') stage.clock.now += 200;
  };
  return { stage, machine };
}

test.each<[string, Quirks, boolean, RegExp]>([
  ['as the headers say', {}, true, /is not known: the platform did not answer: the reply of .* is a copy that a cache/],
])('a list of replicas that is a copy makes no build healthy: %s', async (_, quirks, marked, says) => {
  const { stage, machine } = await copying({ point: 'containers', marked }, quirks);
  await machine.write(crashing);
  const { code, stderr } = await machine.run('deploy --watch 9s --or-rollback');
  expect({ code, stderr }).toEqual({ code: 8, stderr: expect.stringMatching(says) });
  expect(stage.platform.live()).toBe(ids(stage)[1]);
  expect((await machine.run('history web')).stdout).not.toContain('healthy');
});

test.each(['running time', 'read time', 'both', undefined] as const)(
  'a healthy build is healthy on a platform that shows this of its replicas: %s',
  async (replicaTimes) => {
    const { machine } = await staged({}, replicaTimes && { replicaTimes });
    for (const version of [1, 2]) {
      await machine.write({ version });
      expect(await machine.run('deploy --watch 9s')).toMatchObject({ code: 0 });
    }
  },
);

test.each(['get-app', 'containers', 'runs'])('nor does another answer that says it is a copy: %s', async (point) => {
  const { machine } = await copying({ point, marked: true }, {});
  await machine.write({ version: 2 });
  const { code, stderr } = await machine.run('deploy --watch 9s --or-rollback');
  expect({ code, stderr }).toEqual({ code: 8, stderr: expect.stringContaining('is a copy that a cache kept') });
});

test.each(['get-app', 'list-builds'])(
  'nothing is rolled back by an answer that says it is a copy: %s',
  async (point) => {
    const { stage, machine } = await deployed({ version: 1 });
    await machine.deploys({ version: 2 });
    stage.quirks.copies = { point, marked: true };
    // Somebody's look, which fills the cache.
    await machine.run(point === 'get-app' ? 'apps get web' : 'builds list web');
    stage.pass(5_000);
    const { code, stderr } = await machine.run('rollback web --yes');
    expect({ code, stderr }).toEqual({ code: 69, stderr: expect.stringContaining('(age: ') });
    expect(stage.platform.live()).toBe(ids(stage)[1]);
  },
);

test.each(['get-app', 'containers'])('a call does not count if who has answered it is not known: %s', async (point) => {
  const { stage, machine } = await copying({ point, marked: true }, {});
  await machine.write({ version: 2 });
  stage.platform.after = (call) => {
    if (call.point === 'call') stage.quirks.copies = { point, marked: true };
  };
  const { code, stderr } = await machine.run('deploy --smoke run');
  expect({ code, stderr }).toEqual({ code: 8, stderr: expect.stringContaining('is a copy that a cache kept') });
});

test('an unchanged build is as well as before by lists that are read anew', async () => {
  const { stage, machine } = await staged({}, { replicaTimes: 'both' });
  await machine.deploys({}, 'deploy --watch 9s');
  stage.pass(12_000);
  const { code, stderr } = await machine.run('deploy --if-changed --watch 9s');
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining(': not watched again') });
});
