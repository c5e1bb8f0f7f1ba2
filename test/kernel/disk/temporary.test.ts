import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeOrphanedFiles, TemporaryNames, temporaryFilter } from '../../../src/kernel/disk/index.ts';
import { filesIn, newFolder } from '../../support/files.ts';

const numberOf = (pid: string) => pid.replace(/^\d+/, String(2 ** 22 + 1));

/** The record of a process that has been killed since: its process id is one that no system gives. */
function killOwner(state: string): void {
  const { renameSync } = process.getBuiltinModule('node:fs');
  for (const name of readdirSync(join(state, 'temporary'))) {
    const [session = '', owner = ''] = name.split('.');
    renameSync(join(state, 'temporary', name), join(state, 'temporary', `${session}.${numberOf(owner)}`));
  }
}

test('only a recorded name is a temporary file', () => {
  const state = newFolder();
  const name = new TemporaryNames(state).nameIn('/somewhere');
  const isTemporary = temporaryFilter(() => state);
  expect(isTemporary(name)).toBe(true);
  expect(isTemporary('.gantry-0123456789abcdef-0')).toBe(false);
  expect(isTemporary('a.gantry-part')).toBe(false);
  expect(isTemporary(`${name}.txt`)).toBe(false);
});

test('removes only what a killed process left, and its record', () => {
  const [state, folder] = [newFolder(), newFolder({ mine: '', '.gantry-0123456789abcdef-0': '' })];
  const names = new TemporaryNames(state);
  for (let file = 0; file < 3; file++) writeFileSync(join(folder, names.nameIn(folder)), '');
  removeOrphanedFiles(state);
  expect(filesIn(folder)).toHaveLength(5);
  killOwner(state);
  removeOrphanedFiles(state);
  expect(filesIn(folder)).toEqual(['.gantry-0123456789abcdef-0', 'mine']);
  expect(filesIn(state)).toEqual([]);
});

test('keeps a file for a later attempt while its journal names it', () => {
  const [state, folder] = [newFolder(), newFolder()];
  const journal = join(state, 'journal');
  const names = new TemporaryNames(state);
  const name = names.nameIn(folder);
  writeFileSync(join(folder, name), '');
  writeFileSync(join(folder, names.nameIn(folder)), '');
  writeFileSync(journal, `{"temporary":"${name}"}\n`);
  names.keep(join(folder, name), journal);
  names.close();
  killOwner(state);
  removeOrphanedFiles(state);
  expect(filesIn(folder)).toEqual([name]);
  writeFileSync(journal, '');
  removeOrphanedFiles(state);
  expect(filesIn(folder)).toEqual([]);
});

test('a successful command leaves no record; without a state folder there is none', () => {
  const state = newFolder();
  const names = new TemporaryNames(state);
  names.nameIn('/a');
  names.close();
  expect(filesIn(state)).toEqual([]);
  expect(new TemporaryNames(undefined).nameIn('/a')).toMatch(/^\.gantry-[0-9a-f]{16}-0$/);
  expect(new TemporaryNames('/dev/null').nameIn('/a')).toMatch(/^\.gantry-[0-9a-f]{16}-0$/);
});

test('ignores a damaged record', () => {
  const state = newFolder();
  const names = new TemporaryNames(state);
  names.nameIn('/a');
  killOwner(state);
  const [record = ''] = filesIn(state);
  writeFileSync(join(state, record), '{"folder":\n{"folder":7}\nnull\n[]\n{"keep":"/a"}\n');
  removeOrphanedFiles(state);
  expect(filesIn(state)).toEqual([]);
});
