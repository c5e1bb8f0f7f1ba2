import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPage, type Stream } from '../../../src/kernel/output/page.ts';
import { sanitize } from '../../../src/kernel/output/sanitize.ts';
import { createStreamSanitizer } from '../../../src/kernel/output/sanitize-stream.ts';

const page = (env: Record<string, string>) => createPage({ isTTY: true, columns: 80 } as Stream, env, 'always', 0);
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

test('text in chunks is sanitized like the whole text', () => {
  fc.assert(
    fc.property(nasty, fc.array(fc.integer({ min: 1, max: 5 })), fc.constantFrom(...pages), (text, sizes, on) => {
      const bytes = Buffer.from(text);
      const clean = createStreamSanitizer(on);
      let out = '';
      let at = 0;
      for (const size of [...sizes, bytes.length]) {
        out += clean.push(bytes.subarray(at, at + size));
        at = Math.min(bytes.length, at + size);
      }
      expect(out + clean.end()).toBe(sanitize(new TextDecoder().decode(bytes), on));
    }),
    { numRuns: 2_000 },
  );
});

test('text without control characters passes before the end of its line', () => {
  const clean = createStreamSanitizer(pages[0] ?? page({}));
  expect(clean.push(Buffer.from('thinking'))).toBe('thinking');
  expect(clean.push(Buffer.from(' \u001b[32mhard\u001b[0m'))).toBe(' \u001b[32mhard\u001b[0m');
});

test('a line without an end is not buffered forever', () => {
  const clean = createStreamSanitizer(page({ GITHUB_ACTIONS: 'true' }));
  expect(clean.push(Buffer.alloc(100_000, 'x'))).toHaveLength(100_000);
});

test('a title without an end holds back what follows only until it is too long', () => {
  const clean = createStreamSanitizer(pages[0] ?? page({}));
  expect(clean.push(Buffer.from('\u001b]0;'))).toBe('');
  for (let at = 0; at < 17; at += 1) clean.push(Buffer.alloc(1_000, 'a'));
  expect(clean.push(Buffer.from('thinking'))).toBe('thinking');
});
