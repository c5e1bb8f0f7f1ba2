import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Setting } from '../support/gantry.ts';
import { deployed, type Machine, type Stage } from './stage.ts';

const ids = ({ platform }: Stage): string[] => [...platform.world.builds.keys()];

/** Three versions, the last of which serves. */
async function threeVersions(behaves = {}): Promise<{ stage: Stage; machine: Machine }> {
  const { stage, machine } = await deployed({ version: 0 });
  await machine.deploys({ version: 1, behaves: { buildMs: 4_000 } });
  await machine.write({ version: 2, behaves });
  return { stage, machine };
}

/** Ctrl-C when the build of the rollback has just gone live. */
function stopWhenLive(stage: Stage): Setting {
  const controller = new AbortController();
  stage.platform.after = ({ point }) => {
    const made = [...stage.platform.world.builds.values()][3];
    if (point === 'get-build' && made?.ended === 'success') controller.abort();
  };
  return { stop: controller.signal };
}

describe('a rollback that was not seen to its end', () => {
  type Ending = [what: string, line: string, code: number, says: RegExp, end: (stage: Stage) => Setting];
  const endings: Ending[] = [
    [
      'Ctrl-C when its build is live',
      '',
      130,
      /interrupted: the rollback of web has succeeded, build b-\S+ serves/,
      stopWhenLive,
    ],
    ['its time is over', ' --timeout 3s', 8, /still in progress/, () => ({})],
    [
      'the platform is gone after the upload',
      '',
      69,
      /whether it arrived is not known|no reply|connect|ended|reach/i,
      (stage) => {
        stage.platform.after = ({ point, nth }) => {
          stage.platform.isDown ||= point === 'upload' && nth === 4;
        };
        return {};
      },
    ],
  ];

  test.each(endings)('has rolled back once its build serves: %s', async (_, flags, code, says, end) => {
    const { stage, machine } = await threeVersions();
    await machine.run('deploy');
    const ended = await machine.run(`rollback web --yes${flags}`, end(stage));
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code, stderr: expect.stringMatching(says) });
    // What continues has not failed.
    expect(ended.stderr).not.toMatch(/(✗|failed:) Building/);
    stage.platform.after = () => {};
    stage.platform.isDown = false;
    stage.pass(10_000);
    const [zero, one, two, made] = ids(stage);
    expect(stage.platform.live()).toBe(made);
    const same = { replaced: two, restored: one, build: made, changed: false };
    expect((await machine.run('rollback web --dry-run --json')).json()).toMatchObject(same);
    expect(await machine.run('rollback web --yes')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`nothing to change: build ${made} serves`),
    });
    expect((await machine.run('builds list web --json')).json()).toContainEqual(
      expect.objectContaining({ id: two, found: 'rolled back' }),
    );
    expect((await machine.run('history web')).stdout).toContain(`rolled back from ${two} to ${one}, as ${made}`);
    expect(ids(stage)).toHaveLength(4);
    expect((await machine.run('rollback web --yes --json')).json()).toMatchObject({ replaced: made, restored: zero });
  });

  test('that was automatic: what is said and printed is right for what serves', async () => {
    const { stage, machine } = await threeVersions({ replicas: 'crash' });
    const { code, stderr } = await machine.run('deploy --watch 40s --or-rollback', stopWhenLive(stage));
    const [, , sick, made] = ids(stage);
    const truth = `interrupted: build ${sick} of web was found sick; the rollback of web has succeeded, build ${made} serves`;
    expect([code, stderr]).toEqual([130, expect.stringContaining(truth)]);
    expect(stderr).not.toContain('fix gantry rollback');
    stage.platform.after = () => {};
    expect((await machine.run('rollback web --yes --json')).json()).toMatchObject({ build: made, changed: false });
    expect(stage.platform.live()).toBe(made);
  });

  test('that was automatic and out of time is pending', async () => {
    const { stage, machine } = await threeVersions({ replicas: 'crash' });
    const { code, json } = await machine.run('deploy --watch 40s --or-rollback --timeout 3s --json');
    const [, , sick, made] = ids(stage);
    const rollback = {
      outcome: 'pending',
      serves: sick,
      message: expect.stringContaining(`until then, build ${sick}`),
    };
    expect({ code, json: json() }).toMatchObject({
      code: 12,
      json: { error: { next: ['gantry', 'logs', 'web', '--build', made, '-f', '--json'], details: { rollback } } },
    });
  });
});

test('an automatic rollback that is ready when its time is over has rolled back', async () => {
  const { stage, machine } = await threeVersions({ replicas: 'crash' });
  stage.platform.after = ({ point }) => {
    const made = [...stage.platform.world.builds.values()][3];
    if (point === 'get-build' && made?.uploadedAt !== undefined) stage.pass(30_000);
  };
  // Longer than the log of the sick one is read beside it.
  const { code, json } = await machine.run('deploy --watch 40s --or-rollback --timeout 20s --json');
  const [, one, , made] = ids(stage);
  const message = `rolled back to build ${one}: build ${made} serves`;
  const rollback = { outcome: 'rolled-back', serves: made, restored: one, message };
  expect({ code, json: json() }).toMatchObject({ code: 12, json: { error: { details: { rollback } } } });
});

test('rollbacks in a row go further back, also over a build that was restored twice', async () => {
  const { stage, machine } = await threeVersions();
  await machine.run('deploy');
  await machine.run('rollback web --yes');
  await machine.deploys({ version: 3 });
  await machine.run('rollback web --yes');
  expect((await machine.run('rollback web --yes --json')).json()).toMatchObject({ restored: ids(stage)[0] });
});

test('without a history, the build is to be named: nobody saw one serve', async () => {
  const { stage, machine } = await threeVersions();
  await machine.run('deploy');
  const folder = join(machine.home, 'state', 'history');
  for (const name of await readdir(folder)) await rm(join(folder, name));
  const said = await machine.run('rollback web --dry-run');
  expect(said).toExit(6, /which build of web served before \S+ is not known\n {2}why .+ nobody here saw it serve/);
  const named = await machine.run(`rollback web ${ids(stage)[1]} --dry-run --json`);
  expect(named.json()).toMatchObject({ restored: ids(stage)[1] });
});

describe('the build before is put back by hand during a watch', () => {
  const putBack = (stage: Stage) => {
    const app = stage.platform.app('web');
    const [old, now] = app?.services ?? [];
    if (!app || !old || !now) return;
    Object.assign(now, { until: stage.clock.now });
    app.services.push({ ...old, from: stage.clock.now, until: Number.POSITIVE_INFINITY });
  };

  test.each([
    ['replicas that restart as they go', 'deploy --watch 40s --or-rollback', 'containers', 6],
    ['a call that fails as they go', 'deploy --smoke run --or-rollback', 'call', 1],
  ])('%s do not make the new build sick', async (_, line, at, call) => {
    const { stage, machine, build: first } = await deployed({ version: 1 });
    await machine.write({ version: 2, ...(at === 'call' && { behaves: { calls: { everyMs: 1_000, failing: 1 } } }) });
    stage.pass(60_000);
    stage.platform.after = ({ point, nth }) => {
      if (point !== at || nth !== call) return;
      const { world } = stage.platform;
      const replicas = world.replicas.bind(world);
      world.replicas = (app) => replicas(app).map((each) => ({ ...each, restarts: 5, isTerminating: false }));
      putBack(stage);
    };
    const { code, stderr } = await machine.run(line);
    expect({ code, stderr }).toEqual({ code: 8, stderr: expect.stringContaining(`the app shows build ${first}`) });
    expect(stage.platform.live()).toBe(first);
    expect((await machine.run('history web')).stdout).not.toContain('sick');
  });
});

test('a build whose replicas somebody scaled away was seen', async () => {
  const { stage, machine } = await deployed({ version: 1 });
  await machine.write({ version: 2 });
  stage.platform.after = ({ point, nth }) => {
    if (point === 'containers' && nth === 8)
      Object.assign(stage.platform.app('web')?.settings ?? {}, { minReplicaCount: 0 });
  };
  expect(await machine.run('deploy --watch 40s')).toExit(8, /replica \S+ was seen, and does not run any more/);
});
