import { expect, test } from 'vitest';
import { part } from '../support/extent.ts';
import { Clone } from './clone.ts';
import { deployed, Stage } from './stage.ts';

/** Two commits were deployed, staging is at the first, and somebody has changed a setting by hand that no file has. */
async function afterHand() {
  const stage = await Stage.open();
  const clone = await Clone.of(stage);
  const run = async (line: string, expected = 0) => {
    const done = await clone.run(line);
    expect([done.code, done.stderr], line).toEqual([expected, expect.anything()]);
    return done;
  };
  await run('deploy');
  await run('deploy --name web-staging --new');
  await clone.commit({ version: 2 });
  await run('deploy');
  Object.assign(stage.platform.world.apps.get('web')?.settings ?? {}, { replicaConcurrency: 7 });
  return { stage, clone, run };
}

const rows: [lines: string, serves: 'HEAD' | 'HEAD~1', concurrency: number][] = [
  ['deploy', 'HEAD', 100],
  ['deploy --keep-scaling', 'HEAD', 7],
  ['rollback web --yes', 'HEAD~1', 7],
  ['rollback web --yes --restore-scaling', 'HEAD~1', 100],
  ['rollback web --yes --from-git HEAD~1', 'HEAD~1', 7],
  ['rollback web --yes --from-git HEAD~1 --restore-scaling', 'HEAD~1', 100],
  ['rollback web --yes, apps restart web --yes', 'HEAD~1', 7],
  ['rollback web --yes, deploy', 'HEAD', 100],
  ['rollback web --yes, deploy --keep-scaling', 'HEAD', 7],
  ['apps restart web --yes', 'HEAD', 7],
  ['apps restart web --yes, apps restart web --yes', 'HEAD', 7],
  ['promote web-staging web --yes', 'HEAD~1', 7],
  ['promote web-staging web --yes, apps restart web --yes', 'HEAD~1', 7],
  ['promote web-staging web --yes, rollback web --yes', 'HEAD', 7],
  ['apps scale web --max-replicas 3', 'HEAD', 7],
];

test.each(part(5, rows))('after %s, each question has a true answer', async (lines, serves, concurrency) => {
  const { stage, clone, run } = await afterHand();
  for (const line of lines.split(', ')) await run(line);
  const { world } = stage.platform;
  const settings = world.apps.get('web')?.settings;
  const builds = world.builds.size;
  expect(settings).toMatchObject({ replicaConcurrency: concurrency });
  const commit = clone.id(serves);
  const listed = (await run('builds list web --json')).json() as { id: string }[];
  expect(listed.find(({ id }) => id === stage.platform.live())).toMatchObject({ commit, dirty: false });
  for (const revision of ['HEAD', 'HEAD~1']) {
    await run(`status web --serves ${revision}`, revision === serves ? 0 : 7);
  }
  clone.git('reset', '--quiet', '--hard', commit);
  expect((await run('status web --json')).json()).toMatchObject({
    live: { commit, dirty: false },
    here: { paths: [] },
  });
  const isSame = concurrency === 100 && !lines.includes('scale ');
  await run('deploy --fail-on-drift --dry-run', isSame ? 0 : 7);
  expect((await run('deploy --dry-run --json')).json()).toMatchObject({ changed: !isSame });
  expect((await run('deploy --if-changed --keep-scaling --json')).json()).toMatchObject({ changed: false, commit });
  expect(world.builds.size).toBe(builds);
  const { stdout } = await run('history web');
  expect(stdout.match(/roll(ed|ing) back from/g) ?? []).toHaveLength(lines.split('rollback').length - 1);
});

test.each([
  ['other files', { version: 3 }, 'a deploy would change the app; the last build failed (build_failure)'],
  ['the files that serve', { version: 1 }, 'no changes; the last build failed (build_failure)'],
])('after a build that failed, a plan of %s says so', async (_, now, expected) => {
  const { stage, machine } = await deployed({ version: 1 });
  await machine.write({ version: 2, behaves: { ends: 'build_failure' } });
  expect((await machine.run('deploy')).code).toBe(11);
  await machine.write(now);
  expect((await machine.run('deploy --dry-run')).stdout).toContain(expected);
  const { code } = await machine.run('deploy --if-changed');
  expect([code, stage.platform.world.builds.size]).toEqual([0, now.version === 1 ? 2 : 3]);
});

test('what a rollback keeps of the file that served is changed by nobody', async () => {
  const { stage, machine } = await deployed({ version: 1, scaling: 'max_replicas = 2\n' });
  await machine.deploys({ version: 2, scaling: 'max_replicas = 3\n' });
  expect((await machine.run('rollback web --yes')).code).toBe(0);
  expect(stage.platform.world.apps.get('web')?.settings).toMatchObject({ maxReplicaCount: 3 });
  expect((await machine.run('deploy --fail-on-drift --dry-run')).code).toBe(0);
  await machine.run('apps scale web --max-replicas 5');
  expect((await machine.run('apps restart web --yes')).code).toBe(0);
  expect((await machine.run('deploy --fail-on-drift --dry-run')).code).toBe(7);
});

test('a restart does not end well while a replica of before is left', async () => {
  const { stage, machine, build } = await deployed({ version: 1, scaling: 'min_replicas = 1\n' });
  const left = {
    id: `${build}-1`,
    build,
    state: 'running',
    restarts: 0,
    startedAt: stage.clock.now,
    isTerminating: true,
  };
  stage.alter((each) => (each.build === build ? [each] : [each, { ...each, ...left }]));
  const outcome = await machine.run('apps restart web --yes --timeout 2m --json');
  expect(outcome).toExit(8, 'but replicas of earlier builds are left');
  expect(outcome.json()).toMatchObject({ error: { why: left.id, details: { replicas: [left.id] } } });
});
