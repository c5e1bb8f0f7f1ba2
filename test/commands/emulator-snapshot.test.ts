import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newOwnerName } from '../../src/kernel/disk/index.ts';
import { newFolder } from '../support/files.ts';
import { gantry, wideTerminal } from '../support/gantry.ts';

let home: string;
let env: Record<string, string>;
const stops: (() => Promise<unknown>)[] = [];

beforeEach(() => {
  home = newFolder();
  env = { GANTRY_CONFIG_DIR: home, SHELL: '/bin/sh' };
});

afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

/** An emulator that runs until the test ends, and its variables. */
async function started(...flags: string[]): Promise<Record<string, string>> {
  const stop = new AbortController();
  let running: Promise<{ code: number; stderr: string }> | undefined;
  const line = new Promise<string>((ready) => {
    running = gantry(['emulator', 'start', '--port', '0', '--json', ...flags], {
      ...{ env, cwd: home, stop: stop.signal },
      seen: (text) => text.endsWith('\n') && ready(text),
    });
  });
  stops.push(async () => {
    stop.abort();
    await running;
  });
  return { ...env, ...JSON.parse(await line).environment };
}

/** Exits with the number of apps. */
const countApps = `
  const { GANTRY_API_URL: url, GANTRY_PROJECT: project, GANTRY_TOKEN: token } = process.env;
  fetch(url + '/v2/projects/' + project + '/apps', { headers: { authorization: 'Bearer ' + token } })
    .then((reply) => reply.json())
    .then((apps) => process.exit(apps.length));
`;

const snapshot = (...words: string[]) => gantry(['emulator', 'snapshot', ...words], { env, cwd: home });
const appsOf = async (environment: Record<string, string>) =>
  (await gantry(['apps', 'list', '--json'], { env: environment })).json() as { name: string }[];
const folders = () => readdirSync(join(home, 'state/snapshots')).filter((name) => !name.endsWith('.json'));

test('saves, lists, restores, starts with and removes a snapshot', async () => {
  const running = await started();
  expect(await snapshot('save', 'seeded')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^saved snapshot seeded: 4 apps, [\d.]+ KiB\n$/),
  });
  await gantry(['apps', 'delete', 'web', '--confirm', 'web'], { env: running });
  expect((await appsOf(running)).map(({ name }) => name)).not.toContain('web');

  expect(await snapshot('restore', 'seeded', '--yes')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^restored/),
  });
  expect((await appsOf(running)).map(({ name }) => name)).toContain('web');

  const fresh = await gantry(['emulator', 'exec', '--from', 'seeded', '--', process.execPath, '-e', countApps], {
    env,
  });
  expect(fresh.code).toBe(3);
  const data = join(home, 'data');
  expect((await appsOf(await started('--from', 'seeded', '--data-dir', data))).length).toBe(3);
  const { stdout } = await gantry(['emulator', 'snapshot', 'list'], {
    ...wideTerminal,
    env: { ...env, NO_COLOR: '1' },
  });
  expect(stdout).toMatch(/NAME +APPS +SIZE +SAVED *\nseeded +nightly-report, run-3f2a91/);

  expect(await snapshot('rm', 'seeded', '--yes', '--json')).toMatchObject({ code: 0 });
  expect([(await snapshot('list', '--json')).json(), folders()]).toEqual([[], []]);
});

test('a snapshot that is saved again replaces the first one, after a question; what a killed process left is removed', async () => {
  await started('--no-seed');
  await snapshot('save', 'mine');
  const [first = ''] = folders();
  const dead = newOwnerName().replace(/^\d+-\d+/, '4194304-1');
  writeFileSync(join(home, 'state/snapshots', dead), '');
  expect(await snapshot('save', 'mine')).toMatchObject({ code: 9, stderr: expect.stringContaining('--yes') });
  expect(folders()).toContain(first);
  expect((await snapshot('save', 'mine', '--yes')).code).toBe(0);
  expect(folders()).toHaveLength(1);
  expect(folders()).not.toContain(first);
  expect((await snapshot('restore', 'mine')).code).toBe(9);
});

test.each([
  [['save', 'Upper'], 2, /invalid snapshot name/],
  [['save', '../a'], 2, /invalid snapshot name/],
  [['save'], 2, /needs a name/],
  [['restore', 'none', '--yes'], 6, /snapshot none not found/],
  [['restore', '../x', '--yes'], 6, /not found/],
  [['rm', 'none', '--yes'], 6, /gantry emulator snapshot list/],
  [['list', '--port', '1'], 0, /no snapshots/],
])('emulator snapshot %j exits with %i', async (words, code, message) => {
  const outcome = await snapshot(...words);
  expect([outcome.code, outcome.stderr]).toEqual([code, expect.stringMatching(message)]);
});

test('a name that stands for nothing, and a data folder that has state, are refused', async () => {
  const exec = (...flags: string[]) => gantry(['emulator', 'exec', ...flags, '--', 'true'], { env, cwd: home });
  expect(await exec('--from', 'none')).toMatchObject({ code: 6 });
  await started();
  await snapshot('save', 'seeded');
  writeFileSync(join(home, 'state.json'), '{}');
  expect(await exec('--from', 'seeded', '--data-dir', '.')).toMatchObject({
    code: 7,
    stderr: expect.stringContaining('already has state'),
  });
  expect(existsSync(join(home, 'taken-over'))).toBe(false);
});

test('without an emulator there is nothing to save', async () => {
  expect(await snapshot('save', 'mine')).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('gantry emulator start'),
  });
});

test('inside of emulator exec, the emulator is the one of the variables', async () => {
  const { GANTRY_CONFIG_DIR: _, ...variables } = await started();
  await started('--no-seed');
  const inside = await gantry(['emulator', 'snapshot', 'save', 'seeded'], { env: { ...env, ...variables } });
  expect(inside).toMatchObject({ code: 0, stdout: expect.stringContaining('4 apps') });
});
