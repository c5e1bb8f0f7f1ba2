import { expect, test } from 'vitest';
import { crash, deployed, type Machine, type Stage } from './stage.ts';

// What a cache kept, or a platform does not read anew, says nothing of what is true by now.

/** A platform that from the moment on at which the second build is live answers some question with a copy. */
async function copying(point: string): Promise<{ stage: Stage; machine: Machine }> {
  const { stage, machine } = await deployed({ version: 1 });
  stage.pass(60_000);
  stage.platform.after = ({ point: asked }) => {
    const now = stage.platform.app('web')?.services[1]?.from ?? Number.POSITIVE_INFINITY;
    // Once its replica runs.
    if (asked === 'containers' && stage.clock.now > now + 1_000) stage.quirks.copies = { point, marked: true };
    // As long as requests take.
    if (asked === 'create-app') stage.clock.now += 200;
  };
  return { stage, machine };
}

test('a list of replicas that is a copy, as its headers say, makes no build healthy', async () => {
  const { stage, machine } = await copying('containers');
  await machine.write({ version: 2, behaves: crash });
  const says = /is not known: the platform did not answer: the reply of .* is a copy that a cache/;
  expect(await machine.run('deploy --watch 9s --or-rollback')).toExit(8, says);
  expect(stage.platform.live()).toBe(stage.ids[1]);
  expect((await machine.run('history web')).stdout).not.toContain('healthy');
});

test.each(['get-app', 'containers', 'runs'])('nor does another answer that says it is a copy: %s', async (point) => {
  const { machine } = await copying(point);
  await machine.write({ version: 2 });
  expect(await machine.run('deploy --watch 9s --or-rollback')).toExit(8, 'is a copy that a cache kept');
});

test.each(['get-app', 'list-builds'])(
  'nothing is rolled back by an answer that says it is a copy: %s',
  async (point) => {
    const { stage, machine } = await deployed([{ version: 1 }, { version: 2 }]);
    stage.quirks.copies = { point, marked: true };
    // Somebody's look, which fills the cache.
    await machine.run(point === 'get-app' ? 'apps get web' : 'builds list web');
    stage.pass(5_000);
    expect(await machine.run('rollback web --yes')).toExit(69, '(age: ');
    expect(stage.platform.live()).toBe(stage.ids[1]);
  },
);

test.each(['get-app', 'containers'])('a call does not count if who has answered it is not known: %s', async (point) => {
  const { stage, machine } = await copying(point);
  await machine.write({ version: 2 });
  stage.at('call', 'next', () => Object.assign(stage.quirks, { copies: { point, marked: true } }));
  expect(await machine.run('deploy --smoke run')).toExit(8, 'is a copy that a cache kept');
});
