import { describe, expect, test } from 'vitest';
import { deployed, type Machine, type Stage } from './stage.ts';

/** Three versions, the last of which serves, and a rollback of it that is out of time: its build goes live later. */
async function outOfTime(
  line: string,
  isGone = false,
  meanwhile?: (stage: Stage) => Promise<void>,
): Promise<{ stage: Stage; machine: Machine }> {
  const slow = { behaves: { buildMs: 4_000 } };
  const { stage, machine } = await deployed([{ version: 0, ...slow }, { version: 1, ...slow }, { version: 2 }]);
  const [zero = ''] = stage.ids;
  stage.at('upload', 4, () => Object.assign(stage.platform, { isDown: isGone }));
  expect((await machine.run(`${line.replace('ZERO', zero)} --yes --timeout 2s`)).code).toBe(isGone ? 69 : 8);
  stage.calm();
  if (meanwhile) await meanwhile(stage);
  else stage.pass(10_000);
  expect(stage.platform.live()).toBe(stage.ids[meanwhile ? 4 : 3]);
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
    const outcome = await machine.run('rollback web --yes');
    const [, one, two, unseen, later] = stage.ids;
    const isSeen = who !== 'a colleague';
    const said = isSeen ? `rollback of web: build ${later} -> (?!${two})b-` : `why build ${unseen} may have`;
    expect(outcome).toExit(isSeen ? 0 : 6, new RegExp(said));
    expect(await machine.found(two)).toBe('rolled back');
    const { stdout } = await machine.run('history web');
    expect(stdout).toMatch(`rolled back from ${two} to ${one}`);
    expect(stdout).not.toContain('whether it arrived');
  },
);

test('a rollback whose build was ready after a later one that serves has not rolled back', async () => {
  const { stage, machine } = await outOfTime('rollback web', false, async (open) => {
    const { services } = open.web;
    const later = await open.stranger({}, {});
    open.pass(9_000);
    // Of two builds, the one that was created last serves.
    const theirs = services.find(({ build }) => build.id === later);
    if (theirs) services.push(Object.assign(theirs, { until: Number.POSITIVE_INFINITY }));
  });
  const [, one, , , later] = stage.ids;
  expect(await machine.json('rollback web --dry-run')).toMatchObject({ replaced: later, restored: one, changed: true });
});

describe('the same command typed again', () => {
  async function expectDone({ stage, machine }: { stage: Stage; machine: Machine }, line: string, restored: number) {
    const { ids } = stage;
    const done = { replaced: ids[2], restored: ids[restored], build: ids[3], changed: false };
    expect(await machine.json(`${line} --yes`)).toMatchObject(done);
    expect(stage.ids).toHaveLength(4);
  }

  test('finds that it is done, also if it goes back to what was rolled back before', async () => {
    const { stage, machine, build: zero } = await deployed({ version: 0 });
    const one = await machine.deploys({ version: 1, behaves: { buildMs: 4_000 } });
    expect((await machine.run(`rollback web ${zero} --yes`)).code).toBe(0);
    stage.pass(60_000);
    expect((await machine.run(`rollback web ${one} --yes --timeout 2s`)).code).toBe(8);
    stage.pass(10_000);
    const again = await machine.json(`rollback web ${one} --yes`);
    expect(again).toMatchObject({ restored: one, build: stage.ids[3], changed: false });
  });

  test('finds that it is done, and goes to another build that is named', async () => {
    const { stage, machine } = await outOfTime('rollback web ZERO');
    const [zero, one, , made] = stage.ids;
    await expectDone({ stage, machine }, `rollback web ${zero}`, 0);
    const other = await machine.json(`rollback web ${one} --yes`);
    expect(other).toMatchObject({ replaced: made, restored: one, build: stage.ids[4], changed: true });
  });

  test('finds that it is done, or deploys the revision that it names and the first one did not', async () => {
    const { stage, machine } = await outOfTime('rollback web');
    expect(await machine.run('rollback web --yes --from-git HEAD')).toExit(2, 'is not in a git repository');
    await expectDone({ stage, machine }, 'rollback web', 1);
  });

  test('does what its flag says and the first one did not: --restore-scaling', async () => {
    const { stage, machine } = await outOfTime('rollback web');
    const [zero, one] = stage.ids;
    await machine.run('apps scale web --min-replicas 0 --cooldown 99');
    expect(await machine.json('rollback web --yes --restore-scaling')).toMatchObject({ restored: one, changed: true });
    expect(stage.web.settings).toMatchObject({ minReplicaCount: 1 });
    // It has only changed settings: what it returned to is not found sick.
    expect(await machine.found(one)).toBeNull();
    expect(await machine.json('rollback web --dry-run')).toMatchObject({ restored: zero });
  });
});

test('what the earlier build left to the platform is named if it changes back', async () => {
  const { stage, machine } = await deployed([{ version: 0 }, { version: 1, scaling: 'response_grace_period = 60\n' }]);
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
    expect(stage.web.settings.cooldownPeriodSeconds).toBe(cooldown);
  }
});
