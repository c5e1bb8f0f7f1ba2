import { UsageError } from '../../kernel/errors.ts';
import type { Effect } from '../command.ts';
import type { CommandReference } from '../reference.ts';
import { findCommands } from './find-commands.ts';
import { type InputProperty, knownProperties } from './input.ts';
import {
  type Asked,
  type AskedCommand,
  askedPage,
  checkAllowed,
  describeShortly,
  type Input,
  sharedInstructions,
  shellError,
  shellOnly,
  type ToolSet,
} from './tool-set.ts';
import { foundCommands, isSuitable, suitableCommands, type ToolDefinition } from './tools.ts';

/** Two tools for all commands: clients put the whole list of tools into the context of the model. */
export function compactTools(all: readonly CommandReference[], allowed: readonly Effect[]): ToolSet {
  const commands = foundCommands(all);
  return {
    definitions: [findTool, callTool(allowed)],
    instructions,
    pager: 'call',
    read(name, input) {
      if (name === 'find') return find(input, commands, allowed);
      if (name !== 'call') throw new UsageError(`unknown tool "${name}"`, { why: 'tools: find, call' });
      if (input.result !== undefined) return askedPage(input);
      const words = wordsOf(input);
      if (words.includes('--help')) return find({ query: words.filter(isName).join(' ') }, commands, allowed);
      const asked = readCommandLine(words, commands);
      checkAllowed(asked, allowed);
      return asked;
    },
  };
}

const instructions = `gantry deploys and manages apps on the hosting platform. find says which commands there are and, by its name, what one takes; call runs one. Every command line may have --jq (filters the result), --cwd (folder) and --project. What deletes needs --confirm NAME, or --yes. ${sharedInstructions}`;

const isName = (word: string) => /^[a-z]/.test(word);

const text = { type: 'string' };

const findTool: ToolDefinition = {
  name: 'find',
  description: 'commands, by words such as "scale replicas"; by its name, a command in full with its flags',
  inputSchema: { type: 'object', properties: { query: text }, required: ['query'] },
  annotations: { readOnlyHint: true },
};

function callTool(allowed: readonly Effect[]): ToolDefinition {
  return {
    name: 'call',
    description: 'run a command line, such as ["apps", "get", "web"]; or, of a long result, get the rest',
    inputSchema: {
      type: 'object',
      properties: { argv: { type: 'array', items: text }, result: text, from: { type: 'integer' } },
    },
    annotations: allowed.includes('changes')
      ? { readOnlyHint: false, destructiveHint: allowed.includes('destroys') }
      : { readOnlyHint: true },
  };
}

function wordsOf({ argv }: Input): string[] {
  if (Array.isArray(argv) && argv.length > 0 && argv.every((word) => typeof word === 'string')) return argv;
  throw new UsageError('call requires "argv": a list of words', { fix: 'call find for the commands' });
}

/** Commands in the answer to a search. */
const maxFound = 6;

function find(
  { query }: Input,
  commands: readonly CommandReference[],
  allowed: readonly Effect[],
): Asked | Promise<Asked> {
  const line = String(query ?? '')
    .replace(/^gantry /, '')
    .trim();
  const named = commands.find(({ command }) => command === line);
  if (named) return describeShortly(named);
  const found = findCommands(line, commands);
  if (found.length === 0) {
    throw new UsageError(`no command found for "${line}"`, {
      why: `commands: ${commands.map(({ command }) => command).join(', ')}`,
    });
  }
  const lines = found.slice(0, maxFound).map((command) => oneLine(command, allowed));
  return { text: lines.join('\n'), form: 'lines' };
}

/** `apps get [app]: show an app (reads)`. */
function oneLine(command: CommandReference, allowed: readonly Effect[]): string {
  const { usage, summary, effect } = command;
  const line = usage.replace(/^gantry | \[flags\]/g, '');
  const bar = !isSuitable(command) ? `, ${shellOnly}` : allowed.includes(effect) ? '' : ', not allowed here';
  return `${line}: ${summary} (${effect}${bar})`;
}

/**
 * The command of a command line, and the properties of its input: so a line can say what a tool's input can, no more.
 * Throws UsageError.
 */
function readCommandLine(argv: readonly string[], commands: readonly CommandReference[]): AskedCommand {
  const words = argv[0] === 'gantry' ? argv.slice(1) : argv;
  const command = commands
    .filter(({ command: line }) => line.split(' ').every((word, at) => words[at] === word))
    .sort((one, other) => other.command.length - one.command.length)[0];
  if (command && !isSuitable(command)) throw shellError(command, words);
  if (!command) {
    const group = suitableCommands(commands)
      .filter(({ command: line }) => line.startsWith(`${words[0]} `))
      .map(({ command: line }) => line);
    const facts = group.length > 0 ? { why: `commands: ${group.join(', ')}` } : { fix: 'call find for the commands' };
    throw new UsageError(`unknown command "${words.slice(0, 2).join(' ')}"`, facts);
  }
  return { command, properties: readProperties(command, words.slice(command.command.split(' ').length)) };
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

function readProperties(command: CommandReference, typed: readonly string[]): Input {
  const end = typed.includes('--') ? typed.indexOf('--') : typed.length;
  const words = typed.flatMap((word, at) => (at < end && globalFlags[word]) || [word]);
  const properties: Input = {};
  const operands: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--') {
      for (const word of words.slice(at + 1)) operands.push(word);
      break;
    }
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
  const [long = typed] = /--[\w-]+/.exec(own) ?? [];
  const property = known.find(({ flag }) => flag === long);
  if (property) return property;
  throw new UsageError(`${command.command} has no flag "${typed}" here`, {
    why: `its flags: ${known.map(({ flag }) => flag).join(', ')}`,
  });
}

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
