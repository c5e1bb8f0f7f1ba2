import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { LocalRemoval } from '../../src/storage/sync/sync.ts';
import { emulatorForEach } from '../support/emulators.ts';
import { filesIn, lay, newFolder, withoutProgress } from '../support/files.ts';
import { keys, gantry as run, type Setting, targetOf } from '../support/gantry.ts';
import { atFirstCall } from '../support/requests.ts';

let home: string;
let here: string;

const emulator = emulatorForEach();

beforeEach(async () => {
  home = newFolder();
  here = newFolder({ 'f/same': 'same', 'f/changed': 'new text', 'f/new': 'n', 'f/older': 'AAAA' });
  utimesSync(join(here, 'f/same'), 1_000, 1_000);
  for (const [name, text] of Object.entries({ same: 'SAME', changed: 'old', older: 'aaaa', 'x/extra': 'e' })) {
    shelf().write(`/f/${name}`, text, Date.parse('2026-01-01T00:00:00Z'));
  }
});

const shelf = () => emulator.volume();
const gantry = (words: string[], setting: Setting = {}) =>
  run(words, { emulator, cwd: here, ...setting, env: { GANTRY_CONFIG_DIR: home, ...setting.env } });

test.runIf(process.platform === 'linux')('an entry of the target that cannot be read is named', async () => {
  mkdirSync(join(here, 'there'));
  writeFileSync(Buffer.concat([Buffer.from(join(here, 'there/caf')), Buffer.from([0xe9])]), 'x');
  const outcome = await gantry(['sync', ':/f', 'there']);
  expect(outcome).toExit(1, `error: cannot read ${join(here, 'there/caf')}\\xe9: the name is not valid UTF-8`);
});

describe('with --verify, a file of equal size that is not older counts as unchanged only with the same bytes', () => {
  const said = 'nothing to copy: 3 files unchanged\n';

  beforeEach(async () => {
    here = newFolder({ 'same/a': 'AAAA', 'same/sub/b': 'BBBB', 'same/c': 'CCCC' });
    expect((await gantry(['sync', 'same', ':/same'])).code).toBe(0);
    expect((await gantry(['sync', 'same', ':/same', '--verify'])).stdout).toBe(said);
  });

  test('in an upload', async () => {
    writeFileSync(join(here, 'same/sub/b'), 'bbbb');
    utimesSync(join(here, 'same/sub/b'), 1_000, 1_000);
    expect((await gantry(['sync', 'same', ':/same'])).stdout).toBe(said);
    const planned = await gantry(['sync', 'same', ':/same', '--verify', '--dry-run', '--detailed-exit-code', '--json']);
    expect([planned.code, planned.json()]).toMatchObject([3, { updated: 1, unchanged: 2, paths: ['sub/b'] }]);
    expect(shelf().read('/same/sub/b')?.toString()).toBe('BBBB');
    const { code, json } = await gantry(['sync', 'same', ':/same', '--verify', '--json']);
    const counts = {
      files: 1,
      new: 0,
      updated: 1,
      unchanged: 2,
      skipped: 0,
      verifiedFiles: 3,
      equalFiles: 2,
      changed: true,
    };
    expect([code, json()]).toMatchObject([0, counts]);
    expect(shelf().read('/same/sub/b')?.toString()).toBe('bbbb');
  });

  test('in a download, and in a copy', async () => {
    const change = () => {
      writeFileSync(join(here, 'same/a'), 'aaaa');
      utimesSync(join(here, 'same/a'), 4e9, 4e9);
    };
    for (const words of [['sync'], ['cp', '--update']]) {
      change();
      const { code, json } = await gantry([...words, ':/same', 'same', '--verify', '--json']);
      expect([code, json()]).toMatchObject([0, { files: 1, verifiedFiles: 3 }]);
      expect(readFileSync(join(here, 'same/a'), 'utf8')).toBe('AAAA');
    }
  });

  test('and one that changes while it is compared is copied, as it is then', async () => {
    const place = join(here, 'same/a');
    atFirstCall(emulator, 'getDownloadLink', () => writeFileSync(place, 'a new one'));
    const { code, json } = await gantry(['sync', 'same', ':/same', '--verify', '--concurrency', '1', '--json']);
    expect([code, json()]).toMatchObject([0, { files: 1, updated: 1, unchanged: 2, equalFiles: 2, verifiedFiles: 3 }]);
    expect(shelf().read('/same/a')?.toString()).toBe('a new one');
  });

  test('in a download, too', async () => {
    writeFileSync(join(here, 'same/a'), 'aaaa');
    utimesSync(join(here, 'same/a'), 4e9, 4e9);
    atFirstCall(emulator, 'getDownloadLink', () => shelf().write('/same/a', 'a new one', Date.now()));
    const { code, json } = await gantry(['sync', ':/same', 'same', '--verify', '--concurrency', '1', '--json']);
    expect([code, json()]).toMatchObject([0, { files: 1, equalFiles: 2 }]);
    expect(readFileSync(join(here, 'same/a'), 'utf8')).toBe('a new one');
  });

  test('and one that cannot be read again has failed', async () => {
    emulator.fail('getDownloadLink', 403);
    const { code, json } = await gantry(['sync', 'same', ':/same', '--verify', '--json']);
    expect([code, json()]).toMatchObject([
      5,
      { files: 0, unchanged: 2, verifiedFiles: 2, failed: [{ code: 'denied' }] },
    ]);
  });
});

test('a file whose time is in the future is named: each sync copies it again', async () => {
  await gantry(['sync', 'f', ':/later']);
  utimesSync(join(here, 'f/new'), 4e9, 4e9);
  const { code, stderr } = await gantry(['sync', 'f', ':/later']);
  expect(stderr).toContain('warning: the time of new is in the future: each sync copies such a file again\n');
  expect(stderr).toContain(`fix set its time: touch ${join(here, 'f/new')}`);
  expect(code).toBe(0);
  utimesSync(join(here, 'f/new'), 1_000, 1_000);
  expect((await gantry(['sync', 'f', ':/later'])).stderr).not.toContain('future');
});

describe('what another command deletes in the target meanwhile is not there', () => {
  test('on a disk', async () => {
    lay(here, { 'g/first': '1', 'g/second': '2', 'g/gone/inner/file': '3', 'g/stays/file': '4' });
    const others = () => {
      for (const path of ['g/second', 'g/gone']) rmSync(join(here, path), { recursive: true });
    };
    atFirstCall(emulator, 'listFolder', others, { dir: '/f/' });
    const { code, stderr, json } = await gantry(['sync', ':/f', 'g', '--delete', '--confirm', 'g', '--json']);
    expect(stderr).not.toContain('error');
    expect([code, json()]).toMatchObject([0, { new: 4, deleted: 2, failed: [] }]);
    expect(filesIn(join(here, 'g'))).toEqual(['changed', 'older', 'same', 'x/extra']);
  });

  test('on a volume', async () => {
    for (const name of ['one/file', 'other/file']) shelf().write(`/f/${name}`, 'text');
    atFirstCall(emulator, 'listFolder', () => emulator.fail('listFolder', 404), { dir: '/f/one/' });
    const { code, json } = await gantry(['sync', 'f', ':/f', '--delete', '--confirm', 'default:/f', '--json']);
    expect([code, json()]).toMatchObject([0, { new: 1, updated: 2, deleted: 2, failed: [] }]);
  });
});

test('holds its turn until the last file is deleted', async () => {
  const held: boolean[] = [];
  atFirstCall(emulator, 'deletePath', () => {
    const files = readdirSync(home, { recursive: true, encoding: 'utf8' });
    held.push(files.some((file) => /transfers.*\.lock$/.test(file)));
  });
  expect((await gantry(['sync', 'f', ':/f', '--delete', '--confirm', 'default:/f'])).code).toBe(0);
  expect(held).toEqual([true]);
});

describe('to a volume', () => {
  test('copies new, resized and newer files only', async () => {
    const { code, stdout, stderr } = await gantry(['sync', 'f', ':/f']);
    expect(code).toBe(0);
    expect(withoutProgress(stderr)).toBe(
      '1 new and 2 changed (3 files, 13 B to copy), 1 unchanged, 1 only in the target (kept)\n',
    );
    expect(stdout).toMatch(/^copied 3 files, 13 B to default:\/f in .*; 1 file unchanged\n$/);
    expect(['same', 'changed', 'new', 'older', 'x/extra'].map((name) => shelf().text(`/f/${name}`))).toEqual([
      ...['SAME', 'new text', 'n', 'AAAA', 'e'],
    ]);
  });

  test('has nothing to do the second time', async () => {
    await gantry(['sync', 'f', ':/f']);
    const calls = emulator.calls.length;
    const { code, stdout, stderr } = await gantry(['sync', 'f', ':/f']);
    expect([code, stdout]).toEqual([0, 'nothing to copy: 4 files unchanged\n']);
    expect(stderr).toBe(`project ${targetOf(emulator)}\n1 only in the target (kept)\n`);
    expect(emulator.calls.slice(calls).every(({ endpoint }) => endpoint === 'listFolder')).toBe(true);
    const { json } = await gantry(['sync', 'f', ':/f', '--dry-run', '--json=changed,next']);
    expect(json()).toEqual({ changed: false, next: null });
  });

  test('--delete deletes extra files once the target is typed or passed', async () => {
    expect(await gantry(['sync', 'f', ':/f', '--delete'])).toExit(9, 'deletes x/extra');
    expect(shelf().text('/f/new')).toBeUndefined();
    expect((await gantry(['sync', 'f', ':/f', '--delete', '--yes'])).code).toBe(9);
    expect((await gantry(['sync', 'f', ':/f', '--delete', '--confirm', 'other'])).code).toBe(2);
    expect(shelf().text('/f/x/extra')).toBe('e');
    const typed = await gantry(['sync', 'f', ':/f', '--delete'], { stdin: keys('default:/f\r'), columns: 80 });
    expect(typed.code).toBe(0);
    expect(shelf().paths()).toEqual(['/f/changed', '/f/new', '/f/older', '/f/same', '/f/x/']);
  });

  test('--dry-run lists what would be copied and deleted, and changes nothing', async () => {
    const before = shelf().paths();
    const { code, stdout: result, stderr } = await gantry(['sync', 'f', ':/f', '--delete', '--dry-run']);
    expect([code, result]).toEqual([0, 'would copy 3 files, 13 B to default:/f; 1 to delete\n']);
    for (const line of ['  would copy new\n', '  would copy changed\n', '  deletes x/extra\n'])
      expect(stderr).toContain(line);
    const { json } = await gantry(['sync', 'f', ':/f', '--delete', '--dry-run', '--json']);
    expect(json()).toMatchObject({ dryRun: true, paths: expect.any(Array), toDelete: expect.any(Array) });
    expect(json()).toMatchObject({ next: [{ argv: ['gantry', 'sync', 'f', ':/f', '--delete', '--json'] }] });
    const { stdout } = await gantry(['sync', 'f', ':/f', '--delete', '--dry-run', '--events']);
    expect(stdout).toContain('{"type":"file","path":"x/extra","status":"would-delete"}\n');
    expect(shelf().paths()).toEqual(before);
  });

  test('deletes nothing if a file could not be copied', async () => {
    emulator.fail('initializeUpload', '403');
    const { code, stderr, json } = await gantry([
      ...['sync', 'f', ':/f', '--delete', '--confirm', 'default:/f', '--json'],
    ]);
    expect(code).toBe(5);
    expect(stderr).toContain('nothing was deleted because some files could not be copied');
    expect(json()).toMatchObject({ deleted: 0, extra: 1, failed: [{ code: 'denied' }] });
    expect(shelf().text('/f/x/extra')).toBe('e');
  });

  test('neither copies nor deletes excluded files', async () => {
    const words = ['sync', 'f', ':/f', '--delete', '--exclude', 'x/', '--exclude', 'new', '--confirm', 'default:/f'];
    expect((await gantry([...words, '--json'])).json()).toMatchObject({ new: 0, updated: 2, extra: 0, deleted: 0 });
    expect([shelf().text('/f/x/extra'), shelf().text('/f/new')]).toEqual(['e', undefined]);
  });

  test.each<[string[], number]>([
    [['sync', 'f', ':/f', '--dry-run'], 0],
    [['sync', 'f', ':/f', '--dry-run', '--detailed-exit-code'], 3],
    [['sync', 'f/x', ':/f', '--dry-run', '--detailed-exit-code', '--delete'], 6],
  ])('%j changes nothing and is exit code %i', async (words, exit) => {
    expect((await gantry(words)).code).toBe(exit);
    expect(emulator.calls.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('treats every file as new if the target does not exist', async () => {
    const { json } = await gantry(['sync', 'f', ':/other', '--json']);
    expect(json()).toMatchObject({ new: 4, updated: 0, unchanged: 0, extra: 0 });
  });

  test('a dry run without differences exits with 0', async () => {
    await gantry(['sync', 'f', ':/f']);
    expect((await gantry(['sync', 'f', ':/f', '--dry-run', '--detailed-exit-code'])).code).toBe(0);
  });
});

describe('from a volume', () => {
  test('makes the local folder equal, including times', async () => {
    mkdirSync(join(here, 'g/only/here'), { recursive: true });
    writeFileSync(join(here, 'g/only/here/file'), 'mine');
    const { code, json } = await gantry(['sync', ':/f', 'g', '--delete', '--confirm', 'g', '--json']);
    expect(code).toBe(0);
    expect(json()).toMatchObject({ new: 4, updated: 0, extra: 1, deleted: 1 });
    expect(filesIn(join(here, 'g'))).toEqual(['changed', 'older', 'same', 'x/extra']);
    expect(existsSync(join(here, 'g/only'))).toBe(false);
    expect((await gantry(['sync', ':/f', 'g', '--json'])).json()).toMatchObject({ unchanged: 4, files: 0 });
  });

  test('deletes nothing behind a symbolic link', async () => {
    const outside = newFolder({ precious: 'mine' });
    mkdirSync(join(here, 'g'));
    symlinkSync(outside, join(here, 'g/link'));
    const { json } = await gantry(['sync', ':/f', 'g', '--delete', '--json']);
    expect(json()).toMatchObject({ extra: 0, deleted: 0 });
    expect(readFileSync(join(outside, 'precious'), 'utf8')).toBe('mine');
  });
});

describe('deleting local files', () => {
  const names = Array.from({ length: 20 }, (_, index) => `${index}`);

  test.each([['e'], ['e/y']])('does not follow a link that replaces %s meanwhile', async (planted) => {
    const outside = newFolder(
      Object.fromEntries(
        names.flatMap((name) => [
          [name, 'mine'],
          [`y/${name}`, 'mine'],
        ]),
      ),
    );
    lay(here, Object.fromEntries(names.map((name) => [`g/e/y/${name}`, 'extra'])));
    atFirstCall(emulator, 'object', () => {
      renameSync(join(here, 'g', planted), join(here, 'moved'));
      symlinkSync(outside, join(here, 'g', planted));
    });
    const { code, json } = await gantry(['sync', ':/f', 'g', '--delete', '--confirm', 'g', '--json']);
    expect(code).toBe(1);
    expect(json()).toMatchObject({ extra: 20, deleted: 0, failed: { length: 20 } });
    expect((json() as { failed: unknown[] }).failed[0]).toMatchObject({ reason: `${planted} is a symbolic link` });
    expect(filesIn(outside)).toHaveLength(40);
  });

  test.each([true, false])(
    'removes a link itself, and folders that become empty (folders held open: %s)',
    async (holds) => {
      const outside = newFolder({ a: 'mine' });
      const root = newFolder({ 'x/y/a': 'a', 'x/b': 'b', 'z/c': 'c' });
      symlinkSync(join(outside, 'a'), join(root, 'z/link'));
      const removal = new LocalRemoval(root, holds && process.platform === 'linux');
      for (const path of ['x/y/a', 'z/link', 'z/gone', 'gone/too']) await removal.remove(path);
      expect(filesIn(root)).toEqual(['x/b', 'z/c']);
      expect(existsSync(join(root, 'x/y'))).toBe(false);
      removal.close();
      expect(filesIn(outside)).toEqual(['a']);
    },
  );
});

test.each<[string[], number, RegExp]>([
  [['sync', 'f/same', ':/f'], 2, /same is a file/],
  [['sync', '-', ':/f'], 2, /stream/],
  [['sync', 'f', ':/f/same'], 7, /is a file, not a folder/],
  [['sync', ':/f', 'f/same/x'], 7, /part of \S+same\/x is a file, not a folder/],
  [['sync', 'none', ':/f'], 6, /none not found/],
])('%j is exit code %i', async (words, exit, said) => {
  expect(await gantry(words)).toExit(exit, said);
});

test('deletes nothing if the source does not exist', async () => {
  rmSync(join(here, 'f'), { recursive: true });
  expect((await gantry(['sync', 'f', ':/f', '--delete', '--confirm', 'default:/f'])).code).toBe(6);
  expect(shelf().paths()).toHaveLength(4);
});
