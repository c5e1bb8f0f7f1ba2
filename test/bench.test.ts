import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** What bench/variant.js replaces in the sources, to measure what a part of the program costs. */
const replacements = [
  ...readFileSync('bench/transfer.js', 'utf8').matchAll(/file: '([^']+)',\s+from: (['"])(.+?)\2,\s+to: '([^']*)'/g),
].map(([, file = '', , from = '', to = '']) => ({ file, from, to }));

test('the benchmarks name some replacements', () => expect(replacements.length).toBeGreaterThan(1));

test.each(replacements)('what the benchmarks replace in $file is there, once', ({ file, from, to }) => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((path) => join('src', path))
    .filter((path) => path.replaceAll('\\', '/').endsWith(`/${file}`))
    .map((path) => readFileSync(path, 'utf8'));
  expect(sources).toHaveLength(1);
  expect(sources[0]?.split(from)).toHaveLength(2);
  for (const [member = ''] of to.matchAll(/this\.#?\w+/g)) expect(sources[0]).toContain(member);
});
