import { onceFor } from '../kernel/once.ts';

const nothing = '\0';
/** A letter that a pattern escapes, out of the way of those that mean something. */
const escaped = (letter: string) => String.fromCharCode(0xe000 + letter.charCodeAt(0));
const plainLetter = (letter: string) => String.fromCharCode(letter.charCodeAt(0) - 0xe000);

/** A group without groups in it; with a third part, it may be absent. */
const groups = /\((\?(?:<?[=!]|:|<\w+>))?([^()]*)\)([*?]|\{0[^}]*\})?/g;

const wordsBySign = new Map<RegExp, readonly string[]>();

/** Whether a text has a word that a match needs: most rules are settled by one search of the log. */
export function mayMatch(sign: RegExp, text: string): boolean {
  const words = onceFor(wordsBySign, sign, () => wordsOf(sign));
  return words.length === 0 || words.some((word) => text.includes(word));
}

/** Texts of which each match of a pattern has one. None if that cannot be told. */
function wordsOf({ source, flags }: RegExp): readonly string[] {
  let plain = source
    .replace(/\\([^a-z0-9])/gi, (_, letter: string) => escaped(letter))
    .replace(/\[[^\]]*\]|\\k<\w+>|\\.|[.^$]/g, nothing);
  while (plain.includes('('))
    plain = plain.replace(groups, (_, kind = '', inner: string, isAbsent) =>
      isAbsent || /[=!]$/.test(kind) || inner.includes('|') ? nothing : inner,
    );
  const words = plain
    .replace(/(?:\+|\{[1-9][^}]*\})\??/g, nothing)
    .replace(/.(?:[*?]|\{0[^}]*\})\??/gs, nothing)
    .split('|')
    .map((branch) => branch.split(nothing).reduce((longest, part) => (part.length > longest.length ? part : longest)))
    .map((word) => word.replace(/[\ue000-\ue0ff]/g, plainLetter));
  return flags.includes('i') || words.includes('') ? [] : words;
}
