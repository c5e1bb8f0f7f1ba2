import { expect, test } from 'vitest';
import { fileTreeView } from '../../../src/cli/views/file-decisions.ts';
import type { BuildFile } from '../../../src/deploys/builds/index.ts';
import { plainPage } from '../../support/page.ts';

/** The rows, with one gap between columns however wide they are. */
function lines(files: BuildFile[], page = plainPage()): string[] {
  return fileTreeView(files)(page)
    .split('\n')
    .map((line) => line.replace(/(?<=[\w/.]) {2,}/g, '  '));
}

const files: BuildFile[] = [
  { path: 'main.py', size: 10 },
  { path: 'Data/b.txt', size: 1024 },
  { path: 'data.json', size: 1 },
  { path: 'Data/deep/a.bin', size: 2048 },
  { path: 'assets/logo.svg', size: 5 },
];

test('a build is shown as a tree: folders first, sorted by name, each with its files and bytes', () => {
  expect(lines(files)).toEqual([
    'FILE  SIZE',
    '.  5 files, 3.0 KiB',
    '├─ assets/  1 file, 5 B',
    '│  └─ logo.svg  5 B',
    '├─ Data/  2 files, 3.0 KiB',
    '│  ├─ deep/  1 file, 2.0 KiB',
    '│  │  └─ a.bin  2.0 KiB',
    '│  └─ b.txt  1.0 KiB',
    '├─ data.json  1 B',
    '└─ main.py  10 B',
  ]);
});

test('the last folder ends the tree if no file follows', () => {
  expect(lines([{ path: 'a/x' }, { path: 'b/y' }])).toEqual([
    'FILE  SIZE',
    '.  2 files',
    '├─ a/  1 file',
    '│  └─ x  -',
    '└─ b/  1 file',
    '   └─ y  -',
  ]);
});

test('a terminal without symbols gets a tree of plain characters', () => {
  const tree = lines(files, plainPage({ ascii: true })).join('\n');
  expect(tree).toMatch(/^[\x20-\x7e\n]*$/);
  expect(tree).toContain('|  |- deep/');
  expect(tree).toContain('`- main.py');
});

test('a folder without files is shown', () => {
  expect(lines([{ path: 'empty/' }, { path: 'main.py', size: 3 }])).toEqual([
    'FILE  SIZE',
    '.  1 file, 3 B',
    '├─ empty/  0 files',
    '└─ main.py  3 B',
  ]);
});

test('the total of a folder counts sizes that are known', () => {
  const [, root] = lines([{ path: 'a', size: 100 }, { path: 'b' }]);
  expect(root).toMatch(/2 files, 100 B$/);
});

test('`../../views/` and doubled slashes in a path are no folders', () => {
  expect(lines([{ path: './a//b', size: 1 }]).slice(2)).toEqual(['└─ a/  1 file, 1 B', '   └─ b  1 B']);
});

test('other fields of a file are shown beside it', () => {
  expect(lines([{ path: 'a', size: 1, more: 'mode 644' }])).toEqual([
    'FILE  SIZE  MORE',
    '.  1 file, 1 B  -',
    '└─ a  1 B  mode 644',
  ]);
});

test('a build without files shows nothing', () => {
  expect(fileTreeView([])(plainPage())).toBe('');
});
