/** What a command of a build writes to a file. */
interface WrittenFile {
  path: string;
  text: string;
  /** Whether it goes below what the file has. */
  isMore: boolean;
}

const lines = (text: string) => text.replaceAll('\\n', '\n');

/** The programs that write what they are given. */
const writers: Readonly<Record<string, (given: readonly string[], heredoc: string) => string>> = {
  echo: (given) => `${lines(given.filter((word) => !/^-[neE]+$/.test(word)).join(' '))}\n`,
  printf: ([format = '', ...given]) =>
    lines(format.includes('%s') ? given.map((word) => format.replace('%s', word)).join('') : format),
  cat: (_, heredoc) => heredoc,
};

/** Undefined if it writes no file, or if its text is not known. */
export function writtenBy(words: readonly string[], heredoc: string): WrittenFile | undefined {
  const at = words.findIndex((word) => /^>>?/.test(word));
  const [, sign = '', near = ''] = /^(>>?)(.*)$/.exec(words[at] ?? '') ?? [];
  const [program = '', ...given] = words.slice(0, Math.max(at, 0));
  const path = near || words[at + 1];
  const text = writers[program]?.(given, heredoc);
  return !path || path.startsWith('&') || !text ? undefined : { path, text, isMore: sign === '>>' };
}
