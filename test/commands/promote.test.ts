import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { half } from '../support/extent.ts';
import { keys } from '../support/gantry.ts';
import { emulatorForAll, filesIn, gantry, newFolder, smallApp, withGit } from '../support/index.ts';

const data = newFolder();
const emulator = emulatorForAll({ real: false, data });

// Each machine reads all that the team has on record.
beforeEach(() => emulator.reset());

/** On a machine of its own, with the state of the team. */
function run(line: string, cwd = data, team = 'default:/.gantry') {
  return gantry(line.split(' '), { emulator, cwd, env: { GANTRY_CONFIG_DIR: newFolder(), GANTRY_TEAM_STATE: team } });
}

async function deploy(name: string, version: string, more = '') {
  const app = newFolder({ ...smallApp(more), 'data.txt': version });
  return (await run(`deploy --name ${name} --json`, app)).json() as { build: string };
}

/** SHA-256 of what the platform has received for a build. */
function received(build: string): string {
  const key = emulator.store.builds.get(build)?.keyName ?? '';
  const [path = ''] = filesIn(data).filter((each) => each.endsWith(key));
  return createHash('sha256')
    .update(readFileSync(join(data, path)))
    .digest('hex');
}

test('deploys the archive that serves as another app, byte for byte, from another machine', async () => {
  const staging = await deploy('web-staging', 'two', '[cerebrium.hardware]\ncpu = 3\nmemory = 5\n');
  const live = await deploy('web', 'one', '[cerebrium.scaling]\nmax_replicas = 7\n');
  expect(await run('promote web-staging web')).toExit(9, /setting cpu: .* -> 3/);
  const { json } = await run('promote web-staging web --yes --json');
  const { build } = json() as { build: string };
  const archive = received(staging.build);
  expect(json()).toMatchObject({ replaced: live.build, restored: staging.build, proof: 'record', archive });
  expect(received(build)).toBe(archive);
  expect((await run('history web')).stdout).toContain(' again, as it was sent to web-staging\t');
  const shown = async (app: string) => (await run(`apps get ${app} --json`)).json();
  expect(await shown('web')).toMatchObject({ latestReadyBuildId: build, maxReplicaCount: 7, cpu: 3 });
  expect(await shown('web-staging')).toMatchObject({ latestReadyBuildId: staging.build });
  expect((await run('rollback web --yes --json')).json()).toMatchObject({ replaced: build, restored: live.build });
});

test.each([
  ['promote web-staging nowhere', 6, ''],
  ['promote nowhere web', 6, ''],
  ['promote web web', 2, ''],
  ['promote web-staging web --timeout 0s', 69, 'promotion did not get as far as the build'],
  ['promote web-staging web', 6, 'gantry config set team-state default:/.gantry; then deploy web-staging', 'off'],
])('%s changes nothing (%s, %s)', async (line, expected, fix, team = undefined) => {
  for (const name of ['web', 'web-staging']) await deploy(name, name);
  const before = emulator.store.builds.size;
  const { code, stderr } = await run(`${line} --yes`, data, team);
  expect([code, stderr, emulator.store.builds.size]).toEqual([expected, expect.stringContaining(fix), before]);
});

test('a build that was found sick is promoted with --force only, and returned to with a warning', async () => {
  const home = newFolder();
  const env = { GANTRY_CONFIG_DIR: home, GANTRY_TEAM_STATE: 'default:/.gantry' };
  const sick = newFolder({ ...smallApp(), 'data.txt': 'sick' });
  const staged = 'deploy --name web-staging --smoke run:another';
  expect((await gantry(staged.split(' '), { emulator, cwd: sick, env })).code).toBe(12);
  await deploy('web', 'well');
  const before = emulator.store.builds.size;
  const refused = await run('promote web-staging web --yes');
  expect(refused).toExit(7, 'was found sick', 'gantry promote web-staging web --yes --force');
  expect([(await run('promote web-staging web --dry-run')).code, emulator.store.builds.size]).toEqual([7, before]);
  expect((await run('promote web-staging web --yes --force')).code).toBe(0);
  expect((await run('status web')).stdout).toContain('sick\tit was found sick when it was deployed\n');
  await gantry(['deploy', '--name', 'web-staging'], { emulator, cwd: sick, env });
  const same = /build \S+ of web-staging has the same files as build \S+, which was found sick/;
  expect(await run('promote web-staging web --yes')).toExit(7, same);
  const listed = /^live\t.*, same files as \S+, found sick$/m;
  expect((await gantry(['status', 'web-staging'], { emulator, cwd: data, env })).stdout).toMatch(listed);
  await deploy('web-staging', 'well');
  const back = ['rollback', 'web-staging', '--yes', [...emulator.store.builds.keys()][0] ?? ''];
  expect(await gantry(back, { emulator, cwd: data, env })).toExit(
    0,
    /^warning: build \S+ of web-staging was found sick\n {2}why /m,
  );
});

test.each(
  half([
    ['promote web-staging web', /Created build/, 'and nothing was promoted', 'promote web-staging web --yes'],
    ['apps restart web', /Created build/, 'and nothing was restarted', 'apps restart web --yes'],
    ['apps restart web', /^web is live/m, 'and replicas of earlier builds may be left', 'apps containers web'],
    ['rollback web', /Created build/, 'and nothing was rolled back', 'rollback web --yes'],
  ] as const),
)('%s says what serves if it is interrupted at %s', async (line, stop, truth, fix) => {
  await deploy('web', 'one');
  await deploy('web-staging', 'two');
  await deploy('web', 'three');
  const env = { GANTRY_CONFIG_DIR: newFolder(), GANTRY_TEAM_STATE: 'default:/.gantry' };
  const stopped = await gantry([...line.split(' '), '--yes', '--json'], { emulator, cwd: data, env, stop });
  expect(stopped).toExit(130, new RegExp(`interrupted: build \\S+ serves, ${truth}\\n`), `fix gantry ${fix}\n`);
  expect(stopped.json()).toMatchObject({ error: { next: ['gantry', ...fix.split(' '), '--json'] } });
});

test('a rollback passes over what was promoted of the same files, by another name', async () => {
  const well = await deploy('web', 'well');
  await deploy('web-staging', 'sick');
  await run('promote web-staging web --yes');
  const app = newFolder({ ...smallApp(), 'data.txt': 'sick' });
  const outcome = await run('deploy --name web --smoke run:another --or-rollback --json', app);
  expect(outcome.code).toBe(12);
  expect(outcome.json()).toMatchObject({
    error: { details: { rollback: { outcome: 'rolled-back', restored: well.build } } },
  });
});

test('an app that serves the same already is not deployed again', async () => {
  const staging = await deploy('web-staging', 'two');
  await deploy('web', 'one');
  const { build } = (await run('promote web-staging web --yes --json')).json() as { build: string };
  const before = emulator.store.builds.size;
  const again = await run('promote web-staging web --yes --json');
  expect(again).toExit(0, 'web serves these files already, as they were sent to web-staging\n');
  expect(again.json()).toMatchObject({ replaced: build, restored: staging.build, build, changed: false });
  expect((await run('promote web-staging web --dry-run --json')).json()).toMatchObject({ changed: false });
  expect(emulator.store.builds.size).toBe(before);
  const forced = (await run('promote web-staging web --yes --force --json')).json() as { build: string };
  expect(forced).toMatchObject({ replaced: build, restored: staging.build, changed: true });
  expect(received(forced.build)).toBe(received(staging.build));
  await run('rollback web --yes');
  expect((await run('promote web-staging web --yes --json')).json()).toMatchObject({ changed: true });
});

describe('another app, which is no stage of it', () => {
  const other = async (name: string) => {
    const [toml] = [String(smallApp()['cerebrium.toml']).replace('"web"', '"search"')];
    return run(`deploy --name ${name}`, newFolder({ ...smallApp(), 'cerebrium.toml': toml, 'data.txt': name }));
  };

  test('is asked for on a terminal, and not replaced by a mistyped name, but with --force', async () => {
    await deploy('web', 'one');
    await other('search');
    const before = emulator.store.builds.size;
    const line = 'promote search web --yes';
    const fix = `fix to replace it all the same: gantry ${line} --force\n`;
    expect(await run(line)).toExit(9, 'web is another app than search', fix);
    const env = { GANTRY_CONFIG_DIR: newFolder(), GANTRY_TEAM_STATE: 'default:/.gantry' };
    const setting = { emulator, cwd: data, env, stdin: keys('\r'), columns: 160 };
    const question = 'web is another app than search, which would replace it. Replace it?';
    expect(await gantry(['promote', 'search', 'web'], setting)).toExit(130, question);
    expect(emulator.store.builds.size).toBe(before);
    expect((await run(`${line} --force`)).code).toBe(0);
  });

  test('is a stage if one of its deploys had the same name in the config file', async () => {
    await deploy('web', 'one');
    await other('production');
    await other('search');
    expect((await run('promote search production --yes')).code).toBe(0);
  });
});

test('without an archive, what was tried is the same commit, not this folder', async () => {
  const cwd = newFolder({ ...smallApp(), 'data.txt': 'committed' });
  const env = { ...withGit, GANTRY_CONFIG_DIR: newFolder() };
  const git = (line: string) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.test', ...line.split(' ')], { cwd });
  await gantry(['deploy', '--new', '--name', 'web'], { emulator, cwd: newFolder(smallApp()), env });
  for (const line of ['init --quiet --template=', 'add --all', 'commit --quiet --message first']) git(line);
  await gantry(['deploy', '--new', '--name', 'web-staging'], { emulator, cwd, env });
  rmSync(join(env.GANTRY_CONFIG_DIR, 'state', 'archives'), { recursive: true });
  const head = String(git('rev-parse HEAD')).trim();
  const refused = await gantry(['promote', 'web-staging', 'web', '--yes'], { emulator, cwd, env });
  const fix = `deploy the same commit: git worktree add DIR ${head}, and in that folder gantry deploy --name web\n`;
  expect(refused).toExit(6, `fix ${fix}`);
});

test('says that the other app must be there, and what was meant', async () => {
  await deploy('web-staging', 'two');
  expect(await run('promote web-staging web-new --yes')).toExit(6, 'fix gantry deploy --name web-new --new\n');
  await deploy('web', 'one');
  const meant = ['did you mean web?', 'fix gantry promote web-staging web\n'];
  expect(await run('promote web-staging wbe --yes')).toExit(6, ...meant);
  const other = await run('promote web-staging p-222:web --yes');
  expect(other.stderr).toContain('for another project, deploy the same commit there: gantry deploy -p OTHER\n');
  expect(await run('promote web-stagin web --yes')).toExit(6, 'did you mean web-staging?');
});
