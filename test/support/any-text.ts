import fc from 'fast-check';

const surrogates = { first: 0xd800, count: 0x800 };

/** Any character. For its own, `unit: 'binary'`, fast-check makes a table of all: 90 MB that each worker keeps. */
const character = fc.integer({ min: 0, max: 0x10ffff - surrogates.count }).map(
  (at) => String.fromCodePoint(at < surrogates.first ? at : at + surrogates.count),
  (text) => {
    if (typeof text !== 'string' || [...text].length !== 1) throw new Error('no character');
    const code = text.codePointAt(0) ?? 0;
    return code < surrogates.first ? code : code - surrogates.count;
  },
);

/** Text of any characters, without halves of surrogate pairs. */
export function anyText(lengths: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.string({ ...lengths, unit: character });
}
