/** A complete command to type next: text for people, arguments for programs. */
export class CommandLine {
  readonly #parts: readonly string[];

  constructor(readonly argv: readonly string[]) {
    this.#parts = argv.map(quoteForShell);
  }

  toString(): string {
    return this.#parts.join(' ');
  }

  toJSON(): string {
    return this.toString();
  }
}

/**
 * The command that is written after `gantry`: `` gantryCommand`apps get ${app}` ``. A value stays one argument whatever
 * is in it; a list becomes as many arguments as it has entries.
 */
export function gantryCommand(texts: TemplateStringsArray, ...values: (string | readonly string[])[]): CommandLine {
  const argv = ['gantry', ''];
  const append = (text: string) => argv.push(`${argv.pop()}${text}`);
  for (const [at, text] of texts.entries()) {
    const [first = '', ...others] = text.split(' ');
    append(first);
    argv.push(...others);
    const [value = '', ...more] = [values[at] ?? ''].flat();
    append(value);
    argv.push(...more);
  }
  return new CommandLine(argv.filter((word) => word !== ''));
}

/** The parser takes `--json=`, which nobody types. */
export function asTyped(word: string): string {
  return word === '--json=' ? '--json' : word;
}

/** As a POSIX shell needs it. */
export function quoteForShell(word: string): string {
  return /^[\w./:=@%+,…-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
