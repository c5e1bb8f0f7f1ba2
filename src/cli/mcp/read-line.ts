import { parseArgsStringToArgv } from 'string-argv';
import { CommandLine, sentence } from '../../kernel/command-line.ts';
import { attempt, UsageError } from '../../kernel/errors.ts';
import { namedCommand } from '../commands/index.ts';
import { isForAnyPosition } from '../program/program-arguments.ts';
import { withValues } from '../program/typed-command.ts';
import { lineElsewhere } from '../program/usage-errors.ts';
import type { CommandReference } from '../reference.ts';
import { argvOf, type InputProperty, knownProperties } from './input.ts';
import { isSuitable, suitableCommands } from './tools.ts';

export interface AskedCommand {
  command: CommandReference;
  properties: Record<string, unknown>;
}

/** Of a command that does not end by itself, asks, or is about gantry itself. */
export function shellError({ command }: CommandReference, words: readonly string[]): UsageError {
  const line = new CommandLine(['gantry', ...words]);
  return new UsageError(`${command} is not over MCP`, { fix: sentence`run it in a shell: ${line}` });
}

/** The examples of a command that `call` takes, without what a shell does with their output. */
export function callableExamples(command: CommandReference): string[] {
  if (!isSuitable(command)) return command.examples;
  return command.examples.flatMap((line) => {
    const typed = parseArgsStringToArgv(line);
    const end = typed.findIndex((word) => /^(?:[|>]|&&)$/.test(word));
    const words = end < 0 ? typed : typed.slice(0, end);
    return isCallable(words, command) ? [`${new CommandLine(words)}`] : [];
  });
}

function isCallable(words: readonly string[], command: CommandReference): boolean {
  const argv = attempt(() => argvOf(command, readCommandLine(words, [command]).properties));
  // A call has no stdin.
  return argv !== undefined && argv.length > 0 && !words.includes('-');
}

/** The command of a line and the properties of its input, so that a line can say what that can. Throws UsageError. */
export function readCommandLine(argv: readonly string[], commands: readonly CommandReference[]): AskedCommand {
  const typed = [...withValues(argv[0] === 'gantry' ? argv.slice(1) : argv)];
  const first = typed.findIndex(([word = '']) => !word.startsWith('-'));
  const words = withDefault(typed.slice(Math.max(first, 0)).flat());
  // Flags of every command may stand before it.
  const before = typed.slice(0, Math.max(first, 0)).flat();
  const command = commands
    .filter(({ command: line }) => line.split(' ').every((word, at) => words[at] === word))
    .sort((one, other) => other.command.length - one.command.length)[0];
  if (command && !isSuitable(command)) throw shellError(command, words);
  if (!command) {
    const group = suitableCommands(commands)
      .filter(({ command: line }) => line.startsWith(`${words[0]} `))
      .map(({ command: line }) => line);
    const line = group.length > 0 ? lineElsewhere(words.slice(0, 1), words[1] ?? '', words) : undefined;
    throw new UsageError(`unknown command "${words.slice(0, 2).join(' ')}"`, {
      ...(group.length > 0 && { why: `commands: ${group.join(', ')}` }),
      fix: line ?? 'call find for the commands',
    });
  }
  const after = words.slice(command.command.split(' ').length);
  return { command, properties: readProperties(command, [...before, ...after]) };
}

/** The words with the command that a group stands for: `users` is `users list`. */
export function withDefault([group = '', next = '', ...others]: readonly string[]): string[] {
  const { byDefault, commands = {} } = namedCommand(group) ?? {};
  const isMeant = byDefault !== undefined && !Object.hasOwn(commands, next);
  return [group, ...(isMeant ? [byDefault] : []), ...(next ? [next] : []), ...others];
}

/** Flags of every command in the words of `call`, and those that every call has anyway. */
const globalFlags: Record<string, readonly string[]> = {
  '--json': [],
  '--no-input': [],
  '--local': ['--project', 'local'],
  '-p': ['--project'],
  '-C': ['--cwd'],
  '-y': ['--yes'],
};

function readProperties(command: CommandReference, typed: readonly string[]): Record<string, unknown> {
  let words = [...typed];
  const properties: Record<string, unknown> = {};
  const operands: string[] = [];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const meant = globalFlags[word];
    if (meant) words = [...meant, ...words];
    else if (word === '--') for (const each of words.splice(0)) operands.push(each);
    else if (/^-./.test(word)) readFlag(command, word, words, properties);
    else {
      operands.push(word);
      if (command.command === 'run') words = afterProgram(words);
    }
  }
  return { ...properties, ...readOperands(command, operands) };
}

function readFlag(command: CommandReference, word: string, words: string[], properties: AskedCommand['properties']) {
  const [, flag = '', attached] = /^([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
  const property = flagProperty(command, flag);
  const value = attached ?? (takesNextWord(property, words[0]) ? words.shift() : true);
  if (value === true && !typesOf(property).includes('boolean')) throw new UsageError(`${flag} requires a value`);
  const { name, schema } = property;
  properties[name] = schema.type === 'array' ? [...((properties[name] as unknown[]) ?? []), value] : value;
}

/** What follows the file of `run` is for the command to judge, as on the command line. */
function afterProgram(words: readonly string[]): string[] {
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  const isOurs = (word: string, at: number) => at < end && isForAnyPosition(word);
  return [...words.filter(isOurs), '--', ...words.filter((word, at) => !isOurs(word, at))];
}

function flagProperty(command: CommandReference, typed: string): InputProperty {
  const known = knownProperties(command).filter(({ flag }) => flag !== undefined);
  const own = command.flags.find(({ flags }) => flags.split(/,? /).includes(typed))?.flags ?? '';
  const [long = typed] = /--[\w-]+/.exec(own) ?? [];
  const property = known.find(({ flag }) => flag === long);
  if (property) return property;
  throw new UsageError(`${command.command} has no flag "${typed}" here`, {
    why: `its flags: ${known.map(({ flag }) => flag).join(', ')}`,
  });
}

/** As on the command line, a word that looks like a flag is not taken as an optional value. */
function takesNextWord(property: InputProperty, next: string | undefined): boolean {
  const types = typesOf(property);
  if (next === undefined || (types.length === 1 && types[0] === 'boolean')) return false;
  return !types.includes('boolean') || !next.startsWith('-');
}

function typesOf({ schema }: InputProperty): string[] {
  return [schema.type].flat();
}

function readOperands(command: CommandReference, operands: readonly string[]): Record<string, unknown> {
  const places = knownProperties(command).filter(({ flag }) => flag === undefined);
  const last = places.at(-1);
  const isList = last?.schema.type === 'array';
  const unexpected = isList ? undefined : operands[places.length];
  if (unexpected !== undefined) throw new UsageError(`${command.command} takes no argument "${unexpected}"`);
  const entries = places.flatMap((place, at): [string, unknown][] => {
    const value = isList && place === last ? operands.slice(at) : operands[at];
    return value === undefined || (Array.isArray(value) && value.length === 0) ? [] : [[place.name, value]];
  });
  return Object.fromEntries(entries);
}
