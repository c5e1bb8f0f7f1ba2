import { parseArgsStringToArgv } from 'string-argv';
import { CommandLine } from '../../kernel/command-line.ts';
import { UsageError } from '../../kernel/errors.ts';
import { withFlags } from '../program/next-commands.ts';
import type { CommandReference } from '../reference.ts';
import { findCommands } from './find-commands.ts';
import { readCommandLine, withDefault } from './read-line.ts';
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
      return call(input, commands, started);
    },
  };
}

async function call(input: Input, commands: readonly CommandReference[], started: Started): Promise<Asked> {
  const words = await lineOf(input, commands);
  const [first = '', ...others] = words.filter(isName);
  const query = [...(first === 'help' ? [] : [first]), ...others].join(' ');
  const isHelp = first === 'help' || words.includes('--help');
  if (isHelp || isGroup(query, commands)) return find({ query }, commands, started);
  const asked = await readCommandLine(words, commands);
  checkAllowed(asked.command, asked.set, started);
  return asked;
}

/** Throws UsageError for flags beside the line, which would have no effect. */
async function lineOf(input: Input, commands: readonly CommandReference[]): Promise<string[]> {
  const words = wordsOf(input);
  const { argv: _, from: __, ...beside } = input;
  const names = Object.keys(beside);
  if (names.length === 0) return words;
  const flags = Object.entries(beside).map(([name, value]) => (value === true ? `--${name}` : `--${name}=${value}`));
  const whole = withFlags(words, flags);
  const fix = await readCommandLine(whole, commands).then(
    () => new CommandLine(whole),
    () => 'call find for the command',
  );
  throw new UsageError(`call takes the flags of a command in "argv": ${names.join(', ')} would have no effect`, {
    fix,
  });
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
