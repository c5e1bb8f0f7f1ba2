import { expect, test } from 'vitest';
import { createPathFilter } from '../../../src/storage/copy/path-filter.ts';
import { nameProblem } from '../../../src/storage/copy/to-folder.ts';

test.each([
  ['..', 'leads', 'leads'],
  ['.', 'leads', 'leads'],
  ['', 'leads', 'leads'],
  ['a\0b', 'NUL', 'NUL'],
  ['back\\slash', undefined, 'character'],
  ['C:', undefined, 'character'],
  ['a:stream', undefined, 'character'],
  ['two\nlines', undefined, 'character'],
  ['a?', undefined, 'character'],
  ['con', undefined, 'device'],
  ['Com1.txt', undefined, 'device'],
  ['lpt\u00b2', undefined, 'device'],
  ['dot.', undefined, 'removes'],
  ['space ', undefined, 'removes'],
  ['console', undefined, undefined],
  ['.hidden', undefined, undefined],
  ['...', undefined, 'removes'],
  ['naïve 🚀', undefined, undefined],
])('the name %j on Linux and macOS: %s, on Windows: %s', (name, elsewhere, windows) => {
  const reason = (problem: string | undefined, word: string | undefined) =>
    word ? expect(problem).toContain(word.replace('leads', 'lead')) : expect(problem).toBeUndefined();
  reason(nameProblem(name, false), elsewhere);
  reason(nameProblem(name, true), windows);
});

test.each<[string[], string[], string, boolean]>([
  [[], [], 'a/b', true],
  [['*.bin'], [], 'deep/er/a.bin', true],
  [['*.bin'], [], 'a.txt', false],
  [['models/*.bin'], [], 'models/a.bin', true],
  [['models/*.bin'], [], 'other/models/a.bin', false],
  [['models/'], [], 'models/deep/a.bin', true],
  [['models'], [], 'x/models/a.bin', true],
  [['./a'], [], 'a', true],
  [['/a'], [], 'a', true],
  [[], ['*.tmp'], 'x/a.tmp', false],
  [[], ['cache/'], 'x/cache/a', false],
  [[], ['cache/'], 'x/cache', true],
  [['*.bin'], ['secret*'], 'secret.bin', false],
  [['**/*.py'], [], 'a.py', true],
])('with include %j and exclude %j, %s is wanted: %s', (include, exclude, path, wanted) => {
  expect(createPathFilter(include, exclude).includes(path)).toBe(wanted);
});

test('does not enter excluded folders', () => {
  const filter = createPathFilter([], ['cache/', 'a/b']);
  expect(['cache', 'x/cache', 'a/b', 'a', 'b'].map((folder) => filter.excludesFolder(folder))).toEqual([
    ...[true, true, true, false, false],
  ]);
});

test('rejects an invalid pattern', () => {
  expect(() => createPathFilter(['[a'], [])).toThrow('invalid pattern "[a"');
});
