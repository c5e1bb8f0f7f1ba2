import { parseArgsStringToArgv } from 'string-argv';
import { CommandLine } from '../../kernel/command-line.ts';
import { attempt, UsageError } from '../../kernel/errors.ts';
import { translateSpellings } from '../program/translate-spellings.ts';
import type { CommandReference } from '../reference.ts';
import { findCommands } from './find-commands.ts';
import { argvOf } from './input.ts';
import { type AskedCommand, readCommandLine, withDefault } from './read-line.ts';
import {
  type Asked,
  askedPage,
  checkAllowed,
  describeShortly,
  type Input,
  type Started,
  sharedInstructions,
  shellOnly,
  type ToolSet,
} from './tool-set.ts';
import { foundCommands, isSuitable, type ToolDefinition } from './tools.ts';

/** Two tools for all commands: clients put the whole list of tools into the context of the model. */
export function compactTools(all: readonly CommandReference[], started: Started): ToolSet {
  const commands = foundCommands(all);
  return {
    definitions: [findTool, callTool(started)],
    instructions,
    pager: 'call',
    read(name, input) {
      if (name === 'find') return find(input, commands, started);
      if (name !== 'call') throw new UsageError(`unknown tool "${name}"`, { why: 'tools: find, call' });
      if (input.result !== undefined) return askedPage(input);
      const words = lineOf(input, commands);
      const [first = '', ...others] = words.filter(isName);
      const query = [...(first === 'help' ? [] : [first]), ...others].join(' ');
      const isHelp = first === 'help' || words.includes('--help');
      if (isHelp || isGroup(query, commands)) return find({ query }, commands, started);
      const asked = readSpelled(words, commands);
      checkAllowed(asked, started);
      return asked;
    },
  };
}

/** Throws UsageError for flags beside the line, which would have no effect. */
function lineOf(input: Input, commands: readonly CommandReference[]): string[] {
  const words = wordsOf(input);
  const { argv: _, from: __, ...beside } = input;
  const names = Object.keys(beside);
  if (names.length === 0) return words;
  const line = attempt(() => {
    const { command, properties } = readSpelled(words, commands);
    return new CommandLine(['gantry', ...argvOf(command, { ...properties, ...beside })]);
  });
  const message = `call takes the flags of a command in "argv": ${names.join(', ')} would have no effect`;
  throw new UsageError(message, { fix: line ?? 'call find for the command' });
}

const instructions = `gantry deploys and manages apps on the hosting platform. find says which commands there are and, by its name, what one takes; call runs one. Every command line may have --jq (filters the result), --cwd (folder) and --project. What replaces or deletes needs --yes, or --confirm NAME. ${sharedInstructions}`;

const isName = (word: string) => /^[a-z]/.test(word) && word !== 'gantry';

/** A group of commands, such as `apps`: not a command itself, nor short for one. */
function isGroup(name: string, commands: readonly CommandReference[]): boolean {
  const [first = name] = withDefault([name]).slice(1);
  return first === name && commandsIn(name, commands).length > 0 && !commands.some(({ command }) => command === name);
}

function commandsIn(group: string, commands: readonly CommandReference[]): CommandReference[] {
  return commands.filter(({ command }) => command.startsWith(`${group} `));
}

const text = { type: 'string' };

const findTool: ToolDefinition = {
  name: 'find',
  description: 'commands, by words such as "scale replicas"; by its name, a command in full with its flags',
  inputSchema: { type: 'object', properties: { query: text }, required: ['query'] },
  annotations: { readOnlyHint: true },
};

function callTool({ allowed }: Started): ToolDefinition {
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

/** A line in one text is divided as a shell does it. */
function wordsOf({ argv }: Input): string[] {
  const [line, ...others] = [argv].flat();
  const words = typeof line === 'string' && others.length === 0 ? parseArgsStringToArgv(line) : argv;
  if (Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === 'string')) return words;
  throw new UsageError('call requires "argv": a list of words', { fix: 'call find for the commands' });
}

/** As the command line, it understands what the official client calls otherwise, if that takes no stdin. */
function readSpelled(words: readonly string[], commands: readonly CommandReference[]): AskedCommand {
  try {
    return readCommandLine(words, commands);
  } catch (error) {
    const meant = attempt(() => translateSpellings(words));
    const isPossible = meant?.input === undefined && meant?.secrets.length === 0;
    const asked = isPossible ? attempt(() => readCommandLine(meant.argv, commands)) : undefined;
    if (!asked) throw error;
    return asked;
  }
}

const maxFound = 6;

function find({ query }: Input, commands: readonly CommandReference[], { allowed }: Started): Asked | Promise<Asked> {
  const line = String(query ?? '')
    .replace(/^gantry /, '')
    .trim();
  const named = commands.find(({ command }) => command === line);
  if (named) return describeShortly(named);
  const inGroup = commandsIn(line, commands);
  const all = line === '' ? commands : inGroup;
  const found = all.length > 0 ? all : findCommands(line, commands).slice(0, maxFound);
  if (found.length === 0) {
    throw new UsageError(`no command found for "${line}"`, {
      why: `commands: ${commands.map(({ command }) => command).join(', ')}`,
    });
  }
  const lines = found.map((command) => oneLine(command, allowed));
  return { text: lines.join('\n'), form: 'lines' };
}

/** `apps get [app]: show an app (reads)`. */
function oneLine(command: CommandReference, allowed: Started['allowed']): string {
  const { usage, summary, effect } = command;
  const line = usage.replace(/^gantry | \[flags\]/g, '');
  const bar = !isSuitable(command) ? `, ${shellOnly}` : allowed.includes(effect) ? '' : ', not allowed here';
  return `${line}: ${summary} (${effect}${bar})`;
}
