import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shown } from '../../src/output/clean.ts';
import { cleaner } from '../../src/output/cleaner.ts';
import { pageOf, type Stream } from '../../src/output/page.ts';

const page = (env: Record<string, string>) => pageOf({ isTTY: true, columns: 80 } as Stream, env, 'always', 0);
const pages = [page({}), page({ GITHUB_ACTIONS: 'true' })];

/** Text that is full of the beginnings, middles and ends of what steers a terminal. */
const nasty = fc
  .array(
    fc.oneof(
      fc.constantFrom('\u001b', '[', ']', '0;', '31', 'm', 'J', '\u0007', '\\', 'P', '\u009b', '\u009d', '\u009c', ' '),
      fc.constantFrom('::', ':', '#', '##[', '\n', '\r\n', 'a', 'é', '🦊', '\u202e', '\u001b[31m', '\u001b[2J'),
      fc.string({ maxLength: 3 }),
    ),
  )
  .map((parts) => parts.join(''));

test('text that comes in pieces is cleaned as if it came at once', () => {
  fc.assert(
    fc.property(nasty, fc.array(fc.integer({ min: 1, max: 5 })), fc.constantFrom(...pages), (text, sizes, on) => {
      const bytes = Buffer.from(text);
      const clean = cleaner(on);
      let out = '';
      let at = 0;
      for (const size of [...sizes, bytes.length]) {
        out += clean.take(bytes.subarray(at, at + size));
        at = Math.min(bytes.length, at + size);
      }
      expect(out + clean.end()).toBe(shown(new TextDecoder().decode(bytes), on));
    }),
    { numRuns: 2_000 },
  );
});

test('what has no control in it comes at once, without waiting for the end of its line', () => {
  const clean = cleaner(pages[0] ?? page({}));
  expect(clean.take(Buffer.from('thinking'))).toBe('thinking');
  expect(clean.take(Buffer.from(' \u001b[32mhard\u001b[0m'))).toBe(' \u001b[32mhard\u001b[0m');
});

test('a line without end is not kept for ever', () => {
  const clean = cleaner(page({ GITHUB_ACTIONS: 'true' }));
  expect(clean.take(Buffer.alloc(100_000, 'x'))).toHaveLength(100_000);
});
