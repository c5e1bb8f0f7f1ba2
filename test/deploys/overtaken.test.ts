import { describe, expect, test } from 'vitest';
import type { Quirks } from '../support/app-platform/types.ts';
import { halves } from '../support/extent.ts';
import { crash, deployed, type Machine, type Stage } from './stage.ts';

// A build that was created earlier and is ready later: on some platforms it serves, on others the one created last does.

const platforms: [string, Quirks][] = [
  ['the build that was created last serves', { servesLastCreated: true }],
  ['the build that was ready last serves', {}],
  ['the build that was ready last serves, and the app is late to show it', { lagsMs: 8_000 }],
];

/** Three versions, and a rollback of the last one that is out of time: its build is ready after that of a colleague. */
async function overtaken(quirks: Quirks): Promise<{ stage: Stage; machine: Machine }> {
  const slow = { version: 1, behaves: { buildMs: 20_000 } };
  const { stage, machine } = await deployed([{ version: 0 }, slow, { version: 2 }]);
  stage.pass(60_000);
  Object.assign(stage.quirks, quirks);
  expect(await machine.run('rollback web --yes --timeout 2s')).toMatchObject({ code: 8 });
  await (await stage.machine()).deploys({ version: 3 });
  const [, , , made] = stage.builds;
  while (made?.ended === undefined) stage.pass(1_000);
  return { stage, machine };
}

describe.each(platforms)('%s', (_, quirks) => {
  test('a rollback that is typed again goes by what serves, and --if-changed as well', async () => {
    const { stage, machine } = await overtaken(quirks);
    const [zero, one, two, made, theirs] = stage.ids;
    const isChanged = async (changed: boolean) => {
      // It knows what this machine knows, and this one does not learn what it sees.
      const copy = await stage.killed(machine);
      await copy.write({ version: 3 });
      expect(await copy.json('deploy --if-changed')).toMatchObject({ changed });
    };
    if (quirks.servesLastCreated) await isChanged(false);
    expect(stage.ids).toHaveLength(5);
    const { code, json } = await machine.run('rollback web --yes --json');
    const serves = stage.platform.live();
    const done = { replaced: two, restored: one, build: made, changed: false };
    const goesOn = { replaced: theirs, restored: one, build: serves, changed: true };
    expect({ code, json: json() }).toMatchObject({ code: 0, json: quirks.servesLastCreated ? goesOn : done });
    expect(serves).toBe(quirks.servesLastCreated ? stage.ids[5] : made);
    expect(await machine.json(`rollback web ${zero} --dry-run`)).toMatchObject({ replaced: serves, restored: zero });
    expect(await machine.found(two)).toBe('rolled back');
    if (!quirks.servesLastCreated) await isChanged(true);
    expect(stage.ids).toHaveLength(6);
  });

  test('a sick build is rolled back if it serves', async () => {
    const { stage, machine, build: first } = await deployed({ version: 1 }, quirks);
    stage.pass(60_000);
    const slow = await stage.stranger({ minReplicaCount: 1 }, { buildMs: 100_000 });
    stage.pass(1_000);
    await machine.write({ version: 2, behaves: crash });
    stage.platform.after = ({ point }) => {
      const { world } = stage.platform;
      const build = world.builds.get(slow);
      if (point !== 'containers' || !world.replicas(stage.web).some(({ restarts }) => restarts > 1)) return;
      if (build) build.behavior = { buildMs: Math.min(build.behavior.buildMs ?? 0, stage.clock.now - build.createdAt) };
    };
    const { code, json } = await machine.run('deploy --watch 40s --or-rollback --json');
    const returned = { outcome: 'rolled-back', restored: first };
    const rollback = quirks.servesLastCreated ? returned : { outcome: 'deployed-meanwhile', serves: slow };
    // A late app shows the sick one when that is judged.
    const isSick = quirks.servesLastCreated || quirks.lagsMs !== undefined;
    const details = isSick ? { rollback } : { reason: `build ${slow} serves now` };
    expect({ code, json: json() }).toMatchObject({ code: isSick ? 12 : 7, json: { error: { details } } });
    expect(stage.platform.live()).toBe(quirks.servesLastCreated ? stage.ids[3] : slow);
  });
});

describe('of two builds that are later than the one that a late app shows', () => {
  /** Versions 0 and 1, and two later builds, created in this order, that the app does not show yet. */
  async function unseen(quirks: Quirks, slowMs: number): Promise<{ stage: Stage; machine: Machine }> {
    const { stage, machine } = await deployed([{ version: 0 }, { version: 1 }]);
    stage.pass(60_000);
    Object.assign(stage.quirks, quirks);
    for (const buildMs of [slowMs, 500]) {
      await machine.write({ version: buildMs, behaves: { buildMs } });
      await machine.run('deploy --detach');
      stage.pass(1_000);
    }
    stage.pass(Math.max(0, slowMs - 1_000));
    return { stage, machine };
  }

  /** Makes the folder what serves. */
  async function writeServing(stage: Stage, machine: Machine, slowMs: number): Promise<void> {
    const buildMs = stage.platform.live() === stage.ids[2] ? slowMs : 500;
    await machine.write({ version: buildMs, behaves: { buildMs } });
  }

  const lagsMs = 8_000;

  const [replacing, comparing] = halves<[string, Quirks, number, [replaced: number, restored: number]]>([
    ['the one that was ready last serves', { lagsMs, listsNewestFirst: true }, 4_000, [2, 3]],
    ['the one that was created last serves', { lagsMs, servesLastCreated: true }, 4_000, [3, 1]],
    ['the one that was created and ready last serves', { lagsMs }, 400, [3, 2]],
  ]);

  test.each(replacing)('%s: a rollback replaces it', async (_, quirks, slowMs, [replaced, restored]) => {
    const { stage, machine } = await unseen(quirks, slowMs);
    expect(stage.platform.live()).toBe(stage.ids[replaced]);
    // Only the first ones were seen to serve.
    const named = restored > 1 ? stage.ids[restored] : '';
    if (named) expect(await machine.run('rollback web --yes')).toExit(6, `build ${named} may have`);
    const done = await machine.json(`rollback web ${named} --yes`.replace('  ', ' '));
    const { ids } = stage;
    expect(done).toMatchObject({ replaced: ids[replaced], restored: ids[restored], build: ids[4] });
    expect(stage.platform.live()).toBe(ids[4]);
  });

  test.each(comparing)('%s: --if-changed and a dry run compare with it', async (_, quirks, slowMs) => {
    const dryRun = 'deploy --dry-run --detailed-exit-code';
    const { stage, machine } = await unseen(quirks, slowMs);
    const serves = stage.platform.live();
    await writeServing(stage, machine, slowMs);
    expect((await machine.run(dryRun)).code).toBe(0);
    const { stderr, json } = await machine.run('deploy --if-changed --json');
    expect(stderr).not.toContain('main.py changed');
    expect(json()).toMatchObject({ changed: false, build: serves });
    await machine.write({ version: 1 });
    expect((await machine.run(`${dryRun} --save-plan plan.json`)).code).toBe(3);
    const applied = await machine.json('deploy --apply-plan plan.json --if-changed');
    expect(applied).toMatchObject({ changed: true, build: stage.platform.live() });
  });
});

test.each<[string, Quirks]>([
  ['serves', { lagsMs: 14_000 }],
  ['never does', { lagsMs: 14_000, servesLastCreated: true }],
])('a deploy whose build is ready after one that was created later says whether it %s', async (_, quirks) => {
  const { stage, machine } = await deployed({ version: 0 });
  stage.pass(60_000);
  Object.assign(stage.quirks, quirks);
  stage.at('upload', 2, () => {
    stage.pass(500);
    return stage.stranger({}, { buildMs: 500 });
  });
  await machine.write({ version: 1, behaves: { buildMs: 5_000 } });
  const { code, json } = await machine.run('deploy --json');
  const { build, serves = build } = json() as { build: string; serves?: string };
  expect([code, build, serves]).toEqual([0, stage.ids[1], stage.platform.live()]);
});
