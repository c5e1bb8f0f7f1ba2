/** What a pattern matches in a text, and its groups; nothing if it does not match. */
export const groupsOf = (pattern: RegExp, text = ''): readonly string[] => pattern.exec(text) ?? [];

/** The line of a position in a text, from 1. */
export const lineAt = (text: string, at: number): number => text.slice(0, at).split('\n').length;

/** What a pattern finds in a text, each with its line. */
export const matchesIn = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map((match) => ({ match, line: lineAt(text, match.index) }));

/** The line that has a part of a text. */
export function lineWith(text: string, part: string): number | undefined {
  const at = text.indexOf(part);
  return at < 0 ? undefined : lineAt(text, at);
}

/** Whether a text, which may be missing, is as a pattern says. */
export const fits = (pattern: RegExp, text = ''): boolean => pattern.test(text);
