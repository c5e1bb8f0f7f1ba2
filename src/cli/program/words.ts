/** Flags with a value: the word after them is not an argument. */
const valueFlags = new Set([
  ...['-o', '--output', '-r', '--region', '-p', '--project', '--profile', '-C', '--cwd', '--color'],
  ...[
    '--service-account-token',
    '--project-id',
    '--name',
    '--config-file',
    '--log-level',
    '--data',
    '--since',
    '--app',
  ],
  ...['--container-id', '--cooldown', '--min-replicas', '--max-replicas', '--response-grace-period', '--dir'],
]);

/** The places of the words that are neither flags nor their values. */
export function positionals(words: readonly string[]): number[] {
  return words.flatMap((word, at) => (word.startsWith('-') || valueFlags.has(words[at - 1] ?? '') ? [] : [at]));
}

/** The longest name of a command that the words begin with, and that is in the table. */
export function findName<Entry>(
  words: string[],
  table: Record<string, Entry>,
): { places: number[]; entry: Entry } | undefined {
  for (const length of [3, 2, 1]) {
    const places = positionals(words).slice(0, length);
    const entry = table[places.map((at) => words[at]).join(' ')];
    if (entry !== undefined && places.length === length) return { places, entry };
  }
  return undefined;
}

/** The command with its group: `apps scale`. */
export function commandOf(words: readonly string[]): string[] {
  const [first, second] = positionals(words).map((at) => words[at] ?? '');
  return first === undefined ? [] : [first, `${first} ${second ?? ''}`];
}

/** `--output=json`, `-o=json` and `-ojson` have their value attached. */
export function splitFlag(word: string): [name: string, value: string | undefined] {
  const [, name = word, value] = /^(--[\w-]+|-y)=(.*)$|^/s.exec(word) ?? [];
  if (value !== undefined || !/^-[or][^=f]|^-[or]=/.test(word)) return [name, value];
  return [word.slice(0, 2), word.slice(2).replace(/^=/, '')];
}

/** Removes a flag and its value, and returns the value. */
export function takeFlag(words: string[], flag: string): string | undefined {
  const at = words.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  if (at < 0) return undefined;
  const [word = '', next] = words.slice(at, at + 2);
  const attached = word === flag ? undefined : word.slice(flag.length + 1);
  words.splice(at, attached === undefined ? 2 : 1);
  return attached ?? next;
}
