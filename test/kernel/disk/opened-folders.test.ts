import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { OpenedFolders } from '../../../src/kernel/disk/opened-folders.ts';
import { descriptorsIn, filesIn, newFolder } from '../../support/files.ts';

const modes: [string, boolean][] = [
  ...(process.platform === 'linux' ? [['held open', true] as [string, boolean]] : []),
  ['checked at each use', false],
];

describe.each(modes)('folders that are %s', (_, keepsOpen) => {
  test('are created, reused and closed', () => {
    const root = newFolder();
    const folders = new OpenedFolders(root, { forWriting: true, keepsOpen });
    for (let index = 0; index < 200; index++) {
      const folder = folders.open(['a', `${index % 100}`]);
      writeFileSync(folder.entry(`${index}`), 'x');
      folder.verify();
      folder.release();
    }
    expect(filesIn(root)).toHaveLength(200);
    expect(descriptorsIn(root)).toBeLessThan(70);
    folders.close();
    expect(descriptorsIn(root)).toBe(0);
  });

  test('a symbolic link that replaces one is not entered', () => {
    const [root, outside] = [newFolder({ 'a/b/c': 'c' }), newFolder()];
    const folders = new OpenedFolders(root, { forWriting: true, keepsOpen });
    const before = folders.open(['a', 'b']);
    renameSync(join(root, 'a'), join(root, 'old'));
    symlinkSync(outside, join(root, 'a'));
    expect(() => before.verify()).toThrow('a/b was replaced in the meantime');
    expect(() => folders.open(['a', 'b'])).toThrow('a is a symbolic link to a path outside the target folder');
    expect(() => folders.open(['a'])).toThrow('a is a symbolic link to a path outside the target folder');
    if (keepsOpen) writeFileSync(before.entry('late'), 'late');
    before.release();
    folders.close();
    expect(filesIn(outside)).toEqual([]);
    if (keepsOpen) expect(readFileSync(join(root, 'old/b/late'), 'utf8')).toBe('late');
    expect(descriptorsIn(root)).toBe(0);
  });

  test('a symbolic link within the root is entered if links are followed', () => {
    const root = newFolder({ 'real/a': 'a' });
    symlinkSync('real', join(root, 'link'));
    const folders = new OpenedFolders(root, { forWriting: true, keepsOpen });
    const folder = folders.open(['link']);
    writeFileSync(folder.entry('b'), 'b');
    folder.verify();
    folder.release();
    folders.close();
    expect(filesIn(join(root, 'real'))).toEqual(['a', 'b']);
    const strict = new OpenedFolders(root, { forWriting: false, keepsOpen });
    expect(() => strict.open(['link'])).toThrow('link is a symbolic link');
    strict.close();
  });

  test('a root that was replaced is not entered again', () => {
    const [root, outside] = [join(newFolder(), 'root'), newFolder()];
    mkdirSync(root);
    const folders = new OpenedFolders(root, { forWriting: true, keepsOpen });
    folders.open([]).release();
    rmSync(root, { recursive: true });
    symlinkSync(outside, root);
    expect(() => folders.open(['a'])).toThrow('the target folder was replaced in the meantime');
    folders.close();
    expect(readdirSync(outside)).toEqual([]);
  });

  test('an error names a file in place of a folder', () => {
    const folders = new OpenedFolders(newFolder({ a: 'file' }), { forWriting: true, keepsOpen });
    expect(() => folders.open(['a', 'b'])).toThrow('a is a file, not a folder');
    folders.close();
  });
});
