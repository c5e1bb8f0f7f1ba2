import { beforeAll, expect, test } from 'vitest';
import { emulatorForAll, gantry, newFolder, type Setting, smallApp } from '../support/index.ts';

let app: string;
let here: Setting;
/** Of `web`, the newest first. */
let builds: Item[];
let runs: Item[];

interface Item {
  id: string;
  status: string;
}

const emulator = emulatorForAll({ seed: 1 });

beforeAll(async () => {
  app = newFolder(smallApp());
  here = { emulator, cwd: app };
  builds = (await gantry(['builds', 'list', '--json'], here)).json() as Item[];
  runs = (await gantry(['runs', 'list', '--since', '7d', '--limit', '500', '--json'], here)).json() as Item[];
});

async function idOf(line: string): Promise<string> {
  const { code, stderr, json } = await gantry([...line.split(' '), '--json=id'], here);
  expect(code, stderr).toBe(0);
  return (json() as Item).id;
}

const failedRun = () => runs.find(({ status }) => status === 'failure')?.id;

test('the newest is meant without an id, and by latest', async () => {
  for (const line of ['builds get', 'builds get web', 'builds get latest', 'builds get . latest'])
    expect(await idOf(line)).toBe(builds[0]?.id);
  for (const line of ['runs get', 'runs get web', 'runs get latest']) expect(await idOf(line)).toBe(runs[0]?.id);
});

test('the beginning of an id is enough, with an app or without', async () => {
  const [build = '', run = ''] = [builds.at(-1)?.id, runs.at(-1)?.id];
  for (const line of [`builds get ${build.slice(0, 8)}`, `builds get web ${build.slice(0, 6).toUpperCase()}`])
    expect(await idOf(line)).toBe(build);
  for (const line of [`runs get web ${run.slice(0, 23)}`, `runs get ${run.slice(0, 28)}`])
    expect(await idOf(line)).toBe(run);
});

test('latest:failed and latest:succeeded', async () => {
  expect(await idOf('runs get latest:failed')).toBe(failedRun());
  expect(await idOf('runs get web latest:succeeded')).toBe(runs.find(({ status }) => status === 'success')?.id);
  expect(await idOf('builds get latest:succeeded')).toBe(builds.find(({ status }) => status === 'succeeded')?.id);
  expect(await idOf('builds get latest:failed')).toBe(builds.find(({ status }) => /fail/.test(status))?.id);
});

test('a whole id costs no other request', async () => {
  const before = emulator.calls.length;
  await gantry(['builds', 'get', 'web', builds[0]?.id ?? ''], here);
  await gantry(['runs', 'get', 'web', runs[0]?.id ?? ''], here);
  expect(emulator.calls.slice(before).map(({ endpoint }) => endpoint)).toEqual(['getBuild', 'getRun']);
});

test.each([
  ['builds get 0000001', 6, /^error: no build 0000001 of web\n {2}fix gantry builds list web\n$/],
  [
    'runs get 0000001',
    6,
    /^error: no run 0000001 of web\n {2}why the newest [\d,]+ runs were searched\n {2}fix gantry runs list web\n$/,
  ],
  [
    'builds get latest:broken',
    2,
    /expected latest, latest:succeeded or latest:failed\n {2}fix for example: gantry builds get latest\n/,
  ],
  ...['logs web --run last', 'logs web --build newest', 'runs get last'].map((line): [string, number, RegExp] => [
    line,
    2,
    new RegExp(`\\n  fix gantry ${line.replace(/last|newest/, 'latest')}\\n$`),
  ]),
  [
    'builds cancel web latest',
    2,
    /^error: name the build: latest may be another one by now\n {2}fix gantry builds list web\n$/,
  ],
  ['runs cancel web latest:failed', 2, /^error: name the run: latest:failed may be another one by now/],
])('gantry %s ends with %i', async (line, code, text) => {
  const ended = await gantry(line.split(' '), here);
  expect([ended.code, ended.stderr.replace(/^project .*\n/, '')]).toEqual([code, expect.stringMatching(text)]);
});

test('a beginning of several ids, or too short a one, lists them', async () => {
  const [first] = [...emulator.store.builds.values()].filter(({ app }) => app.endsWith('-web'));
  if (!first) throw new Error('no build');
  const twin = `${first.id.slice(0, 8)}-0000-4000-8000-000000000000`;
  emulator.store.builds.set(twin, { ...first, id: twin });
  const several = await gantry(['builds', 'get', first.id.slice(0, 8)], here);
  expect([several.code, several.stderr]).toEqual([
    2,
    expect.stringMatching(/names 2 builds of web\n {2}why [\da-f-]{36}, [\da-f-]{36}\n {2}fix gantry builds list web/),
  ]);
  emulator.store.builds.delete(twin);
  const short = await gantry(['builds', 'get', 'web', first.id.slice(0, 4)], here);
  expect([short.code, short.stderr]).toEqual([2, expect.stringContaining(`at least 6 characters\n  why ${first.id}`)]);
});

test('an id of another form is printed whole, and its beginning is enough', async () => {
  const [first] = [...emulator.store.builds.values()].filter(({ app }) => app.endsWith('-web'));
  if (!first) throw new Error('no build');
  const ids = ['b-c0de1eef', 'b-c0de1ee5'];
  for (const id of ids) emulator.store.builds.set(id, { ...first, id });
  try {
    expect((await gantry(['builds', 'get', 'web', 'b-c0de1eef'], here)).stdout).toContain('b-c0de1eef');
    expect(await idOf('builds get web b-c0de1eef')).toBe('b-c0de1eef');
    expect((await gantry(['builds', 'get', 'web', 'b-c0de1e'], here)).stderr).toMatch(
      /"b-c0de1e" names 2 builds of web\n {2}why b-c0de1ee[f5], b-c0de1ee[f5]\n/,
    );
    const { stderr } = await gantry(['builds', 'cancel', 'b-c0de1ee5', '--yes'], here);
    expect(stderr).toContain('build b-c0de1ee5 of web has already ended');
    expect((await gantry(['builds', 'cancel', 'web', '--yes'], here)).stderr).toContain('missing argument <build>');
  } finally {
    for (const id of ids) emulator.store.builds.delete(id);
  }
});

test('latest:succeeded passes over a later build that failed', async () => {
  const succeeded = await idOf('builds get latest:succeeded');
  const failed = await idOf('builds get latest:failed');
  emulator.fail('build', 'build_failure');
  expect((await gantry(['deploy', '--yes'], here)).code).toBe(11);
  expect(await idOf('builds get latest:succeeded')).toBe(succeeded);
  expect(await idOf('builds get latest:failed')).not.toBe(failed);
});
