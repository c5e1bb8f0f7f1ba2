import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NewSmallFile, TemporaryNames } from '../../../src/kernel/disk/index.ts';
import { newFolder } from '../../support/files.ts';

const modified = Date.UTC(2026, 0, 2);
const content = Buffer.from('new');

function create(folder: string) {
  const target = join(folder, 'file');
  const file = NewSmallFile.create(target, { names: new TemporaryNames(undefined), folder, content, modified });
  return { target, file };
}

test('appears under its name when it is committed, with its time and the mode of what it replaces', () => {
  const folder = newFolder({ file: 'old' });
  chmodSync(join(folder, 'file'), 0o640);
  const { target, file } = create(folder);
  expect(readFileSync(target, 'utf8')).toBe('old');
  file.commit(target);
  expect(readFileSync(target, 'utf8')).toBe('new');
  expect(statSync(target)).toMatchObject({ mtimeMs: modified, mode: 0o100640 });
  expect(readdirSync(folder)).toEqual(['file']);
});

test('leaves nothing when it is discarded', () => {
  const folder = newFolder({});
  create(folder).file.discard();
  expect(readdirSync(folder)).toEqual([]);
});

test('replaces a symbolic link, not what it leads to', () => {
  const folder = newFolder({ elsewhere: 'old' });
  symlinkSync('elsewhere', join(folder, 'file'));
  const { target, file } = create(folder);
  file.commit(target);
  expect(readFileSync(join(folder, 'elsewhere'), 'utf8')).toBe('old');
  expect(readFileSync(target, 'utf8')).toBe('new');
});

test('is not written where something has its temporary name', () => {
  const folder = newFolder({});
  const names = new TemporaryNames(undefined);
  names.nameIn = () => '.gantry-taken';
  writeFileSync(join(folder, '.gantry-taken'), 'mine');
  const target = join(folder, 'file');
  expect(() => NewSmallFile.create(target, { names, folder, content, modified })).toThrow('EEXIST');
  expect(readFileSync(join(folder, '.gantry-taken'), 'utf8')).toBe('mine');
  expect(existsSync(target)).toBe(false);
});
