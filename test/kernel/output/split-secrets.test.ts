import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KnownSecrets } from '../../../src/kernel/output/known-secrets.ts';
import { redact } from '../../../src/kernel/output/redact.ts';
import { sanitize } from '../../../src/kernel/output/sanitize.ts';

const secret = 'Qm4-zebra-Kx9-walnut';

function knowing(...values: string[]) {
  const secrets = new KnownSecrets();
  secrets.add(...values);
  return secrets;
}

const inLines = (...lines: string[]) => {
  const sequence = knowing(secret).inSequence();
  return lines.map((line) => sequence.hideIn('web', line));
};

describe('a secret that is split between lines of a log is hidden', () => {
  test.each([
    ['in the middle', ['it is Qm4-zebra-', 'Kx9-walnut, so'], ['it is [hidden]', '[hidden], so']],
    ['after a few characters', ['it is Qm4', '-zebra-Kx9-walnut.'], ['it is Qm4', '[hidden].']],
    ['before its last character', ['Qm4-zebra-Kx9-walnu', 't!'], ['[hidden]', '[hidden]!']],
    ['in three', ['a Qm4-zeb', 'ra-Kx9-', 'walnut b'], ['a [hidden]', '[hidden]', '[hidden] b']],
    ['with an empty line between', ['a Qm4-zebra-\n', '', 'Kx9-walnut'], ['a [hidden]\n', '', '[hidden]']],
  ])('%s', (_, lines, hidden) => {
    expect(inLines(...lines)).toEqual(hidden);
  });

  test('except for a few characters, wherever it is split', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: secret.length - 1 }), (at) => {
        const text = inLines(`is ${secret.slice(0, at)}`, `${secret.slice(at)} it`).join('');
        expect(text).not.toMatch(/zebra|walnut/);
      }),
    );
  });

  test('without changing numbers, of which a secret in hexadecimal may consist', () => {
    const sequence = knowing('efghTUVW1234').inSequence();
    const lines = Array.from({ length: 20_000 }, (_, number) => String(number));
    expect(lines.map((line) => sequence.hideIn('web', line))).toEqual(lines);
  });

  test('without changing lines of another source, or similar text', () => {
    const sequence = knowing(secret).inSequence();
    sequence.hideIn('web', 'it is Qm4-zebra-');
    expect(sequence.hideIn('worker', 'Kx9-walnut')).toBe('Kx9-walnut');
    expect(sequence.hideIn('web', 'Kx9 is another')).toBe('Kx9 is another');
    expect(sequence.hideIn('web', 'Kx9-walnut')).toBe('Kx9-walnut');
    expect(inLines('a Q', 'm 4')).toEqual(['a Q', 'm 4']);
  });
});

describe('a truncated secret is hidden', () => {
  test.each([
    ['at its end', 'it is Qm4-zebra-K… (12 more characters)', 'it is [hidden]… (12 more characters)'],
    ['with a blank before the mark', 'it is Qm4-zebra- …', 'it is [hidden]…'],
    ['at its beginning', '…ebra-Kx9-walnut, so', '…[hidden], so'],
    ['in the cell of a table', 'NAME  VALUE\nkey   Qm4-zeb…', 'NAME  VALUE\nkey   [hidden]…'],
  ])('%s', (_, text, safe) => {
    expect(redact(text, knowing(secret))).toBe(safe);
  });

  test('but not text that only ends like one', () => {
    for (const text of ['walk… on', 'Qm4…', '… t', 'Qm4-zebra, not it…']) {
      expect(redact(text, knowing(secret))).toBe(text);
    }
  });

  test('in JSON and between colors', () => {
    const page = { colored: true, githubActions: false, secrets: knowing(secret) };
    expect(sanitize('\u001b[31mQm4-zebra-\u001b[0m…', page)).not.toContain('zebra');
  });
});

describe('a secret in the spelling of another program is hidden', () => {
  const value = "Qm4/zebra@päss+w(ö)rd='x'";
  test.each([
    ['JSON in ASCII', "Qm4/zebra@p\\u00e4ss+w(\\u00f6)rd='x'"],
    ['JSON in ASCII with capitals', "Qm4/zebra@p\\u00E4ss+w(\\u00F6)rd='x'"],
    ['percent-encoding that keeps slashes', 'Qm4/zebra%40p%C3%A4ss%2Bw%28%C3%B6%29rd%3D%27x%27'],
    ['percent-encoding of every sign', 'Qm4%2fzebra%40p%c3%a4ss%2bw%28%c3%b6%29rd%3d%27x%27'],
    ['hexadecimal', Buffer.from(value).toString('hex')],
    ['hexadecimal with capitals', Buffer.from(value).toString('hex').toUpperCase()],
    ['the first two thirds', value.slice(0, 17)],
    ['the first half with dots', `${value.slice(0, 13)}...`],
  ])('%s', (_, spelling) => {
    expect(knowing(value).hideIn(`cannot store ${spelling}`)).toMatch(/^cannot store \[hidden\](\.\.\.)?$/);
  });

  test('and so is a line of a key that was cut', () => {
    const key = '-----BEGIN KEY-----\nMIIabcdefghijklmnopqrstuvwx\n-----END KEY-----';
    expect(knowing(key).hideIn('wrong key: MIIabcdefghijklmno')).toBe('wrong key: [hidden]');
  });

  test.each(['Qm4-zebra...', 'Qm4-zebra…', 'x ...x9-walnut'])('and so is a short piece beside a mark: %s', (text) => {
    expect(knowing(secret).hideIn(text)).not.toMatch(/zebra|walnut/);
  });

  test('while text that only begins alike stays', () => {
    expect(knowing('production-database-password-1').hideIn('production-east')).toBe('production-east');
  });
});
