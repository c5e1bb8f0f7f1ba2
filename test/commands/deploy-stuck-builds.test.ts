import { beforeEach, describe, expect, test } from 'vitest';
import { getBuildProgress } from '../../src/emulator/model/builds/script.ts';
import { altering, emulatorForEach, gantry, newFolder, type Setting, smallApp } from '../support/index.ts';

let app: string;
let home: string;

const emulator = emulatorForEach({ real: false });

beforeEach(() => {
  app = newFolder(smallApp());
  home = newFolder();
});

const deploy = (flags: string[] = [], setting: Setting = {}) =>
  gantry(['deploy', ...flags], {
    emulator,
    cwd: app,
    ...setting,
    env: { GANTRY_CONFIG_DIR: home, ...setting.env },
  });

/** A build that somebody else creates and does not upload. */
async function create(): Promise<string> {
  const reply = await fetch(`${emulator.url}/v2/projects/${emulator.project}/apps`, {
    method: 'POST',
    headers: { authorization: `Bearer ${emulator.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'web', runtime: 'cortex' }),
  });
  emulator.late.pass();
  return ((await reply.json()) as { buildId: string }).buildId;
}

const statuses = () =>
  emulator.store.getAppBuilds(`${emulator.project}-web`).map((build) => getBuildProgress(build, Date.now()).status);
const isBuildList = (method: string, path: string) => method === 'GET' && path.endsWith('/builds');

/** A platform whose lists show that a build was created so long ago. */
function aged(build: string, ageMs: number, alter: Parameters<typeof altering>[1] = () => undefined) {
  const createdAt = new Date(Date.now() - ageMs).toISOString();
  return altering(emulator, (method, path, json) => {
    if (!isBuildList(method, path)) return alter(method, path, json);
    return { body: (json as { id: string }[]).map((one) => (one.id === build ? { ...one, createdAt } : one)) };
  });
}

/** Its URL and the time of an upload end after eleven minutes: to wait for all of them takes hundreds of looks. */
const nearlyExpiredMs = 9 * 60_000;

describe('a pending build whose upload URL has expired', () => {
  test.each([
    ['wait --if-changed', 'pending'],
    ['fail', 'pending'],
    ['cancel', 'cancelled'],
  ])('is named, and nobody waits for it: --if-busy %s leaves it %s', async (policy, left) => {
    const build = await create();
    const env = await aged(build, 20 * 60_000);
    const { code, stderr } = await deploy(['--if-busy', ...policy.split(' ')], { env });
    expect({ code, statuses: statuses() }).toEqual({ code: 0, statuses: ['success', left] });
    if (left === 'cancelled') return;
    expect(stderr).toContain(`build ${build.slice(0, 8)} of web cannot start any more: it is pending for 20m`);
    expect(stderr).toContain(`gantry builds cancel web ${build}`);
    expect(stderr.match(/cannot start/g)).toHaveLength(1);
  });

  test('is waited for as long as it can start, by the clock of the platform', async () => {
    const env = await aged(await create(), nearlyExpiredMs);
    const outcome = await deploy(['--if-busy', 'wait'], { env, clock: { jumps: () => 3_600_000 } });
    expect(outcome).toExit(0, /Waited [12]m.* for other builds/);
  });
});

test.each([
  [1, 'fail', /error: build (\w{8}) \(pending\) of web in progress\n/],
  [2, 'fail', /error: builds (\w{8}) \(pending\), (\w{8}) \(pending\) of web in progress\n/],
  [2, 'cancel', /canceled builds (\w{8}) \(pending\), (\w{8}) \(pending\) of web\n/],
])('of %i builds of others, the names are said with --if-busy %s', async (number, policy, said) => {
  const builds: string[] = [];
  while (builds.length < number) builds.unshift((await create()).slice(0, 8));
  const { stderr } = await deploy(['--if-busy', policy]);
  expect(said.exec(stderr)?.slice(1)).toEqual(builds);
});

test.each([
  [400, [], 0],
  [503, [], 0],
  [400, ['--if-busy', 'wait'], 1],
])('where builds cannot be listed (%i), only a deploy that asks for them stops: %j', async (status, flags, exit) => {
  const failing = (method: string, path: string) => (isBuildList(method, path) ? { status, body: {} } : undefined);
  const { code, stderr } = await deploy(flags, { env: await altering(emulator, failing) });
  expect([code, /Created build/.test(stderr), stderr.includes('Waiting for other')]).toEqual([exit, exit === 0, false]);
});

test('Ctrl-C during a wait leaves nothing, not even with --detach', async () => {
  const other = await create();
  const { code, stderr } = await deploy(['--if-busy', 'wait', '--detach'], { stop: /Waiting for|Created build/ });
  expect(code).toBe(130);
  expect(stderr).not.toContain('continues');
  expect({ other, statuses: statuses() }).toEqual({ other, statuses: ['cancelled', 'pending'] });
});

describe('a deploy that was killed on another machine, before its upload', () => {
  const team = { GANTRY_TEAM_STATE: 'default:/.gantry' };
  const fresh = (env: Record<string, string>) => ({ env: { ...env, GANTRY_CONFIG_DIR: newFolder() } });

  /** Nobody cancels what it has created: that is all it leaves, and what the team knows of it. */
  async function killed(env: Record<string, string>): Promise<string> {
    emulator.fail('upload', '403');
    emulator.fail('cancelBuild', '400');
    await deploy([], fresh(env));
    return [...emulator.store.builds.keys()].at(-1) ?? '';
  }
  const waited = (waits: number[]) => waits.reduce((sum, ms) => sum + ms, 0);

  test('is waited for a minute, if the team knows of it', async () => {
    const build = await killed(team);
    const { code, stderr, waits } = await deploy(['--if-busy', 'wait'], fresh(team));
    expect({ code, statuses: statuses() }).toEqual({ code: 0, statuses: ['success', 'pending'] });
    expect(waited(waits)).toBeLessThan(90_000);
    expect(stderr).toMatch(/nothing has come of build \S+ of web, whose upload .+ began 1m/);
    expect(stderr.match(new RegExp(`fix gantry builds cancel web ${build}`, 'g'))).toHaveLength(1);
  });

  test('is waited for as long as its archive may take', async () => {
    const build = await create();
    const digests = { settingsDigest: '', filesDigest: '', settings: {}, bytes: 30_000_000 };
    const event = { at: new Date().toISOString(), event: 'sending', by: 'ada@laptop', build, ...digests };
    const name = `${event.at.replaceAll(/[-:.]/g, '')}-${'0'.repeat(16)}.json`;
    const place = newFolder({ [name]: JSON.stringify(event) });
    await gantry(['cp', '.', 'default:/.gantry/history/web'], { emulator, cwd: place });
    const { code, stderr, waits } = await deploy(['--if-busy', 'wait'], fresh(team));
    expect([code, stderr]).toEqual([0, expect.stringContaining('nothing has come of build')]);
    // A minute, and four of its own.
    expect(Math.round(waited(waits) / 60_000)).toBe(5);
  });

  test('is named once without team state, until its upload URL has expired', async () => {
    const build = await killed({});
    const env = await aged(build, nearlyExpiredMs);
    const { code, stderr, waits } = await deploy(['--if-busy', 'wait'], fresh(env));
    expect({ code, statuses: statuses() }).toEqual({ code: 0, statuses: ['success', 'pending'] });
    // The team would wait a minute.
    expect(waited(waits)).toBeGreaterThan(80_000);
    const told = [...stderr.matchAll(/Waiting for other builds of web: .+ cannot get them after (.+)$/gm)];
    expect(told).toHaveLength(1);
    expect(stderr.split(`has ended: gantry builds cancel web ${build}\n`)).toHaveLength(2);
    expect(Math.abs(Date.parse(told[0]?.[1] ?? '') - Date.now() - 2 * 60_000)).toBeLessThan(30_000);
  });
});

// What is said of it: deploy-faults.test.ts.
test('a lost reply of create app does not keep the same line, typed again, from its end', async () => {
  let lost = 0;
  const losing = (method: string, path: string) =>
    method === 'POST' && path.endsWith('/apps') && lost++ < 2 ? { status: 502, body: 'bad gateway' } : undefined;
  await deploy([], { env: await altering(emulator, losing) });
  expect(await deploy(['--if-busy', 'wait'])).toExit(0, /Waited 1\dm/);
  expect(statuses()).toEqual(['success', 'pending', 'pending']);
});
