import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Setting } from '../support/gantry.ts';
import { crash, deployed, type Machine, type Stage } from './stage.ts';

/** Three versions, the last of which serves. */
async function threeVersions(behaves = {}): Promise<{ stage: Stage; machine: Machine }> {
  const { stage, machine } = await deployed([{ version: 0 }, { version: 1, behaves: { buildMs: 4_000 } }]);
  await machine.write({ version: 2, behaves });
  return { stage, machine };
}

/** Ctrl-C when the build of the rollback has just gone live. */
function stopWhenLive(stage: Stage): Setting {
  const controller = new AbortController();
  stage.platform.after = ({ point }) => {
    if (point === 'get-build' && stage.builds[3]?.ended === 'success') controller.abort();
  };
  return { stop: controller.signal };
}

describe('a rollback that was not seen to its end', () => {
  type Ending = [what: string, line: string, code: number, says: RegExp, end?: (stage: Stage) => Setting | undefined];
  const gone = (stage: Stage) => void stage.at('upload', 4, () => Object.assign(stage.platform, { isDown: true }));
  const live = /interrupted: the rollback of web has succeeded, build b-\S+ serves/;
  const endings: Ending[] = [
    ['Ctrl-C when its build is live', '', 130, live, stopWhenLive],
    ['its time is over', ' --timeout 3s', 8, /still in progress/],
    ['the platform is gone after the upload', '', 69, /whether it arrived is not known|connect|ended|reach/i, gone],
  ];

  test.each(endings)('has rolled back once its build serves: %s', async (_, flags, code, says, end) => {
    const { stage, machine } = await threeVersions();
    await machine.run('deploy');
    const ended = await machine.run(`rollback web --yes${flags}`, end?.(stage) ?? {});
    expect(ended).toExit(code, says);
    // What continues has not failed.
    expect(ended.stderr).not.toMatch(/(✗|failed:) Building/);
    stage.calm();
    stage.pass(10_000);
    const [zero, one, two, made] = stage.ids;
    expect(stage.platform.live()).toBe(made);
    const same = { replaced: two, restored: one, build: made, changed: false };
    expect(await machine.json('rollback web --dry-run')).toMatchObject(same);
    expect((await machine.run('rollback web --yes')).stdout).toContain(`nothing to change: build ${made} serves`);
    expect(await machine.found(two)).toBe('rolled back');
    expect((await machine.run('history web')).stdout).toContain(`rolled back from ${two} to ${one}, as ${made}`);
    expect(stage.ids).toHaveLength(4);
    expect(await machine.json('rollback web --yes')).toMatchObject({ replaced: made, restored: zero });
  });

  test('that was automatic: what is said and printed is right for what serves', async () => {
    const { stage, machine } = await threeVersions(crash);
    const { code, stderr } = await machine.run('deploy --watch 40s --or-rollback', stopWhenLive(stage));
    const [, , sick, made] = stage.ids;
    const truth = `interrupted: build ${sick} of web was found sick; the rollback of web has succeeded, build ${made} serves`;
    expect([code, stderr]).toEqual([130, expect.stringContaining(truth)]);
    expect(stderr).not.toContain('fix gantry rollback');
    stage.calm();
    expect(await machine.json('rollback web --yes')).toMatchObject({ build: made, changed: false });
    expect(stage.platform.live()).toBe(made);
  });

  test('that was automatic and out of time is pending', async () => {
    const { stage, machine } = await threeVersions(crash);
    const { code, json } = await machine.run('deploy --watch 40s --or-rollback --timeout 3s --json');
    const [, , sick, made] = stage.ids;
    const message = expect.stringContaining(`until then, build ${sick}`);
    const details = { rollback: { outcome: 'pending', serves: sick, message } };
    const next = ['gantry', 'logs', 'web', '--build', made, '-f', '--json'];
    expect([code, json()]).toMatchObject([12, { error: { next, details } }]);
  });
});

test('an automatic rollback that is ready when its time is over has rolled back', async () => {
  const { stage, machine } = await threeVersions(crash);
  stage.platform.after = ({ point }) => {
    if (point === 'get-build' && stage.builds[3]?.uploadedAt !== undefined) stage.pass(30_000);
  };
  // Longer than the log of the sick one is read beside it.
  const { code, json } = await machine.run('deploy --watch 40s --or-rollback --timeout 20s --json');
  const [, one, , made] = stage.ids;
  const message = `rolled back to build ${one}: build ${made} serves`;
  const rollback = { outcome: 'rolled-back', serves: made, restored: one, message };
  expect([code, json()]).toMatchObject([12, { error: { details: { rollback } } }]);
});

test('rollbacks in a row go further back, also over a build that was restored twice', async () => {
  const { stage, machine } = await threeVersions();
  await machine.run('deploy');
  await machine.run('rollback web --yes');
  await machine.deploys({ version: 3 });
  await machine.run('rollback web --yes');
  expect(await machine.json('rollback web --yes')).toMatchObject({ restored: stage.ids[0] });
});

test('without a history, the build is to be named: nobody saw one serve', async () => {
  const { stage, machine } = await threeVersions();
  await machine.run('deploy');
  const folder = join(machine.home, 'state', 'history');
  for (const name of await readdir(folder)) await rm(join(folder, name));
  const said = await machine.run('rollback web --dry-run');
  expect(said).toExit(6, /which build of web served before \S+ is not known\n {2}why .+ nobody here saw it serve/);
  const [, one] = stage.ids;
  expect(await machine.json(`rollback web ${one} --dry-run`)).toMatchObject({ restored: one });
});

test.each([
  ['replicas that end for that', 'deploy --watch 40s --or-rollback', 'containers', 8],
  ['replicas that restart as they go', 'deploy --watch 40s --or-rollback', 'containers', 6],
  ['a call that fails as they go', 'deploy --smoke run --or-rollback', 'call', 1],
])('the build before is put back by hand during a watch: %s do not make the new one sick', async (_, line, at, nth) => {
  const { stage, machine, build: first } = await deployed({ version: 1 });
  await machine.write({ version: 2, ...(at === 'call' && { behaves: { calls: { everyMs: 1_000, failing: 1 } } }) });
  stage.pass(60_000);
  stage.at(at, nth, () => {
    if (nth < 8) stage.alter((each) => [{ ...each, restarts: 5, isTerminating: false }]);
    stage.putBack();
  });
  expect(await machine.run(line)).toExit(8, `the app shows build ${first}`);
  expect(stage.platform.live()).toBe(first);
  expect((await machine.run('history web')).stdout).not.toContain('sick');
});

test('a build whose replicas somebody scaled away was seen', async () => {
  const { stage, machine } = await deployed({ version: 1 });
  await machine.write({ version: 2 });
  stage.at('containers', 8, () => Object.assign(stage.web.settings, { minReplicaCount: 0 }));
  expect(await machine.run('deploy --watch 40s')).toExit(8, /replica \S+ was seen, and does not run any more/);
});
