import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type NameProbe, nameKey, nameProbe } from '../../../src/kernel/disk/name-probe.ts';
import { ConflictError } from '../../../src/kernel/errors.ts';
import { distinctNames } from '../../../src/storage/copy/distinct-names.ts';
import type { FoundEntry } from '../../../src/storage/copy/ports.ts';
import { newFolder } from '../../support/files.ts';

/** A disk that takes names for the same as macOS does. */
const merging: NameProbe = {
  mergesNames: () => true,
  isSameName: (_, a, b) => a.normalize('NFC').toLowerCase() === b.normalize('NFC').toLowerCase(),
  keepsName: () => true,
  isSameEntry: () => false,
};
const keeping: NameProbe = { ...merging, mergesNames: () => false, isSameName: () => false };

async function* listing(paths: string[]): AsyncGenerator<FoundEntry> {
  for (const path of paths) yield { path, bytes: 1, modified: 0, from: `/source/${path}` };
}

async function named(paths: string[], disk: NameProbe) {
  const given: string[] = [];
  const failed: string[] = [];
  for await (const found of distinctNames(listing(paths), '/target', disk)) {
    if ('failure' in found) failed.push(found.path);
    else given.push(found.path);
  }
  return { given, failed };
}

const clashing = ['Readme.md', 'a', 'readme.md', 'Data/x', 'data/y', 'data/z', 'A/b', 'd/caf\u00e9', 'd/cafe\u0301'];

test('changes nothing on a disk that keeps all names distinct', async () => {
  expect(await named(clashing, keeping)).toEqual({ given: clashing, failed: [] });
});

test('on other disks an error lists all equal names before the first file', async () => {
  const failure = await named(clashing, merging).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ConflictError);
  expect((failure as ConflictError).facts).toMatchObject({
    why: ['Readme.md and readme.md', 'Data/ and data/', 'a and A/', 'd/caf\u00e9 and d/cafe\u0301']
      .map((pair) => `${pair} are the same name on the target disk`)
      .join('\n'),
    details: {
      clashes: [
        ['Readme.md', 'readme.md'],
        ['Data/', 'data/'],
        ['a', 'A/'],
        ['d/caf\u00e9', 'd/cafe\u0301'],
      ],
    },
  });
});

test('a file and a folder of the same name, and two files of several sources, are equal on any such disk', async () => {
  await expect(named(['a', 'a/b'], merging)).rejects.toThrow('a and a/ are the same name on the target disk');
  await expect(named(['x', 'x'], merging)).rejects.toThrow('several sources are named x');
});

test('fails a name whose end the disk removes', async () => {
  const dropping: NameProbe = { ...merging, keepsName: (_, name) => !name.endsWith('.') };
  expect(await named(['a.', 'b./c', 'd.e', '..f'], dropping)).toMatchObject({
    given: ['d.e', '..f'],
    failed: ['a.', 'b./c'],
  });
});

test.each([
  ['Readme.md', 'rEADME.MD'],
  ['stra\u00dfe', 'STRASSE'],
  ['\u1e9e', '\u00df'],
  ['\u212a', 'k'],
  ['\u0131', 'I'],
  ['\u03c3', '\u03c2'],
  ['caf\u00e9', 'cafe\u0301'],
  ['a', 'a. .'],
  ['a\u200d', 'a'],
])('%j and %j are equal on some disks', (first, second) => {
  expect(nameKey(first)).toBe(nameKey(second));
});

test('the disk that tests run on is tested without leaving a file', () => {
  const folder = newFolder({ a: 'a' });
  const merges = nameProbe.isSameName(folder, 'a', 'A');
  expect(merges).toBe(nameProbe.isSameEntry(folder, 'a', 'A'));
  if (merges) expect(nameProbe.mergesNames(folder)).toBe(true);
  expect(nameProbe.isSameName(`${folder}/not/there`, 'x', 'y')).toBe(false);
  expect(nameProbe.isSameName(folder, 'x', 'x')).toBe(true);
  expect(nameProbe.keepsName(folder, 'x.y')).toBe(true);
  expect(readdirSync(folder)).toEqual(['a']);
});
