import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KnownSecrets } from '../../../src/kernel/output/known-secrets.ts';
import { escapeWorkflowCommands, sanitize, stripControlSequences } from '../../../src/kernel/output/sanitize.ts';
import { anyText } from '../../support/any-text.ts';

/** Text as an attacker writes it: escapes, their parts and plain words, in any order. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom('\u001b', '\u001b[', '\u001b]', '\u001b]0;', '\u001bP', '\u001b\\', '\u0007'),
      fc.constantFrom('\u009b', '\u009d', '\u009c', '\u0000', '\u007f', '\u202e', '\u2066'),
      fc.constantFrom('31m', '2J', '?25l', '0;1', ';', ':', 'm', 'H', '\r', '\n', '\t', '\b'),
      fc.constantFrom('::error::x', '##[error]x', ':', '#', '[', ' '),
      anyText({ maxLength: 5 }),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(''));

const colours = /\u001b\[[\d;:]*m/g;
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

const secrets = new KnownSecrets();

describe('sanitized text', () => {
  test('has no control characters but colors, no workflow commands, and does not change if sanitized again', () => {
    fc.assert(
      fc.property(hostile, fc.boolean(), (text, colored) => {
        const clean = stripControlSequences(text, colored);
        expect(colored ? clean.replace(colours, '') : clean).not.toMatch(controls);
        expect(stripControlSequences(clean, colored)).toBe(clean);
        const safe = sanitize(text, { colored, githubActions: true, secrets });
        expect(safe.replace(colours, '')).not.toMatch(/^\s*::|##\[/m);
      }),
      { numRuns: 3_000 },
    );
  });

  test.each([
    ['\u001b[31m::error::x', ': :error::x'],
    [' \u001b[1m \u001b[31m:\u001b[0m:warning::x', ': :'],
    ['a #\u001b[31m#[error]x', '# '],
  ])('has no workflow commands after a color: %j', (text, defused) => {
    const safe = sanitize(text, { colored: true, githubActions: true, secrets }).replace(colours, '');
    expect(safe).toContain(defused);
    expect(safe).not.toMatch(/^\s*::|##\[/m);
  });

  test('is unchanged if it is harmless', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...('aZ09 äß漢🙂\n\t.,-/'.match(/./gsu) ?? [])) }), (text) => {
        expect(sanitize(text, { colored: false, githubActions: false, secrets })).toBe(text);
      }),
    );
  });

  test.each([
    ['a title', 'a\u001b]0;evil\u0007b', 'ab'],
    ['a clipboard', 'a\u001b]52;c;eA==\u001b\\b', 'ab'],
    ['a link keeps its words', '\u001b]8;;https://evil\u0007here\u001b]8;;\u0007', 'here'],
    ['an unfinished title ends with its line', 'a\u001b]0;evil\nb', 'a\nb'],
    ['cleared screens', 'a\u001b[2J\u001b[Hb', 'ab'],
    ['8-bit escapes', 'a\u009b2Jb', 'ab'],
    ['bells and backspaces', 'a\u0007\b\b b', 'a b'],
    ['carriage returns', 'a\rb', 'ab'],
    ['text turned round', 'a\u202etxt.exe', 'atxt.exe'],
    ['color in an unusual form', 'a\u001b[:31mb', 'ab'],
    ['colour', 'a\u001b[31mb\u001b[0m', 'ab'],
  ])('loses %s', (_, text, cleaned) => {
    expect(stripControlSequences(text, false)).toBe(cleaned);
  });

  test('keeps its colors on a colored page', () => {
    expect(stripControlSequences('a\u001b[1;31mb\u001b[0m', true)).toBe('a\u001b[1;31mb\u001b[0m');
  });
});

test.each([
  ['::error::x', ': :error::x'],
  ['  ::set-output name=x::y', '  : :set-output name=x::y'],
  ['one\n::error::x', 'one\n: :error::x'],
  ['a ##[command]x', 'a # #[command]x'],
  ['std::vector', 'std::vector'],
])('%j is no workflow command afterwards', (text, defused) => {
  expect(escapeWorkflowCommands(text)).toBe(defused);
});
