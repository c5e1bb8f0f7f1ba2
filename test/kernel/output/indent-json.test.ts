import fc from 'fast-check';
import { expect, test } from 'vitest';
import { indentJson } from '../../../src/kernel/output/indent-json.ts';

test('any JSON is indented as JSON.stringify does', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 1, 4), (value, spaces) => {
      expect(indentJson(JSON.stringify(value, null, spaces))).toBe(JSON.stringify(value, null, 2));
    }),
  );
});

test.each([
  ['large and exact numbers stay', '[12345678901234567890,1.0]', '[\n  12345678901234567890,\n  1.0\n]'],
  ['escapes stay', '{"a\\"{":"\\u0041,"}', '{\n  "a\\"{": "\\u0041,"\n}'],
  ['the last line break stays', '{}\n', '{}\n'],
  ['deep nesting stays', '['.repeat(20_000) + ']'.repeat(20_000), '['.repeat(20_000) + ']'.repeat(20_000)],
  ['text is no JSON', 'hello, {you}', 'hello, {you}'],
  ['nor are several documents', '{"a":1}\n{"a":2}', '{"a":1}\n{"a":2}'],
])('%s', (_, text, expected) => {
  expect(indentJson(text)).toBe(expected);
});
