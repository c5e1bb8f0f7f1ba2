import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Problem } from '../../src/kernel/errors.ts';
import { anyText } from '../support/any-text.ts';
import { expectLinear } from '../support/linear.ts';
import { check, line, underlined } from './config-folder.ts';

const good = '[cerebrium.deployment]\nname = "app"\n';
const isOther = ({ message }: Problem) => !message.startsWith('this app is public');

describe('problems have the line and column of an editor', () => {
  test.each([
    ['after a byte-order mark', '\ufeffcerebrium.deployment = { name = "" }', 'error 1:33', '""'],
    ['with CRLF', `${good}\r\n[cerebrium.scaling]\r\ncooldown = 9999\r\n`, 'warning 5:12', '9999'],
    ['with CRLF, in broken TOML', `${good}use_uv = "a\r\ndisable_auth = false\r\n`, 'error 3:10', '"a'],
    ['after a tab', `${good}\tuse_uv\t=\t1`, 'error 3:11', '1'],
    ['after wide characters', `${good}"日本語😀" = 1`, 'warning 3:1', '"日本語😀"'],
    ['behind wide characters', `[cerebrium.deployment]\nname = "app"\ninclude = ["日本", "😀", 5]`, 'error 3:23', '5'],
    ['behind them, in broken TOML', `${good}x = ["😀", "b]`, 'error 3:11', '"b]'],
    [
      'of a value over several lines',
      `${good}[cerebrium.hardware]\ncompute = [\n "ADA_L4",\n "CPU"]`,
      'error 4:11',
      '[',
    ],
    ['in an inline table', `${good}[cerebrium]\nscaling = { cooldown = 9999 }`, 'warning 4:24', '9999'],
    ['in dotted keys', `${good}[cerebrium]\nscaling.cooldown = 9999`, 'warning 4:20', '9999'],
    ['without an end of line', `${good}use_uv = 1`, 'error 3:10', '1'],
  ])('%s', async (_, text, where, shown) => {
    const problems = (await check(text)).problems.filter(isOther);
    expect(problems.map((one) => line(one).split(' ', 2).join(' '))).toEqual([where]);
    expect(problems.map(underlined)).toEqual([shown]);
  });

  test('shows the line without its end, and keeps the text unchanged', async () => {
    const text = `\ufeff${good.replaceAll('\n', '\r\n')}use_uv = true # 😀\r\ndisable_auth = 1\r\n`;
    const { problems } = await check(text);
    expect(problems[0]?.location).toEqual({
      file: 'cerebrium.toml',
      line: 4,
      column: 16,
      length: 1,
      text: 'disable_auth = 1',
    });
    expect((await check(text.replace('= 1', '= true'))).config?.text).toBe(text.replace('= 1', '= true'));
  });
});

describe('any file', () => {
  const realworld = new URL('../../fixtures/realworld/', import.meta.url);
  const files = readdirSync(realworld).map((name) => readFileSync(new URL(name, realworld), 'utf8'));
  const tokens = [
    '[',
    ']',
    '"',
    '=',
    '\n',
    '.',
    ',',
    '{',
    '}',
    '#',
    "'",
    '"""',
    '\\',
    '1',
    '-',
    '\t',
    '\r\n',
    '😀',
    '\0',
  ];
  const fragment = fc.oneof(fc.constantFrom(...tokens), fc.string({ maxLength: 3, unit: 'grapheme' }));

  /** A real file with stretches of it removed or replaced by something else. */
  const mutated = fc
    .tuple(
      fc.constantFrom(...files),
      fc.array(fc.tuple(fc.nat(2000), fc.nat(12), fragment), { minLength: 1, maxLength: 4 }),
    )
    .map(([text, cuts]) => cuts.reduce((left, [at, length, by]) => replaced(left, at, length, by), text));

  const replaced = (text: string, at: number, length: number, by: string) =>
    text.slice(0, at % text.length) + by + text.slice((at % text.length) + length);

  test('is checked without exceptions, with locations in the file', async () => {
    const anything = fc.oneof(
      { weight: 4, arbitrary: mutated },
      anyText(),
      fc.array(fragment).map((all) => all.join('')),
    );
    await fc.assert(
      fc.asyncProperty(anything, async (drawn) => {
        // As a file holds it: halves of surrogate pairs cannot be written.
        const text = Buffer.from(drawn).toString();
        const { config, problems } = await check(text);
        const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
        for (const problem of problems) expectInside(problem, lines);
        expect(config === undefined).toBe(problems.some(({ severity }) => severity === 'error'));
      }),
      { numRuns: 200, examples: [['\r']] },
    );
  });

  function expectInside({ message, location }: Problem, lines: readonly string[]): void {
    expect(message).not.toBe('');
    if (!location) return;
    expect(location.text).toBe(lines[location.line - 1]);
    expect(location.column).toBeGreaterThan(0);
    expect(location.column - 1 + location.length).toBeLessThanOrEqual([...location.text].length);
  }

  test.each<[string, (length: number) => string]>([
    ['deep keys', (length) => `${'a.'.repeat(length / 2)}a = 1`],
    ['deep known keys', (length) => `cerebrium.dependencies.pip.${'a.'.repeat(length / 2)}a = 1`],
    ['deep unknown keys', (length) => `cerebrium.${'a.'.repeat(length / 2)}a = 1`],
    ['deep lists', (length) => `cerebrium = ${'['.repeat(length)}`],
    ['one long line', (length) => `x = "${' '.repeat(length)}`],
    ['one long name', (length) => `${'x'.repeat(length)} = 1`],
    ['many broken lines', (length) => 'x = y\n'.repeat(length / 6)],
    ['many keys on one line', (length) => `cerebrium = {${Array.from({ length: length / 8 }, (_, at) => `k${at}=1`)}}`],
  ])('with %s is checked in linear time', async (_, textOf) => {
    await expectLinear((length) => {
      const text = textOf(length);
      return async () => expect((await check(text)).problems).not.toEqual([]);
    });
  });
});
