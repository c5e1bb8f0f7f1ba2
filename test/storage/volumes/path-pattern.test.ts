import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../src/kernel/errors.ts';
import { parsePathPattern } from '../../../src/storage/volumes/remove-paths.ts';

/** From which folder a path looks, and which of these names below it match. */
function matches(path: string, names: string[]) {
  const pattern = parsePathPattern(path);
  if ('plain' in pattern) return pattern.plain;
  return {
    from: pattern.from,
    onlyFolders: pattern.onlyFolders,
    found: names.filter((name) => pattern.wild.matches(name)),
  };
}

describe('a path on a volume', () => {
  test.each([
    ['/a/b.txt', '/a/b.txt'],
    ['/', '/'],
    ['/a/', '/a/'],
    ['/a\\*b', '/a*b'],
    ['/a\\?\\[x]\\{1,2\\}', '/a?[x]{1,2}'],
    ['/a\\\\b', '/a\\b'],
    ['/{one}', '/{one}'],
    ['/a, b', '/a, b'],
    ['/a]', '/a]'],
  ])('%s is a plain one, %s', (path, plain) => {
    expect(matches(path, [])).toBe(plain);
  });

  test.each([
    ['/*.txt', '/', ['a.txt']],
    ['/logs/*.txt', '/logs/', ['a.txt']],
    ['/logs/2026/a?.*', '/logs/2026/', ['ab.bin']],
    ['/logs/[ab].txt', '/logs/', ['a.txt']],
    ['/logs/{a,x}.txt', '/logs/', ['a.txt']],
    ['/\\*/*.txt', '/*/', ['a.txt']],
  ])('%s is a pattern for names in %s', (path, from, found) => {
    expect(matches(path, ['a.txt', 'ab.bin', 'deep/a.txt'])).toEqual({ from, onlyFolders: false, found });
  });

  test('is a pattern from the first name that has one', () => {
    expect(matches('/runs/*/logs/*.txt', ['1/logs/a.txt', '1/a.txt', 'a.txt'])).toEqual({
      from: '/runs/',
      onlyFolders: false,
      found: ['1/logs/a.txt'],
    });
  });

  test('with a slash at its end means folders only', () => {
    expect(matches('/run-*/', ['run-1', 'walk-1'])).toEqual({ from: '/', onlyFolders: true, found: ['run-1'] });
  });

  test.each(['/a[b', '/*\\'])('%s is an error that names it', (path) => {
    expect(() => parsePathPattern(path)).toThrow(UsageError);
    expect(() => parsePathPattern(path)).toThrow(path);
  });
});
