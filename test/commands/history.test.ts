import { beforeEach, expect, test } from 'vitest';
import { deployWeb, emulatorForEach, gantry, newFolder, smallApp, wideTerminal } from '../support/index.ts';

let home: string;

const emulator = emulatorForEach({ real: false });

beforeEach(async () => {
  home = newFolder();
});

const run = (words: string[], more: object = {}) =>
  gantry(words, { emulator, env: { GANTRY_CONFIG_DIR: home }, ...more });

async function deployed(version: string, toml = '', flags: string[] = []): Promise<string> {
  const app = newFolder({ ...smallApp(toml), 'data.txt': version });
  const { code, json, stderr } = await run(['deploy', '--json', ...flags], { cwd: app });
  expect(code, stderr).toBe(0);
  return (json() as { build: string }).build;
}

async function history(): Promise<{ event: string; by: string; build?: string; before?: unknown; after?: unknown }[]> {
  return (await run(['history', 'web', '--json'])).json() as never;
}

test('a deploy that cannot be written down says so, once, and succeeds', async () => {
  home = newFolder({ 'state/history': 'no folder' });
  const { code, json, stderr } = await run(['deploy', '--json'], { cwd: newFolder(smallApp()) });
  const said = expect.objectContaining({ message: expect.stringMatching(/^cannot write the history of web: /) });
  expect([code, json()]).toEqual([0, expect.objectContaining({ warnings: [said] })]);
  expect(stderr.match(/cannot write the history/g)).toHaveLength(1);
});

test('tells what was sent, what served, and what was scaled by which pipeline, the newest first', async () => {
  const first = await deployed('one');
  const second = await deployed('two', '[cerebrium.scaling]\nmin_replicas = 1\n');
  const pipeline = { GANTRY_CONFIG_DIR: home, GITHUB_REPOSITORY: 'acme/shop' };
  await run(['apps', 'scale', 'web', '--max-replicas', '9'], { env: pipeline });
  await run(['secrets', 'set', 'SHOP_KEY', '--app', 'web', '--from-file', '-'], { stdin: 'a value' });
  const events = await history();
  expect(events.map(({ event, build }) => [event, build])).toEqual([
    ['secrets', undefined],
    ['scaled', undefined],
    ['served', second],
    ['sent', second],
    ['served', first],
    ['sent', first],
  ]);
  const by = 'GitHub Actions acme/shop';
  expect(events[1]).toMatchObject({ by, before: { maxReplicaCount: 1 }, after: { maxReplicaCount: 9 } });
  const env = { GANTRY_CONFIG_DIR: home, ...wideTerminal.env };
  const { stdout } = await run(['history', 'web'], { ...wideTerminal, env });
  expect(stdout).toContain(`sent ${second.slice(0, 8)}`);
  expect(stdout).toContain('min_replicas 0 -> 1');
  expect(stdout).toContain(`${second.slice(0, 8)} serves; before it: ${first.slice(0, 8)}`);
  expect(stdout).toContain('max_replicas 1 -> 9');
  expect(stdout).toContain('secret SHOP_KEY set');
});

test('notices what changed without a command of this machine, once', async () => {
  const build = await deployed('one');
  const others = { env: { GANTRY_CONFIG_DIR: newFolder() } };
  await run(['apps', 'scale', 'web', '--max-replicas', '9'], others);
  const app = newFolder({ ...smallApp(), 'data.txt': 'one' });
  for (let at = 0; at < 2; at++) await run(['deploy', '--dry-run'], { cwd: app });
  const noticed = (await history()).filter(({ event }) => event === 'noticed');
  expect(noticed).toMatchObject([{ build, before: { maxReplicaCount: 1 }, after: { maxReplicaCount: 9 } }]);
});

test('a build of somebody else is one that was not deployed from here', async () => {
  const first = await deployed('one');
  const app = newFolder({ ...smallApp(), 'data.txt': 'two' });
  const others = { cwd: app, env: { GANTRY_CONFIG_DIR: newFolder() } };
  const { build } = (await run(['deploy', '--json'], others)).json() as { build: string };
  await run(['deploy', '--dry-run'], { cwd: app });
  expect((await history())[0]).toMatchObject({ event: 'served', build, before: first, isOwn: false });
});

test('tells of a rollback in one line, with the settings that it changed', async () => {
  const first = await deployed('one');
  const second = await deployed('two', '[cerebrium.scaling]\nmin_replicas = 1\n');
  await run(['rollback', 'web', '--yes', '--restore-scaling']);
  const events = await history();
  expect(events.map(({ event }) => event)).toEqual(['rolled-back', 'served', 'sent', 'served', 'sent']);
  expect(events[0]).toMatchObject({ from: second, to: first, changes: { after: { minReplicaCount: 0 } } });
  const told = `rolled back from ${second.slice(0, 8)} to ${first.slice(0, 8)}, as \\w+`;
  expect((await run(['history', 'web', '-n', '1'])).stdout).toMatch(new RegExp(`${told}, min_replicas 1 -> 0\t`));
  // On a terminal, each change has its own line: the last are not cut off.
  const shown = (await run(['history', 'web', '-n', '1'], { columns: 80 })).stdout;
  expect(shown).toMatch(new RegExp(`${told} .*\n +min_replicas 1 -> 0$`, 'm'));
});

test('tells of a build that failed, and marks it', async () => {
  emulator.fail('build', 'init_failure');
  expect((await run(['deploy'], { cwd: newFolder(smallApp()) })).code).toBe(12);
  const [event] = await history();
  expect(event).toMatchObject({ event: 'failed', status: 'init_failure', reason: expect.stringMatching(/./) });
  expect((await run(['builds', 'list', 'web', '--jq', '.[].found'])).stdout).toBe('failed\n');
});

test('tells of a build that was canceled before its upload in one line', async () => {
  await deployed('one');
  const { code } = await run(['deploy'], { cwd: newFolder(smallApp()), stop: /Created build/ });
  expect([code, (await history()).map(({ event }) => event)]).toEqual([130, ['failed', 'served', 'sent']]);
});

test('holds neither secrets nor commands, and is for its owner only', async () => {
  const secret = 'hunter2-in-a-command';
  await deployed('one', `shell_commands = ["export KEY=${secret}"]\n`);
  expect((await run(['history', 'web', '--json'])).stdout).not.toContain(secret);
});

test('nothing on record is an empty list of an app that is there, and an error for one that is not', async () => {
  await deployWeb(emulator);
  const nothing = await run(['history', 'web']);
  expect(nothing).toMatchObject({ code: 0, stdout: '' });
  expect(nothing.stderr).toContain('has not deployed or watched web; only team-state shows what others did');
  const team = { env: { GANTRY_CONFIG_DIR: home, GANTRY_TEAM_STATE: ':/team' } };
  expect((await run(['history', 'web'], team)).stderr).toContain('watched web; nor has another one of the team');
  expect(await run(['history', 'wbe'])).toExit(6, 'did you mean web?', 'fix gantry history web');
  const gone = { env: { GANTRY_CONFIG_DIR: home, GANTRY_API_URL: 'http://127.0.0.1:1' } };
  expect(await run(['history', 'wbe'], gone)).toMatchObject({ code: 0, stdout: '' });
});
