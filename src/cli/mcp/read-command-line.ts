import { UsageError } from '../../kernel/errors.ts';
import type { CommandReference } from '../reference.ts';
import { type InputProperty, knownProperties } from './input.ts';
import type { AskedCommand, Input } from './tool-set.ts';

/**
 * The command of a command line, and the properties of its input: so a line can say what a tool's input can, no more.
 * Throws UsageError.
 */
export function readCommandLine(argv: readonly string[], commands: readonly CommandReference[]): AskedCommand {
  const words = argv[0] === 'gantry' ? argv.slice(1) : argv;
  const command = commands
    .filter(({ command: line }) => line.split(' ').every((word, at) => words[at] === word))
    .sort((one, other) => other.command.length - one.command.length)[0];
  if (!command) {
    const group = commands
      .filter(({ command: line }) => line.startsWith(`${words[0]} `))
      .map(({ command: line }) => line);
    const facts = group.length > 0 ? { why: `commands: ${group.join(', ')}` } : { fix: 'call find for the commands' };
    throw new UsageError(`unknown command "${words.slice(0, 2).join(' ')}"`, facts);
  }
  return { command, properties: readProperties(command, words.slice(command.command.split(' ').length)) };
}

/** What every call has anyway. */
const impliedFlags = new Set(['--json', '--no-input']);

function readProperties(command: CommandReference, words: readonly string[]): Input {
  const properties: Input = {};
  const operands: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--') {
      for (const word of words.slice(at + 1)) operands.push(word);
      break;
    }
    if (impliedFlags.has(word)) continue;
    if (!/^-./.test(word)) {
      operands.push(word);
      continue;
    }
    const [, typed = '', attached] = /^([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    const property = flagProperty(command, typed);
    const takesNext = attached === undefined && takesNextWord(property, words[at + 1]);
    if (takesNext) at++;
    const value = takesNext ? words[at] : (attached ?? true);
    if (value === true && !typesOf(property).includes('boolean')) throw new UsageError(`${typed} requires a value`);
    const { name, schema } = property;
    properties[name] = schema.type === 'array' ? [...((properties[name] as unknown[]) ?? []), value] : value;
  }
  return { ...properties, ...readOperands(command, operands) };
}

function flagProperty(command: CommandReference, typed: string): InputProperty {
  const known = knownProperties(command).filter(({ flag }) => flag !== undefined);
  const own = command.flags.find(({ flags }) => flags.split(/,? /).includes(typed))?.flags ?? '';
  const [long = shortFlags[typed] ?? typed] = /--[\w-]+/.exec(own) ?? [];
  const property = known.find(({ flag }) => flag === long);
  if (property) return property;
  throw new UsageError(`${command.command} has no flag "${typed}" here`, {
    why: `its flags: ${known.map(({ flag }) => flag).join(', ')}`,
  });
}

/** Of every command. */
const shortFlags: Record<string, string> = { '-p': '--project', '-C': '--cwd', '-y': '--yes' };

/** As on the command line, a value that may be absent is no flag. */
function takesNextWord(property: InputProperty, next: string | undefined): boolean {
  const types = typesOf(property);
  if (next === undefined || (types.length === 1 && types[0] === 'boolean')) return false;
  return !types.includes('boolean') || !next.startsWith('-');
}

function typesOf({ schema }: InputProperty): string[] {
  return [schema.type].flat();
}

function readOperands(command: CommandReference, operands: readonly string[]): Input {
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
