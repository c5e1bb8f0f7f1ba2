import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { smallApp } from '../support/app.ts';
import { emulatorForEach } from '../support/emulators.ts';
import { newFolder } from '../support/files.ts';
import { gantry, type Setting, wideTerminal } from '../support/gantry.ts';
import { withGit } from '../support/machine.ts';
import { repositoryOf } from '../support/repository.ts';

let app: ReturnType<typeof repositoryOf>;
const dayMs = 86_400_000;
/** Since the test began, for all machines and the platform, in ms. */
let passed = 0;

const emulator = emulatorForEach({ real: false, now: () => Date.now() + passed });

beforeEach(async () => {
  passed = 0;
  app = repositoryOf(smallApp(), 'git@github.test:org/shop.git', ['checkout -q -b topic']);
});

/** On a machine of its own, and so many days later. */
function run(words: string[], { days = 0, skewMs = 0, home = newFolder(), env = {}, ...more }: Days & Setting = {}) {
  const team = { GANTRY_TEAM_STATE: 'default:/.gantry' };
  passed = days * dayMs;
  const setting = {
    emulator,
    cwd: app.path,
    clock: { jumps: () => passed + skewMs },
    env: { ...withGit, ...team, GANTRY_CONFIG_DIR: home, ...env },
  };
  return gantry(words, { ...setting, ...more });
}
/** `skewMs`: how far the machine's clock is ahead of the platform's. */
type Days = { days?: number; skewMs?: number; home?: string };

const preview = async (...flags: string[]) =>
  ((await run(['deploy', '--preview', '--json', ...flags])).json() as { app: string }).app;
const prune = async (days: number, ...flags: string[]) =>
  (await run(['apps', 'prune', '--confirm', 'shop', '--json', ...flags], { days })).json() as { app: string }[];
const appNames = () => [...emulator.store.apps.values()].map(({ name }) => name).sort();

async function lifeOf(): Promise<number> {
  const { json } = await run(['apps', 'list', '--previews', '--json']);
  const [{ updatedAt, expiresAt } = { updatedAt: '', expiresAt: '' }] = json() as Record<
    'updatedAt' | 'expiresAt',
    string
  >[];
  return Date.parse(expiresAt) - Date.parse(updatedAt);
}

test('a preview expires its last time to live after its last deploy, as any machine knows, also without its branch', async () => {
  await preview('--ttl', '12h');
  expect(await lifeOf()).toBe(dayMs / 2);
  await preview();
  expect(await lifeOf()).toBe(dayMs / 2);
  const name = await preview('--ttl', '7d');
  app.git('checkout', '-q', '-b', 'other');
  app.git('branch', '-q', '-D', 'topic');
  expect(await lifeOf()).toBe(7 * dayMs);
  const env = { ...wideTerminal.env };
  const { stdout } = await run(['apps', 'list', '--previews'], { ...wideTerminal, env });
  expect(stdout).toMatch(/EXPIRES[\s\S]*in [67] d/);
  expect(await prune(6.9, '--expired')).toEqual([]);
  expect(await prune(7.1, '--expired')).toMatchObject([{ app: name, changed: true }]);
  expect(appNames()).toEqual([]);
  const left = (await run(['ls', 'default:/.gantry/history', '--json'])).json();
  expect([left, (await run(['history', name])).code]).toEqual([[], 6]);
});

test('a new preview does not have the time to live of one that another machine deleted', async () => {
  const home = newFolder();
  const env = { GANTRY_TEAM_STATE: '' };
  const name = ((await run(['deploy', '--preview', '--ttl', '7d', '--json'], { home, env })).json() as { app: string })
    .app;
  expect((await run(['apps', 'delete', name, '--confirm', name], { days: 1, env })).code).toBe(0);
  await run(['deploy', '--preview'], { days: 2, home, env });
  expect((await run(['apps', 'list', '--previews', '--json'], { days: 2, home, env })).json()).toMatchObject([
    { expiresAt: null },
  ]);
});

test('what nobody gave a time to live stays, and is named', async () => {
  const name = await preview();
  const { stderr, stdout } = await run(['apps', 'prune', '--expired', '--confirm', 'shop'], { days: 300 });
  expect([stdout, stderr]).toEqual(['', expect.stringContaining(`skipped ${name}: no --ttl is known;`)]);
  const without = await run(['apps', 'prune', '--expired'], { env: { GANTRY_TEAM_STATE: 'off' } });
  expect(without.stderr).toContain(`skipped ${name}: no --ttl is known on this machine;`);
  expect((await run(['apps', 'prune', '--older-than', '400d'], { days: 300 })).stderr).not.toContain('skipped');
});

test('--branch deletes the preview of a branch that is gone, and no other', async () => {
  const name = await preview('--ttl', '7d');
  app.git('checkout', '-q', '-b', 'other');
  await preview();
  app.git('branch', '-q', '-D', 'topic');
  const off = { GANTRY_TEAM_STATE: 'off' };
  const words = ['apps', 'prune', '--branch', 'topic', '--confirm', 'shop', '--json'];
  expect((await run(words, { env: off })).json()).toMatchObject([{ app: name, branch: 'topic' }]);
  expect((await run(words, { env: off })).json()).toEqual([]);
  expect(appNames()).toEqual([expect.stringContaining('web-other-')]);
});

test('a clock that is ahead deletes no preview before its time', async () => {
  const name = await preview('--ttl', '7h');
  for (const skewMs of [8 * dayMs, 8 * 3_600_000]) {
    const { stdout } = await run(['apps', 'prune', '--expired', '--confirm', 'shop', '--json'], { skewMs });
    expect([JSON.parse(stdout), appNames()]).toEqual([[], [name]]);
  }
});

test('the branch of a fork is not the branch of the same name here', async () => {
  const [ours, home] = [await preview(), newFolder()];
  const fork = { GITHUB_HEAD_REF: 'topic', GITHUB_EVENT_PATH: join(home, 'event.json') };
  const pull_request = {
    number: 12,
    head: { repo: { full_name: 'you/shop' } },
    base: { repo: { full_name: 'org/shop' } },
  };
  await writeFile(fork.GITHUB_EVENT_PATH, JSON.stringify({ pull_request }));
  const { json } = await run(['deploy', '--preview', '--json'], { env: fork });
  expect(appNames()).toHaveLength(2);
  const words = ['apps', 'prune', '--branch', 'topic', '--confirm', 'shop', '--json'];
  const pruned = await run(words, { env: fork });
  expect(pruned.json()).toMatchObject([{ app: (json() as { app: string }).app, branch: 'pr-12' }]);
  expect(appNames()).toEqual([ours]);
});

test('a time to live that no date can have is refused, and one on record expires never', async () => {
  for (const ttl of ['99999999d', '9007199254740993s', '999999999999999d']) {
    expect(await run(['deploy', '--preview', '--ttl', ttl])).toExit(2, 'expected a duration of at most 36500d');
  }
  expect((await run(['deploy', '--preview', '--ttl', 'soon'])).code).toBe(2);
  // It is for previews.
  expect((await run(['deploy', '--ttl', '7d'])).code).toBe(2);
  const home = newFolder();
  const env = { GANTRY_TEAM_STATE: 'off' };
  await run(['deploy', '--preview', '--ttl', '7d'], { home, env });
  const files = await readdir(home, { recursive: true });
  const record = join(home, files.find((path) => /history\/.*\.jsonl$/.test(path)) ?? '');
  await writeFile(record, (await readFile(record, 'utf8')).replace(/("ttlMs":\d+)/, '$1000000000'));
  const [listed] = (await run(['apps', 'list', '--previews', '--json'], { home, env })).json() as object[];
  expect(listed).toMatchObject({ proof: 'record', expiresAt: null });
});
