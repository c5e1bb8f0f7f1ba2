import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { NewFile, writeAtomically, writeFileAtomic, writeFileAtomicSync } from '../../../src/kernel/disk/index.ts';
import { replaceFile } from '../../../src/kernel/disk/replace.ts';
import { newFolder } from '../../support/files.ts';

describe('a complete file', () => {
  test.each([
    ['by a promise', writeFileAtomic],
    ['at once', async (path: string, content: string) => writeFileAtomicSync(path, content)],
  ])('replaces the old one, and leaves no other file (%s)', async (_, write) => {
    const folder = newFolder({ a: 'old', 'a.part': 'mine', 'a.new': 'mine' });
    await write(join(folder, 'a'), 'new');
    expect(readdirSync(folder).sort()).toEqual(['a', 'a.new', 'a.part']);
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('new');
    expect(readFileSync(join(folder, 'a.part'), 'utf8')).toBe('mine');
  });

  test('that cannot be written keeps the old one, and leaves no other file', async () => {
    const folder = newFolder({ a: 'old' });
    const failing = writeAtomically(join(folder, 'a'), async (file) => {
      await file.writeFile('half');
      throw new Error('no more');
    });
    await expect(failing).rejects.toThrow('no more');
    expect(readdirSync(folder)).toEqual(['a']);
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('old');
  });

  test.each([
    ['a file', 'target'],
    ['a file by another link', 'other'],
    ['nothing yet', 'new/../absent'],
  ])('of the user goes where a symbolic link leads: to %s', async (_, target) => {
    const folder = newFolder({ target: 'old', 'new/x': '' });
    symlinkSync('target', join(folder, 'other'));
    symlinkSync(join('..', target), join(folder, 'new/link'));
    chmodSync(join(folder, 'target'), 0o640);
    await writeFileAtomic(join(folder, 'new/link'), 'new');
    expect(readlinkSync(join(folder, 'new/link'))).toBe(join('..', target));
    expect(readFileSync(join(folder, target), 'utf8')).toBe('new');
    expect([lstatSync(join(folder, 'other')).isSymbolicLink(), readdirSync(join(folder, 'new'))]).toEqual([
      true,
      ['link', 'x'],
    ]);
    expect(statSync(join(folder, 'target')).mode & 0o777).toBe(0o640);
  });

  test('of our own replaces a symbolic link, not its target', async () => {
    const folder = newFolder({ target: 'untouched' });
    symlinkSync('target', join(folder, 'link'));
    await writeFileAtomic(join(folder, 'link'), 'new', { mode: 0o600 });
    expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(false);
    expect(readFileSync(join(folder, 'target'), 'utf8')).toBe('untouched');
  });

  test('has the requested permissions, by default those of the replaced file', async () => {
    const folder = newFolder({ a: 'old' });
    chmodSync(join(folder, 'a'), 0o640);
    await writeFileAtomic(join(folder, 'a'), 'new');
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o640);
    for (const name of ['a', 'b']) {
      await writeFileAtomic(join(folder, name), 'new', { mode: 0o600 });
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    }
  });

  test('in place of a folder is an error, and leaves no other file', async () => {
    const folder = newFolder({ 'a/b': '' });
    await expect(writeFileAtomic(join(folder, 'a'), 'x')).rejects.toThrow('EISDIR');
    expect(readdirSync(folder)).toEqual(['a']);
  });
});

describe('a file that an earlier process kept', () => {
  const kept = async () => {
    const target = join(newFolder(), 'a');
    const file = await NewFile.create(target);
    await file.handle.truncate(7);
    await file.keep();
    const name = readdirSync(join(target, '..'))[0] ?? '';
    return { target, name, path: join(target, '..', name) };
  };

  test('is continued and renamed', async () => {
    const { target, name } = await kept();
    const again = await NewFile.reopen(target, name, 7);
    await again?.commit(target, { modified: 1_000_000_000_000 });
    expect(statSync(target).mtimeMs).toBe(1_000_000_000_000);
    expect(readdirSync(join(target, '..'))).toEqual(['a']);
  });

  test.each(
    Object.entries<(path: string) => void>({
      'of another size': (path) => truncateSync(path, 6),
      'a link': (path) => {
        writeFileSync(`${path}-x`, 'seven b');
        symlinkSync(`${path}-x`, `${path}-y`);
        linkSync(`${path}-y`, `${path}-z`);
      },
      'a second name of another file': (path) => linkSync(path, `${path}-other`),
    }),
  )('is not continued if it is %s', async (what, change) => {
    const { target, name, path } = await kept();
    change(path);
    expect(await NewFile.reopen(target, what === 'a link' ? `${name}-z` : name, 7)).toBeUndefined();
  });

  test('is not continued if it is a folder or missing', async () => {
    const { target } = await kept();
    mkdirSync(join(target, '..', 'folder'));
    expect(await NewFile.reopen(target, 'folder', 7)).toBeUndefined();
    expect(await NewFile.reopen(target, 'gone', 7)).toBeUndefined();
  });
});

describe('a file that another program has open', () => {
  const failing = (code: string, times: number) => {
    const tries: string[] = [];
    const rename = async (from: string, to: string) => {
      tries.push(`${from} ${to}`);
      if (tries.length <= times) throw Object.assign(new Error(code), { code });
    };
    return { tries, rename, pause: async () => {} };
  };

  test.each(['EPERM', 'EACCES', 'EBUSY'])(
    'is replaced after the other program has closed it, on Windows (%s)',
    async (code) => {
      const { tries, ...means } = failing(code, 4);
      await replaceFile('a', 'b', { ...means, windows: true });
      expect(tries).toHaveLength(5);
    },
  );

  test.each([
    ['EPERM', true, 11],
    ['ENOSPC', true, 1],
    ['EPERM', false, 1],
  ])('fails with %s after all attempts (Windows: %s)', async (code, windows, tries) => {
    const means = failing(code, 99);
    await expect(replaceFile('a', 'b', { ...means, windows })).rejects.toThrow(code);
    expect(means.tries).toHaveLength(tries);
  });
});

test.skipIf(process.getuid?.() === 0)('a folder without write permission fails at once', async () => {
  const folder = newFolder();
  chmodSync(folder, 0o500);
  await expect(writeFileAtomic(join(folder, 'a'), 'x')).rejects.toThrow('EACCES');
  expect(existsSync(join(folder, 'a'))).toBe(false);
});
