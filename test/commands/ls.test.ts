import { beforeEach, describe, expect, test } from 'vitest';
import { emulatorForEach, gantry, inFrontOf, newFolder, smallApp } from '../support/index.ts';

const emulator = emulatorForEach();

beforeEach(async () => {
  const volume = emulator.volume();
  volume.write('/models/a.bin', Buffer.alloc(1536), Date.UTC(2026, 0, 2, 3, 4, 5));
  volume.write('/models/deep/b.bin', 'b');
  volume.write('/readme.txt', 'hello');
  volume.makeFolder('/empty');
});

const lines = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));

test('ls lists the root of the default volume, folders first', async () => {
  const { code, stdout, stderr } = await gantry(['ls'], { emulator });
  expect([code, stderr]).toEqual([0, '']);
  expect(lines(stdout)).toEqual([
    ['empty/', '', ''],
    ['models/', '', ''],
    ['readme.txt', '5', expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)],
  ]);
});

test.each(['/models', '/models/', 'models', 'default:/models', ':/models', 'default:models/', '//models/./'])(
  'ls %s lists that folder',
  async (path) => {
    const { stdout } = await gantry(['ls', path], { emulator });
    expect(lines(stdout).map(([name]) => name)).toEqual(['deep/', 'a.bin']);
  },
);

test('ls of a file lists that file', async () => {
  const { code, stdout } = await gantry(['ls', '-l', '/models/a.bin'], { emulator });
  expect(code).toBe(0);
  expect(lines(stdout)[0]).toEqual(['a.bin', '1536', '2026-01-02T03:04:05.000Z']);
});

test('ls -R lists everything below, with paths', async () => {
  const { stdout } = await gantry(['ls', '-R', '/'], { emulator });
  expect(lines(stdout).map(([path]) => path)).toEqual([
    ...['/empty/', '/models/', '/readme.txt', '/models/deep/', '/models/a.bin', '/models/deep/b.bin'],
  ]);
});

test('ls --json has the path for other commands', async () => {
  const { json } = await gantry(['ls', '/models', '--json'], { emulator });
  expect(json()).toEqual([
    { path: 'default:/models/deep/', name: 'deep/', isFolder: true, bytes: null, updatedAt: null },
    {
      path: 'default:/models/a.bin',
      name: 'a.bin',
      isFolder: false,
      bytes: 1536,
      updatedAt: '2026-01-02T03:04:05.000Z',
    },
  ]);
});

test('ls uses the volume of --region or of the region in the settings', async () => {
  emulator.volume('global').write('/far.txt', 'x');
  for (const setting of [{ words: ['--region', 'global'] }, { env: { GANTRY_REGION: 'global' } }]) {
    const { stdout } = await gantry(['ls', ...(setting.words ?? [])], { emulator, env: setting.env ?? {} });
    expect(stdout).toContain('far.txt');
  }
  expect(emulator.calls.map(({ query }) => query.region)).toEqual(['global', 'global']);
  await gantry(['ls'], { emulator });
  expect(emulator.calls.at(-1)?.query).toEqual({ region: 'us-east-1', dir: '/' });
});

test.each<[string, string[], Record<string, string>, string]>([
  [
    'a flag',
    ['--region', 'mars'],
    {},
    'regions look like us-east-1\n  fix for example: gantry ls --region us-east-1\n',
  ],
  ['the environment', [], { GANTRY_REGION: 'mars' }, 'it comes from the environment (GANTRY_REGION); regions look'],
])('a word that names no region is refused: from %s', async (_, words, env, why) => {
  const outcome = await gantry(['ls', ...words], { emulator, env });
  expect(outcome).toExit(2, `unknown region "mars"\n  why ${why}`);
  expect(emulator.calls).toEqual([]);
});

test.each<[string, Record<string, string>?]>([
  ['ls --region us-esat-1'],
  ['ls', { GANTRY_REGION: 'us-esat-1' }],
  ['apps list --region us-esat-1'],
  ['invoke web --region us-esat-1'],
  ['deploy --dry-run --region us-esat-1'],
  ['run main.py::run --detach --region us-esat-1'],
  ['run --detach --region us-esat-1 main.py::run'],
  ['check --region us-esat-1'],
])('a misspelled region is warned of, since it may be a new one: %s', async (line, env = {}) => {
  const cwd = newFolder(smallApp());
  const { stderr } = await gantry(line.split(' '), { emulator, cwd, env });
  expect(stderr.match(/warning: region us-esat-1 is not documented: did you mean us-east-1\?/g)).toHaveLength(1);
});

test('a command of this machine refuses what names no region, too', async () => {
  const refused = await gantry(['check', '--region', 'mars'], { cwd: newFolder(smallApp()) });
  expect(refused).toExit(2, 'unknown region "mars"', 'for example: gantry check --region us-east-1');
});

describe('exits with 6 if the path does not exist', () => {
  const missing = ['/nothing', '/nothing/', '/models/nothing', '/no/where/at/all', '/readme.txt/below'];
  test.each([
    ...missing.map((path) => [path, `${path} is not on volume default (us-east-1)`]),
    ['/readme.txt/', 'default:/readme.txt/ is a file, not a folder'],
  ] as [string, string][])('%s', async (path, said) => {
    const { code, stdout, stderr } = await gantry(['ls', path], { emulator });
    expect([code, stdout]).toEqual([6, '']);
    expect(stderr).toContain(`error: ${said}`);
  });

  test('also with -R, and in a missing volume', async () => {
    expect((await gantry(['ls', '-R', '/nothing'], { emulator })).code).toBe(6);
    expect((await gantry(['ls', 'other:/'], { emulator })).code).toBe(6);
  });
});

test('names cannot control the terminal, and are exact in JSON', async () => {
  const evil = 'a\u001b[8m\u001b]0;hijacked\u0007\u001b[2J\n::error::b\u202etxt.exe';
  emulator.reset();
  emulator.volume().write(evil, 'x');
  const { stdout } = await gantry(['ls'], { emulator, columns: 80, env: { GITHUB_ACTIONS: 'true' } });
  expect(stdout).not.toMatch(/\u001b[^[]|\u001b\[(2J|8m)|\u0007|\u202e|^::/m);
  expect(stdout.trimEnd().split('\n')).toHaveLength(2);
  const { json } = await gantry(['ls', '--json=name'], { emulator });
  expect(json()).toEqual([{ name: evil }]);
});

test('lists a folder of ten thousand files in one request', async () => {
  const entries = Array.from({ length: 10_000 }, (_, at) => ({ name: `file-${at}`, is_folder: false, size_bytes: 1 }));
  const asked: string[] = [];
  const env = await inFrontOf(emulator, ({ route }) => {
    asked.push(route);
    return { body: JSON.stringify(entries) };
  });
  const { stdout, code } = await gantry(['ls', '/many'], { emulator, env });
  expect([code, stdout.trimEnd().split('\n').length, asked.length]).toEqual([0, 10_000, 1]);
});
