import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Quirks } from '../support/app-platform/types.ts';
import { deployed, type Machine, type Replica, Stage, staged } from './stage.ts';

const line = 'deploy --if-changed --watch 4s';

/** A build that was found healthy, and some time after. */
async function healthy(): Promise<{ stage: Stage; machine: Machine }> {
  const { stage, machine } = await staged({}, { restarts: 'start times' });
  expect(await machine.run(`${line} --smoke run`)).toMatchObject({ code: 0 });
  stage.pass(60_000);
  return { stage, machine };
}

test.each<[string, Quirks, boolean]>([
  ['is late', { lagsMs: 9_000 }, true],
  ['shows what serves', {}, false],
])('where builds are listed without times, and the app %s, a machine of its own', async (_, quirks, changed) => {
  const stage = await Stage.open({ hasNoTimes: true });
  const other = await stage.machine();
  for (const version of [1, 2]) await other.deploys({ version });
  stage.pass(60_000);
  Object.assign(stage.quirks, quirks);
  await other.write({ version: 3 });
  await other.run('deploy --detach');
  stage.pass(5_000);
  const machine = await stage.machine({ version: quirks.lagsMs ? 2 : 3 });
  expect(await machine.json('deploy --if-changed')).toMatchObject({ changed });
});

test('of what has happened since the app was late, all is looked at: --if-busy fail', async () => {
  const { stage, machine } = await deployed([{ version: 0 }, { version: 1 }]);
  stage.pass(60_000);
  Object.assign(stage.quirks, { lagsMs: 8_000 });
  await machine.write({ version: 2 });
  await machine.run('deploy --detach');
  stage.pass(2_000);
  await machine.write({ version: 3 });
  let made: string | undefined;
  const meanwhile = async () => {
    made ??= await stage.stranger({}, { buildMs: 45_000 });
  };
  expect(await machine.run('deploy --if-changed --if-busy fail', { meanwhile })).toExit(7, `build ${made}`);
});

type Alter = (replica: Replica, stage: Stage) => Replica[];

const ends: [what: string, change: Alter][] = Object.entries({
  'no replica is listed': () => [],
  'its replica comes back under other names': (each, { clock }) => [
    { ...each, id: `${each.id}-${Math.floor(clock.now / 2_000)}`, startedAt: clock.now },
  ],
  'all replicas have started since': (each, { clock }) => [
    { ...each, id: `${each.id}-${Math.floor(clock.now / 9_000)}`, startedAt: clock.now - 5_000 },
  ],
});

test.each(ends)('an unchanged build is watched again if what runs is not as it was: %s', async (_, change) => {
  const { stage, machine } = await healthy();
  stage.alter((replica) => change(replica, stage));
  expect((await machine.run(line)).stderr).toMatch(/was found healthy by a watch of 4\.0 s, but .*: watching it again/);
});

test('a build of which one of two replicas runs is healthy with a warning, at first and when typed again', async () => {
  const stage = await Stage.open();
  stage.alter((each) => (each.id.endsWith('-0') ? [each] : []));
  const machine = await stage.machine({ scaling: 'min_replicas = 2\nmax_replicas = 2\n' });
  expect(await machine.run(line)).toExit(0, 'warning: 1 of 2 replicas run');
  expect(await machine.run(line)).toExit(0, /1 of 2 replicas run.*: not watched again/s);
});

test.each<[string, Partial<Replica>, boolean]>([
  ['waits after two restarts', { state: 'PENDING', restarts: 2 }, true],
  ['waits after one restart', { state: 'PENDING', restarts: 1 }, false],
  ['has failed', { state: 'Failed' }, true],
  ['runs after restarts that may be old', { restarts: 4 }, false],
])('what was found healthy is not unchanged if its replica crashes by now: one that %s', async (_, shown, isSick) => {
  const { stage, machine } = await healthy();
  delete stage.quirks.restarts;
  stage.pass(2 * 3_600_000);
  stage.alter((replica) => [{ ...replica, ...shown }]);
  const status = await machine.run('status web');
  expect(
    /^sick\tthe live build does not keep running: replica \S+ (is Failed|restarted 2 times)$/m.test(status.stdout),
  ).toBe(isSick);
  const explained = (await machine.run('explain web')).stdout;
  expect(/has not failed/.test(explained)).toBe(!isSick);
  const { stderr } = await machine.run('deploy --if-changed');
  expect(stderr).toMatch(isSick ? /web is unchanged, but replica \S+ .*: deploying/ : 'nothing to deploy');
});

test.each<[string, Quirks['refuses']]>([
  ['replicas', { containers: 403 }],
  ['calls', { runs: 403, chart: 403 }],
])('an unchanged build is watched again if the list is refused: of %s', async (_, refuses) => {
  const { stage, machine } = await healthy();
  Object.assign(stage.quirks, { refuses });
  expect(await machine.run(line)).toExit(8, /but .*not (listed|known).*: watching it again/);
});

test('an app is not unchanged if the list of builds is refused: the app may be late', async () => {
  const { stage, machine } = await healthy();
  Object.assign(stage.quirks, { refuses: { 'list-builds': 403 } });
  const said = /are not listed, so a later one may serve: deploying/;
  expect(await machine.run('deploy --if-changed')).toExit(0, said);
});

test('an app is deployed again because of changed files or for want of a proof, and it is said', async () => {
  const { stage, machine } = await staged();
  expect(await machine.run('deploy')).toMatchObject({ code: 0 });
  await machine.write({ version: 2 });
  expect(await machine.run('deploy --if-changed')).toExit(0, /^main\.py changed: deploying$/m);
  await writeFile(join(machine.folder, 'more.py'), '');
  await machine.write({ version: 3 });
  expect(await machine.run('deploy --if-changed')).toExit(0, /^\S+ and 1 more changed: deploying$/m);
  await chmod(join(machine.folder, 'main.py'), 0o755);
  expect(await machine.run('deploy --if-changed')).toExit(0, /^web is not as it was sent for build \S+: deploying$/m);
  Object.assign(stage.quirks, { refuses: { 'zip-contents': 404 } });
  const unproven = /^cannot prove that web is unchanged since build .*: deploying$/m;
  expect(await (await stage.machine()).run('deploy --if-changed')).toExit(0, unproven);
});

test.each(['running time', 'read time', 'both'] as const)(
  'a replica that was torn down, and is still listed as running, does not count: it shows its %s',
  async (replicaTimes) => {
    const { stage, machine } = await staged({ scaling: 'min_replicas = 2\nmax_replicas = 2\n' }, { replicaTimes });
    const again = 'deploy --if-changed --watch 35s';
    expect(await machine.run(again)).toExit(0);
    stage.pass(60_000);
    expect(await machine.run(again)).toExit(0, ': not watched again', expect.not.stringContaining('replicas run'));
    const seenAt = stage.clock.now;
    stage.alter((each) => [each.id.endsWith('-0') ? { ...each, seenAt } : each]);
    expect(await machine.run(again)).toExit(0, 'warning: 1 of 2 replicas run');
  },
);

test('a watch that sees no call does not make well what a call has found sick', async () => {
  const calls = { everyMs: 1e9, failing: 1 };
  const { stage, machine } = await staged({ behaves: { calls }, scaling: 'min_replicas = 1\n' });
  expect(await machine.run('deploy --smoke run')).toExit(12, 'is not healthy');
  expect((await machine.run('deploy --watch 10s')).code).toBe(0);
  expect(await machine.run('deploy --if-changed')).toExit(0, 'was found sick: deploying');
  expect(stage.builds).toHaveLength(3);
});
