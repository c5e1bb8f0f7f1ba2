/** What to do: a complete command, a sentence with commands in it, or prose. */
export type Fix = string | CommandLine | Sentence;

export class CommandLine {
  constructor(readonly argv: readonly string[]) {}

  toString(): string {
    return this.argv.map(quoteForShell).join(' ');
  }

  toJSON(): string {
    return this.toString();
  }
}

/** Text with commands to type in it. They are commands until they are shown, where the flags of the place are added. */
export class Sentence {
  constructor(readonly parts: readonly (string | CommandLine)[]) {}

  toString(): string {
    return this.parts.join('');
  }

  toJSON(): string {
    return this.toString();
  }
}

/** What is done to each command before it is shown, such as adding the flags of the place where it is to work. */
export type ChangeCommand = (command: CommandLine) => CommandLine;

export function withCommands(fix: Fix, change: ChangeCommand): Fix {
  if (typeof fix === 'string') return fix;
  if (fix instanceof CommandLine) return change(fix);
  return new Sentence(fix.parts.map((part) => (typeof part === 'string' ? part : change(part))));
}

/** What has a fix, with the commands of that changed. */
export function withFixCommands<Shown extends { fix?: Fix | undefined }>(facts: Shown, change: ChangeCommand): Shown {
  return facts.fix === undefined ? facts : { ...facts, fix: withCommands(facts.fix, change) };
}

/** `` sentence`to cancel it: ${gantryCommand`builds cancel ${app} ${build}`}` `` */
export function sentence(texts: TemplateStringsArray, ...values: (Fix | number)[]): Sentence {
  const parts = texts.flatMap((text, at) => {
    const value = values[at] ?? '';
    return [text, ...(value instanceof Sentence ? value.parts : [typeof value === 'number' ? String(value) : value])];
  });
  return new Sentence(parts.filter((part) => part !== ''));
}

/** Flags by their names: true for one without a value. What is undefined is omitted. */
type FlagValues = Readonly<Record<string, string | true | undefined>>;

type CommandValue = string | readonly string[] | FlagValues;
/** Values stand behind `--`, so a known flag must not be one: it is text of the command, or one of {@link FlagValues}. */
type NoFlag<Given> =
  Extract<Given extends readonly (infer Word)[] ? Word : Given, `-${string}`> extends never ? Given : never;

/** `` gantryCommand`apps get ${app}` ``. A value is one argument. What follows a long flag, `-C` or `-p` is its value. */
export function gantryCommand<const Values extends readonly CommandValue[]>(
  texts: TemplateStringsArray,
  ...values: { [At in keyof Values]: NoFlag<Values[At]> }
) {
  const words: Word[] = [{ text: '' }];
  for (const [at, text] of texts.entries()) {
    const [joined = '', ...others] = text.split(' ');
    append(words, joined);
    for (const text of others) words.push({ text });
    const [first, ...more] = valueWords(values[at] ?? '');
    if (words.at(-1)?.text === '' && first) words.splice(-1, 1, first);
    else append(words, first?.text ?? '');
    for (const word of more) words.push(word);
  }
  return arrangeCommand(words.filter(({ text }) => text !== ''));
}

export interface Word {
  text: string;
  /** Not a flag, even if it begins with a dash. */
  isValue?: boolean;
  isOfFlag?: boolean;
}

/** Arguments that begin with a dash stand behind `--`, and so does what follows them. */
export function arrangeCommand(words: readonly Word[]): CommandLine {
  const length = ownLength(words);
  let argv = ['gantry'];
  const operands: string[] = [];
  let flag = '';
  for (const { text, isValue, isOfFlag = takesValue.test(flag) } of words.slice(0, length)) {
    const last = flag;
    const isDashed = /^-./s.test(text);
    flag = !isDashed || isValue ? '' : text;
    if (flag) argv.push(text);
    else if (isOfFlag) argv = [...argv.slice(0, -1), ...flagWords(last, text)];
    else if (isDashed || operands.length > 0) operands.push(text);
    else argv.push(text);
  }
  const behind = [...operands, ...words.slice(length + 1).map(({ text }) => text)];
  return new CommandLine(behind.length === 0 ? argv : [...argv, '--', ...behind]);
}

function ownLength(words: readonly Word[]): number {
  const end = words.findIndex(({ text, isValue }) => text === '--' && !isValue);
  return end < 0 ? words.length : end;
}

/** A flag and its value. What begins with a dash is joined: apart, it would be another flag. */
export function flagWords(flag: string, value: string): string[] {
  if (!/^-./s.test(value)) return [flag, value];
  return [flag.startsWith('--') ? `${flag}=${value}` : `${flag}${value}`];
}

const takesValue = /^(--(?!no-)[\w-]+|-[Cp])$/;

function append(words: Word[], text: string): void {
  const last = words.at(-1);
  if (last && text !== '') words.splice(-1, 1, { ...last, text: last.text + text });
}

function valueWords(value: CommandValue): Word[] {
  if (typeof value === 'string') return [{ text: value, isValue: true }];
  if (isList(value)) return value.map((text) => ({ text, isValue: true }));
  return Object.entries(value).flatMap(([flag, of]) => {
    if (of === undefined) return [];
    return of === true ? [{ text: flag }] : [{ text: flag }, { text: of, isValue: true, isOfFlag: true }];
  });
}

/** Array.isArray does not know read-only ones. */
const isList = (value: readonly string[] | FlagValues): value is readonly string[] => Array.isArray(value);

/** The parser takes `--json=`, which nobody types. */
export function asTyped(word: string): string {
  return word === '--json=' ? '--json' : word;
}

/** `--json` takes a value only after `=`, so that `--json web` does not swallow `web`. What follows `--` stays. */
export function joinFields(words: readonly string[]): string[] {
  const end = words.indexOf('--');
  return words.flatMap((word, at) => {
    if (end >= 0 && at > end) return [word];
    if (word === '--json') return fieldList.test(words[at + 1] ?? '') ? [] : ['--json='];
    return words[at - 1] === '--json' && fieldList.test(word) ? [`--json=${word}`] : [word];
  });
}

/** After `--json`, as gh has it. Nothing else is written so there: a name of an app has no comma. */
const fieldList = /^[A-Za-z]\w*(,[A-Za-z]\w*)+$/;

/** As a POSIX shell needs it. What a terminal obeys or does not show is escaped, as bash, zsh and ksh read it. */
export function quoteForShell(word: string): string {
  if (/^(?!=)[\w./:=@%+,…-]+$/.test(word)) return word;
  if (!unseen.test(word)) return `'${word.replaceAll("'", `'\\''`)}'`;
  return `$'${word.replace(/[\\']/g, '\\$&').replace(new RegExp(unseen, 'g'), bytesOf)}'`;
}

const unseen = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

function bytesOf(character: string): string {
  return [...Buffer.from(character)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
