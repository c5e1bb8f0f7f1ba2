import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { TemporaryNames } from '../../src/kernel/disk/index.ts';
import { emulatorForEach } from '../support/emulators.ts';
import { descriptorsIn, filesIn, hashesIn, lay as layIn, newFolder, noise, withoutProgress } from '../support/files.ts';
import { jsonLines, gantry as run, type Setting } from '../support/gantry.ts';
import { expectNoTrace } from '../support/traces.ts';

let home: string;
/** The folder that commands are run in. */
let here: string;

const emulator = emulatorForEach();

beforeEach(async () => {
  home = newFolder();
  here = newFolder();
});

const gantry = (words: string[], setting: Setting = {}) =>
  run(words, { emulator, cwd: here, ...setting, env: { GANTRY_CONFIG_DIR: home, ...setting.env } });

const lay = (files: Record<string, string | Buffer>) => layIn(here, files);
const shelf = () => emulator.volume();
const calls = (endpoint: string) => emulator.calls.filter((call) => call.endpoint === endpoint);

test.runIf(process.platform === 'linux')('a file of /proc, whose size is not known, is no empty file', async () => {
  const { code, stderr } = await gantry(['cp', '/proc/self/status', ':/status']);
  expect(stderr).toContain('it has content, but the system says that its size is 0\n');
  expect(stderr).toContain('fix pipe it: cat /proc/self/status | gantry cp - :/status');
  expect([code, shelf().read('/status')]).toEqual([1, undefined]);
});

test.each([['cp'], ['sync']])('gantry %s leaves out what another command has not written to its end', async (verb) => {
  const names = new TemporaryNames(join(home, 'state'));
  const unfinished = join('folder', names.nameIn(join(here, 'folder')));
  lay({ 'folder/a': '1', [unfinished]: 'half of it' });
  await gantry([verb, 'folder', ':/x', '--yes']);
  expect(shelf().paths()).toEqual(['/x/a']);
  names.close();
});

describe('the target of a copy', () => {
  test.each<[string[], string[]]>([
    [['cp', 'a.bin', ':/'], ['/a.bin']],
    [['cp', 'a.bin', ':/b.bin'], ['/b.bin']],
    [['cp', 'a.bin', 'default:/models/'], ['/models/a.bin']],
    [['cp', 'a.bin', ':/there'], ['/there/a.bin']],
    [['cp', './a.bin', 'b.bin'], ['/b.bin']],
    [['cp', 'a.bin', 'models/b.bin'], ['/models/b.bin']],
    [['cp', 'a.bin'], ['/a.bin']],
    [
      ['cp', 'folder'],
      ['/one', '/two/three'],
    ],
    [
      ['cp', 'folder', ':/x'],
      ['/x/one', '/x/two/three'],
    ],
    [
      ['cp', 'folder/', 'x/'],
      ['/x/one', '/x/two/three'],
    ],
    [
      ['cp', 'a.bin', 'folder', ':/x/'],
      ['/x/a.bin', '/x/folder/one', '/x/folder/two/three'],
    ],
    [['cp', 'folder', ':/x', '--include', 'three'], ['/x/two/three']],
    [['cp', 'folder', ':/x', '--exclude', 'two/'], ['/x/one']],
    [['cp', 'folder', ':/x', '--exclude', '*e'], []],
  ])('%j', async (words, paths) => {
    lay({ 'a.bin': 'a', 'folder/one': '1', 'folder/two/three': '3' });
    shelf().write('/there/before', '');
    const { code, stderr } = await gantry(words);
    expect([code, withoutProgress(stderr)]).toEqual([0, '']);
    expect(
      shelf()
        .paths()
        .filter((path) => path !== '/there/before'),
    ).toEqual(paths);
  });

  test.each<[string[], string[]]>([
    [['cp', ':/a.bin', '.'], ['a.bin']],
    [['cp', ':/a.bin', 'b.bin'], ['b.bin']],
    [['cp', ':/a.bin', 'new/'], ['new/a.bin']],
    [
      ['cp', ':/folder', 'x'],
      ['x/one', 'x/two/three'],
    ],
    [
      ['cp', ':/folder/', '.'],
      ['one', 'two/three'],
    ],
    [
      ['cp', ':/a.bin', ':/folder', 'x/'],
      ['x/a.bin', 'x/folder/one', 'x/folder/two/three'],
    ],
    [
      ['cp', ':/folder', 'x', '--include', '*e'],
      ['x/one', 'x/two/three'],
    ],
    [['cp', ':/folder', 'x', '--exclude', 'two/**'], ['x/one']],
  ])('%j', async (words, paths) => {
    shelf().write('/a.bin', 'a');
    shelf().write('/folder/one', '1');
    shelf().write('/folder/two/three', '3');
    const { code, stderr } = await gantry(words);
    expect([code, withoutProgress(stderr)]).toEqual([0, '']);
    expect(filesIn(here)).toEqual(paths);
  });

  test.each([
    ['cp folder nope:/v', 'volume nope not found; nothing was copied', 'gantry volumes list'],
    ['cp folder nope:/', 'volume nope not found; nothing was copied', 'gantry volumes list'],
    ['sync folder nope:/v', 'volume nope not found; nothing was copied', 'gantry volumes list'],
    ['cp - nope:/v', 'volume nope not found; nothing was copied', 'gantry volumes list'],
    [
      'cp folder defualt:/v',
      'volume defualt not found; nothing was copied: did you mean default?',
      'gantry volumes list',
    ],
    ['cp nope:/a .', 'volume nope not found', 'gantry volumes list'],
    ['ls defualt:/', 'volume defualt not found: did you mean default?', 'gantry ls default:/'],
    ['ls nope:/', 'volume nope not found', 'gantry volumes list'],
    ['ls nope:/a/b', 'volume nope not found', 'gantry volumes list'],
    ['rm defualt:/a --yes', 'volume defualt not found: did you mean default?', 'gantry volumes list'],
  ])('%s is one error, before the first file', async (line, message, fix) => {
    lay({ 'folder/one': '1', 'folder/two': '2' });
    const { code, stdout, stderr } = await gantry(line.split(' '), { stdin: 'text' });
    expect([code, stdout]).toEqual([6, '']);
    expect(stderr).toContain(`error: ${message}\n`);
    expect(stderr).toContain(`\n  fix ${fix}\n`);
    expect(stderr).not.toContain('warning');
    expect(calls('initializeUpload')).toEqual([]);
  });

  test("copies the volume's root into the current folder only", async () => {
    shelf().write('/etc/passwd', 'no');
    shelf().write('/a', 'a');
    expect((await gantry(['cp', ':/', '.'])).code).toBe(0);
    expect(filesIn(here)).toEqual(['a', 'etc/passwd']);
  });

  test.each<[string[], number, RegExp]>([
    [['cp', ':/a.bin'], 2, /missing target for :\/a\.bin/],
    [['cp', 'none', ':/'], 6, /none not found/],
    [['cp', ':/none', '.'], 6, /\/none is not on volume default \(us-east-1\)\n {2}fix gantry ls default:\/\n/],
    [
      ['cp', ':/*.bin', 'out/'],
      6,
      /why patterns are for rm, .*\n {2}fix gantry ls default:\/; to copy what matches: gantry cp default:\/ out\/ --include '\*\.bin'\n/,
    ],
    [['cp', 'a.bin', 'b.bin', ':/x'], 2, /several sources need a folder/],
    [['cp', 'folder', ':/file'], 7, /file is a file, not a folder/],
    [['cp', ':/file', 'a.bin/b/c'], 7, /part of \S+a\.bin\/b\/c is a file, not a folder/],
    [['cp', ':/file', 'a.bin/'], 7, /a\.bin is a file, not a folder/],
    [['cp', '-', '-'], 2, /stdin can only be copied alone/],
    [['cp', 'a.bin', '-'], 2, /neither the source nor the target is on a volume/],
    [['cp', 's3://x/y', '.'], 2, /invalid remote path/],
    [['cp', 'a.bin', ':/', '--part-size', '1MiB'], 2, /from 5MiB/],
    [['cp', 'a.bin', ':/', '--limit-rate', 'fast'], 2, /such as 20MB/],
  ])('%j is exit code %i', async (words, exit, said) => {
    lay({ 'a.bin': 'a', 'b.bin': 'b', 'folder/one': '1' });
    shelf().write('/file', '');
    expect(await gantry(words)).toExit(exit, said);
  });
});

describe('the copy', () => {
  const tree = {
    empty: '',
    'with space': 'a',
    'quote\'s "double"': 'b',
    'two\nlines': 'c',
    '🚀/rocket.txt': 'd',
    'e\u0301te\u0301': 'NFD',
    'deep/er/and/deeper/.hidden': 'e',
    'percent%20+plus&and=#hash?': 'f',
    'back\\slash': 'g',
  };

  test('keeps any names and contents, to a volume and back', async () => {
    lay(Object.fromEntries(Object.entries(tree).map(([name, text]) => [`from/${name}`, text])));
    lay({ 'from/large': noise(12_000_000), 'from/just': noise(5 * 2 ** 20) });
    expect(await gantry(['cp', 'from', ':/t', '--part-size', '5MiB'])).toMatchObject({ code: 0 });
    const back = await gantry(['cp', ':/t', 'back', '--part-size', '5MiB']);
    expect(back).toMatchObject({ code: 0 });
    expect(hashesIn(join(here, 'back'))).toEqual(hashesIn(join(here, 'from')));
    expectNoTrace(back, emulator);
  });

  test.each([
    ['with one request at a time', 1, ['--concurrency', '1']],
    ['of more files than are copied at a time', 70, []],
  ])('from a volume to the same host ends %s', async (_, count, flags) => {
    const names = Array.from({ length: count }, (_, index) => `/from/${index}`);
    for (const name of names) shelf().write(name, noise(200_000, name));
    // What waits for itself is not saved by a retry within the time of a test.
    const { code, stderr } = await gantry(['cp', ':/from', ':/to', ...flags], { io: { silenceMs: 60_000 } });
    expect([code, withoutProgress(stderr)]).toEqual([0, '']);
    for (const name of names) {
      expect(shelf().read(name.replace('from', 'to'))?.equals(noise(200_000, name))).toBe(true);
    }
  });

  test('leaves no folder open: commands of gantry mcp share a process', async () => {
    shelf().write('/a/b/c', 'c');
    expect((await gantry(['cp', ':/a', 'a'])).code).toBe(0);
    expect([filesIn(here), descriptorsIn(here)]).toEqual([['a/b/c'], 0]);
  });

  test('copies the whole target of a symbolic link', async () => {
    lay({ 'cache/blob': noise(12 * 2 ** 20), 'models/readme': '' });
    symlinkSync('../cache/blob', join(here, 'models/model.bin'));
    symlinkSync('../cache', join(here, 'models/cache'));
    symlinkSync('..', join(here, 'cache/loop'));
    const { code, stderr, json } = await gantry(['cp', 'models', ':/m', '--json']);
    expect([code, withoutProgress(stderr)]).toEqual([0, 'cache/loop skipped: symbolic link to a parent folder\n']);
    expect(json()).toMatchObject({ files: 3, skipped: 1, failed: [] });
    expect(
      shelf()
        .read('/m/model.bin')
        ?.equals(noise(12 * 2 ** 20)),
    ).toBe(true);
    expect(shelf().paths()).toEqual(['/m/cache/blob', '/m/model.bin', '/m/readme']);
  });

  test('says that no file matches, for a mistyped --include', async () => {
    const cwd = newFolder({ 'a.csv': '1', 'b.bin': '2' });
    const said = async (...flags: string[]) =>
      (await gantry(['cp', '.', ':/none', ...flags], { emulator, cwd })).stderr;
    expect(await said('--include', '*.cvs', '--include', 'c')).toContain('no file matches --include *.cvs or c\n');
    expect(await said('--include', '*.csv')).not.toContain('matches');
    expect(await said('--include', '*.csv', '--update')).not.toContain('matches');
  });

  test('does not include symbolic links with --no-follow', async () => {
    lay({ 'models/a': 'a' });
    symlinkSync('a', join(here, 'models/b'));
    const { code, stdout } = await gantry(['cp', 'models', ':/m', '--no-follow']);
    expect(code).toBe(0);
    expect(stdout).toContain('1 skipped');
    expect(shelf().paths()).toEqual(['/m/a']);
  });

  test('has the modification time of the remote file', async () => {
    shelf().write('/a', 'a', Date.parse('2026-01-02T03:04:05Z'));
    await gantry(['cp', ':/a', '.']);
    expect(statSync(join(here, 'a')).mtime.toISOString()).toBe('2026-01-02T03:04:05.000Z');
    expect(statSync(join(here, 'a')).mode & 0o777).toBe(0o644);
  });

  test.each([100, 200_000])('compares %i bytes from volume to volume as well', async (bytes) => {
    emulator.volume().write('/a', 'x'.repeat(bytes));
    emulator.fail('object', 'corrupt');
    expect(await gantry(['cp', ':/a', ':/b'])).toExit(0, 'the received bytes differ from the stored file');
    expect(String(emulator.volume().read('/b'))).toBe('x'.repeat(bytes));
  });

  test('copies from volume to volume through this machine', async () => {
    shelf().write('/a/big', noise(11 * 2 ** 20));
    shelf().write('/a/small', 'small');
    shelf().write('/a/empty', '');
    const { code, json } = await gantry(['cp', ':/a', ':/b', '--part-size', '5MiB', '--verify', '--json']);
    expect((json() as { files: number; verifiedFiles: number }).verifiedFiles).toBe(
      (json() as { files: number }).files,
    );
    expect(code).toBe(0);
    expect((await gantry(['cp', 'default:/b', 'b'])).code).toBe(0);
    expect(readFileSync(join(here, 'b/big')).equals(noise(11 * 2 ** 20))).toBe(true);
    expect(filesIn(join(here, 'b'))).toEqual(['big', 'empty', 'small']);
  });

  test('uses the requested region, in query and body', async () => {
    lay({ a: 'a' });
    await gantry(['cp', 'a', ':/a', '--region', 'eu-west-2']);
    expect(emulator.volume('eu-west-2').paths()).toEqual(['/a']);
    const [begun] = calls('initializeUpload');
    expect(begun?.body).toMatchObject({ region: 'eu-west-2', part_count: 1, file_path: '/a' });
  });

  test('prints the bytes of a file to stdout', async () => {
    shelf().write('/a', 'bytes\n');
    const bytes = { code: 0, stdout: 'bytes\n', stderr: '' };
    expect(await gantry(['cp', ':/a', '-'])).toMatchObject(bytes);
    expect(await gantry(['cp', ':/a', '/dev/stdout'])).toMatchObject(bytes);
  });

  test.each(['-', 'a'])('to %s, is as slow as a flag says', async (target) => {
    shelf().write('/a', noise(200 * 1024));
    const { code, waits } = await gantry(['cp', ':/a', target, '--limit-rate', '100KB']);
    const waited = waits.reduce((sum, ms) => sum + ms, 0);
    expect([code, waited > 1_500]).toEqual([0, true]);
  });

  test.skipIf(process.platform === 'win32')('replaces no pipe and no device, and waits for no reader', async () => {
    shelf().write('/a', 'bytes\n');
    const pipe = join(here, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const target of [pipe, '/dev/null', '/dev/stderr']) {
      const fix = 'fix write to stdout: gantry cp default:/a -';
      const { code, stderr } = await gantry(['cp', ':/a', target]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`${target} is a pipe or a device\n  ${fix}\n`)]);
    }
    shelf().write('/data/b', 'bytes');
    expect(await gantry(['cp', ':/data', '/dev/null'])).toExit(2, 'fix name a folder: gantry cp default:/data/ .');
    for (const [target, typed] of Object.entries({ ':/x.csv': 'default:/x.csv', ':/in/': 'default:/in/pipe' }))
      expect(await gantry(['cp', 'pipe', target])).toExit(2, `fix pipe it: cat pipe | gantry cp - ${typed}\n`);
    expect(statSync(pipe).isFIFO()).toBe(true);
  });

  test.runIf(process.platform === 'linux')('fails if the target folder cannot be created', async () => {
    shelf().write('/a', 'bytes\n');
    expect(await gantry(['cp', ':/a', '/proc/gantry/a'])).toExit(1, 'was not copied: file or folder not found');
  });

  test('stores stdin as a file, and removes the temporary file', async () => {
    const outcome = await gantry(['cp', '-', ':/notes.txt'], { stdin: 'from stdin\n' });
    expect(outcome).toMatchObject({ code: 0 });
    expect(shelf().text('/notes.txt')).toBe('from stdin\n');
    expectNoTrace(outcome, emulator);
  });
});

describe('existing files', () => {
  beforeEach(() => {
    lay({ 'f/same': 'same', 'f/other': 'new text', 'f/new': 'new' });
    shelf().write('/f/same', 'SAME');
    shelf().write('/f/other', 'old');
    utimesSync(join(here, 'f/same'), 1_000, 1_000);
  });

  test.each<[string[], string, string, number]>([
    [[], 'same', 'new text', 0],
    [['--no-clobber'], 'SAME', 'old', 2],
    [['--update'], 'SAME', 'new text', 1],
  ])('are overwritten, but %j', async (flags, same, other, skipped) => {
    const { json, code } = await gantry(['cp', 'f', ':/f', ...flags, '--json']);
    expect(code).toBe(0);
    expect(json()).toMatchObject({ files: 3 - skipped, skipped });
    expect([shelf().text('/f/same'), shelf().text('/f/other'), shelf().text('/f/new')]).toEqual([same, other, 'new']);
  });

  test('are handled the same in a local target', async () => {
    shelf().write('/f/only', 'there');
    const clobbering = await gantry(['cp', ':/f', 'f', '--no-clobber', '--json']);
    expect(clobbering.json()).toMatchObject({ files: 1, skipped: 2 });
    expect(readFileSync(join(here, 'f/other'), 'utf8')).toBe('new text');
    expect((await gantry(['cp', ':/f', 'f'])).code).toBe(0);
    expect(readFileSync(join(here, 'f/other'), 'utf8')).toBe('old');
    const again = await gantry(['cp', ':/f', 'f', '--update', '--json']);
    expect(again.json()).toMatchObject({ files: 0, skipped: 3 });
  });

  test('a dry run changes nothing', async () => {
    const { code, stdout, stderr } = await gantry(['cp', 'f', ':/g', '--dry-run']);
    expect([code, stdout]).toEqual([0, 'would copy 3 files, 15 B to default:/g\n']);
    expect(stderr.split('\n').filter((line) => line.startsWith('  would copy '))).toHaveLength(3);
    const { json } = await gantry(['cp', 'f', ':/g', '--dry-run', '--json']);
    expect(json()).toMatchObject({ dryRun: true, paths: expect.arrayContaining([expect.any(String)]) });
    const events = await gantry(['cp', 'f', ':/g', '--dry-run', '--events']);
    expect(events.stdout.match(/"status":"would-copy"/g)).toHaveLength(3);
    expect(calls('initializeUpload')).toEqual([]);
  });
});

describe('the JSON result', () => {
  test('has copied, skipped and failed files', async () => {
    lay({ 'f/a': 'aaaa', 'f/b': 'bb' });
    symlinkSync('nowhere', join(here, 'f/dangling'));
    mkdirSync(join(here, 'f/hollow'));
    const { code, json, stderr } = await gantry(['cp', 'f', ':/f', '--json']);
    expect(code).toBe(1);
    expect(json()).toEqual({
      warnings: [expect.objectContaining({ message: 'dangling was not copied: broken symbolic link' })],
      from: [join(here, 'f')],
      to: 'default:/f',
      files: 2,
      bytes: 6,
      skipped: 1,
      failed: [{ path: 'dangling', reason: 'broken symbolic link', code: 'failed' }],
      resumedBytes: 0,
      durationMs: expect.any(Number),
      dryRun: false,
    });
    expect(stderr).toContain('dangling was not copied: broken symbolic link');
    expect(stderr).toContain('hollow/ skipped: volumes cannot store empty folders');
  });

  test('--events prints a line for each file, and one for the result', async () => {
    lay({ 'f/a': 'aaaa' });
    const { stdout } = await gantry(['cp', 'f', ':/f', '--events']);
    const lines = jsonLines(stdout);
    expect(lines).toEqual([
      { type: 'file', path: 'a', status: 'copied', bytes: 4 },
      expect.objectContaining({ type: 'result', files: 1 }),
    ]);
  });

  test('is an error document if a single file fails', async () => {
    lay({ a: 'a' });
    emulator.fail('initializeUpload', '403*');
    const { code, json } = await gantry(['cp', 'a', ':/a', '--json']);
    expect(code).toBe(5);
    expect(json()).toMatchObject({ error: { code: 'denied', message: 'a was not copied: Forbidden' } });
  });
});
