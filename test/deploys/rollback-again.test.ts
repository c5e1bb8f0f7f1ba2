import { describe, expect, test } from 'vitest';
import { deployed, type Machine, type Stage } from './stage.ts';

const ids = ({ platform }: Stage): string[] => [...platform.world.builds.keys()];

/** Three versions, the last of which serves, and a rollback of it that is out of time: its build goes live later. */
async function outOfTime(
  line: string,
  isGone = false,
  meanwhile?: (stage: Stage) => Promise<void>,
): Promise<{ stage: Stage; machine: Machine }> {
  const { stage, machine } = await deployed({ version: 0, behaves: { buildMs: 4_000 } });
  await machine.deploys({ version: 1, behaves: { buildMs: 4_000 } });
  await machine.deploys({ version: 2 });
  const [zero = ''] = ids(stage);
  stage.platform.after = ({ point, nth }) => {
    stage.platform.isDown ||= isGone && point === 'upload' && nth === 4;
  };
  const { code } = await machine.run(`${line.replace('ZERO', zero)} --yes --timeout 2s`);
  expect(code).toBe(isGone ? 69 : 8);
  stage.platform.isDown = false;
  stage.platform.after = () => {};
  if (meanwhile) await meanwhile(stage);
  else stage.pass(10_000);
  expect(stage.platform.live()).toBe(ids(stage)[meanwhile ? 4 : 3]);
  return { stage, machine };
}

test.each(['a colleague', 'the same machine'])(
  'a rollback whose build went live unseen has rolled back, also if another build serves: of %s',
  async (who) => {
    const { stage, machine } = await outOfTime('rollback web', who === 'a colleague');
    // Somebody who has nothing in common with this machine.
    const other = who === 'a colleague' ? await stage.machine() : machine;
    await other.deploys({ version: 3 });
    stage.pass(60_000);
    const { code, stderr } = await machine.run('rollback web --yes');
    const [, one, two, unseen, later] = ids(stage);
    const isSeen = who !== 'a colleague';
    const said = isSeen ? `rollback of web: build ${later} -> (?!${two})b-` : `why build ${unseen} may have`;
    expect([code, stderr]).toEqual([isSeen ? 0 : 6, expect.stringMatching(said)]);
    expect((await machine.run('builds list web --json')).json()).toContainEqual(
      expect.objectContaining({ id: two, found: 'rolled back' }),
    );
    const { stdout } = await machine.run('history web');
    expect(stdout).toMatch(`rolled back from ${two} to ${one}`);
    expect(stdout).not.toContain('whether it arrived');
  },
);

test('a rollback whose build was ready after a later one that serves has not rolled back', async () => {
  const { stage, machine } = await outOfTime('rollback web', false, async (open) => {
    const app = open.platform.app('web');
    const later = await open.stranger({}, {});
    open.pass(9_000);
    // Of two builds, the one that was created last serves.
    const [theirs] = (app?.services ?? []).filter(({ build }) => build.id === later);
    if (app && theirs) Object.assign(theirs, { until: Number.POSITIVE_INFINITY }) && app.services.push(theirs);
  });
  const [, one, , , later] = ids(stage);
  const { json } = await machine.run('rollback web --dry-run --json');
  expect(json()).toMatchObject({ replaced: later, restored: one, changed: true });
});

describe('the same command typed again', () => {
  async function expectDone({ stage, machine }: { stage: Stage; machine: Machine }, line: string, restored: number) {
    const [, , two, made] = ids(stage);
    const { code, json } = await machine.run(`${line} --yes --json`);
    const done = { replaced: two, restored: ids(stage)[restored], build: made, changed: false };
    expect([code, json()]).toEqual([0, expect.objectContaining(done)]);
    expect(ids(stage)).toHaveLength(4);
  }

  test('finds that it is done, also if it goes back to what was rolled back before', async () => {
    const { stage, machine, build: zero } = await deployed({ version: 0 });
    const one = await machine.deploys({ version: 1, behaves: { buildMs: 4_000 } });
    expect((await machine.run(`rollback web ${zero} --yes`)).code).toBe(0);
    stage.pass(60_000);
    expect((await machine.run(`rollback web ${one} --yes --timeout 2s`)).code).toBe(8);
    stage.pass(10_000);
    const { json } = await machine.run(`rollback web ${one} --yes --json`);
    expect(json()).toMatchObject({ restored: one, build: ids(stage)[3], changed: false });
  });

  test('finds that it is done, and goes to another build that is named', async () => {
    const { stage, machine } = await outOfTime('rollback web ZERO');
    const [zero, one, , made] = ids(stage);
    await expectDone({ stage, machine }, `rollback web ${zero}`, 0);
    const { json } = await machine.run(`rollback web ${one} --yes --json`);
    expect(json()).toMatchObject({ replaced: made, restored: one, build: ids(stage)[4], changed: true });
  });

  test('finds that it is done, or deploys the revision that it names and the first one did not', async () => {
    const { stage, machine } = await outOfTime('rollback web');
    expect(await machine.run('rollback web --yes --from-git HEAD')).toExit(2, 'is not in a git repository');
    await expectDone({ stage, machine }, 'rollback web', 1);
  });

  test('does what its flag says and the first one did not: --restore-scaling', async () => {
    const { stage, machine } = await outOfTime('rollback web');
    const [zero, one] = ids(stage);
    await machine.run('apps scale web --min-replicas 0 --cooldown 99');
    const scaled = await machine.run('rollback web --yes --restore-scaling --json');
    expect(scaled.json()).toMatchObject({ restored: one, changed: true });
    expect(stage.platform.app('web')?.settings).toMatchObject({ minReplicaCount: 1 });
    // It has only changed settings: what it returned to is not found sick.
    expect((await machine.run('builds list web --json')).json()).toContainEqual(
      expect.objectContaining({ id: one, found: null }),
    );
    expect((await machine.run('rollback web --dry-run --json')).json()).toMatchObject({ restored: zero });
  });
});

test('what the earlier build left to the platform is named if it changes back', async () => {
  const { stage, machine } = await deployed({ version: 0 });
  await machine.deploys({ version: 1, scaling: 'response_grace_period = 60\n' });
  await machine.run('apps scale web --min-replicas 0 --cooldown 99');
  const settings = [
    { setting: 'cooldown', from: 99, to: 10 },
    { setting: 'response_grace_period', from: 60, to: 900 },
  ];
  for (const [how, cooldown] of [
    ['--dry-run', 99],
    ['--yes', 10],
  ] as const) {
    const { stderr, json } = await machine.run(`rollback web ${how} --restore-scaling --json`);
    expect(json()).toMatchObject({ settings: expect.arrayContaining(settings) });
    expect(stderr).toContain('setting cooldown: 99 -> 10');
    expect(stage.platform.app('web')?.settings.cooldownPeriodSeconds).toBe(cooldown);
  }
});
