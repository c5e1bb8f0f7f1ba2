import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/index.ts';
import { smallApp } from '../support/app.ts';
import { newFolder } from '../support/files.ts';
import { gantry, type Setting, wideTerminal } from '../support/gantry.ts';
import { repositoryOf } from '../support/repository.ts';

let emulator: Emulator;
let app: Awaited<ReturnType<typeof repositoryOf>>;
const dayMs = 86_400_000;

beforeEach(async () => {
  emulator = await startEmulator({ real: false });
  app = await repositoryOf(smallApp());
  app.git('remote', 'add', 'origin', 'git@github.test:org/shop.git');
  app.git('checkout', '-q', '-b', 'topic');
  onTestFinished(async () => {
    await emulator.close();
    await app[Symbol.asyncDispose]();
  });
});

/** On a machine of its own, and so many days later. */
function run(words: string[], { days = 0, home = newFolder(), env = {}, ...more }: Days & Setting = {}) {
  const team = { GANTRY_TEAM_STATE: 'default:/.gantry' };
  const setting = {
    emulator,
    cwd: app.path,
    jumps: () => days * dayMs,
    env: { ...team, GANTRY_CONFIG_DIR: home, ...env },
  };
  return gantry(words, { ...setting, ...more });
}
type Days = { days?: number; home?: string };

const preview = async (...flags: string[]) =>
  ((await run(['deploy', '--preview', '--json', ...flags])).json() as { app: string }).app;
const prune = async (days: number, ...flags: string[]) =>
  (await run(['previews', 'prune', '--confirm', 'shop', '--json', ...flags], { days })).json() as { app: string }[];
const appNames = () => [...emulator.store.apps.values()].map(({ name }) => name).sort();

test('a preview expires a time to live after its last deploy, as any machine knows, also without its branch', async () => {
  const name = await preview('--ttl', '7d');
  app.git('checkout', '-q', '-b', 'other');
  app.git('branch', '-q', '-D', 'topic');
  const [listed] = (await run(['previews', 'list', '--json'])).json() as { updatedAt: string; expiresAt: string }[];
  expect(Date.parse(listed?.expiresAt ?? '') - Date.parse(listed?.updatedAt ?? '')).toBe(7 * dayMs);
  const env = { ...wideTerminal.env };
  const { stdout } = await run(['previews', 'list'], { ...wideTerminal, env });
  expect(stdout).toMatch(/EXPIRES[\s\S]*in [67] d/);
  expect(await prune(6.9, '--expired')).toEqual([]);
  expect(await prune(7.1, '--expired')).toMatchObject([{ app: name, changed: true }]);
  expect(appNames()).toEqual([]);
  const left = (await run(['ls', 'default:/.gantry/previews', '--json'])).json();
  expect([left, (await run(['history', name, '--json'])).json()]).toEqual([[], []]);
});

test('a later deploy without --ttl keeps it, and one with another replaces it', async () => {
  await preview('--ttl', '7d');
  const { expiresAt, updatedAt } = await only();
  await preview();
  expect(await lifeOf()).toBe(Date.parse(expiresAt) - Date.parse(updatedAt));
  await preview('--ttl', '12h');
  expect(await lifeOf()).toBe(dayMs / 2);
});

const only = async () =>
  ((await run(['previews', 'list', '--json'])).json() as { updatedAt: string; expiresAt: string }[])[0] ?? {
    updatedAt: '',
    expiresAt: '',
  };
const lifeOf = async () => only().then(({ expiresAt, updatedAt }) => Date.parse(expiresAt) - Date.parse(updatedAt));

test('what nobody gave a time to live stays, and is named', async () => {
  const name = await preview();
  const { stderr, stdout } = await run(['previews', 'prune', '--expired', '--confirm', 'shop'], { days: 300 });
  expect([stdout, stderr]).toEqual(['', expect.stringContaining(`skipped ${name}: no --ttl is known;`)]);
  const without = await run(['previews', 'prune', '--expired'], { env: { GANTRY_TEAM_STATE: 'off' } });
  expect(without.stderr).toContain(`skipped ${name}: no --ttl is known on this machine;`);
});

test('--branch deletes the preview of a branch that is gone, and no other', async () => {
  const name = await preview('--ttl', '7d');
  app.git('checkout', '-q', '-b', 'other');
  await preview();
  app.git('branch', '-q', '-D', 'topic');
  const off = { GANTRY_TEAM_STATE: 'off' };
  const words = ['previews', 'prune', '--branch', 'topic', '--confirm', 'shop', '--json'];
  expect((await run(words, { env: off })).json()).toMatchObject([{ app: name, branch: 'topic' }]);
  expect((await run(words, { env: off })).json()).toEqual([]);
  expect(appNames()).toEqual([expect.stringContaining('web-other-')]);
});

test('--ttl is for previews, and a duration', async () => {
  expect((await run(['deploy', '--ttl', '7d'])).code).toBe(2);
  expect((await run(['deploy', '--preview', '--ttl', 'soon'])).code).toBe(2);
});
