import { UsageError } from '../../kernel/errors.ts';
import type { Effect } from '../command.ts';
import type { CommandReference } from '../reference.ts';
import { propertiesOf } from './input.ts';
import { readCommandLine } from './read-command-line.ts';
import {
  type Asked,
  askedPage,
  checkAllowed,
  describeInFull,
  type Input,
  sharedInstructions,
  type ToolSet,
} from './tool-set.ts';
import { suitableCommands, type ToolDefinition } from './tools.ts';

/** Two tools for all commands: clients put the whole list of tools into the context of the model. */
export function compactTools(commands: readonly CommandReference[], allowed: readonly Effect[]): ToolSet {
  const suitable = suitableCommands(commands);
  return {
    definitions: [findTool, callTool(allowed)],
    instructions,
    pager: 'call',
    read(name, input) {
      if (name === 'find') return find(input, suitable, allowed);
      if (name !== 'call') throw new UsageError(`unknown tool "${name}"`, { why: 'tools: find, call' });
      if (input.result !== undefined) return askedPage(input);
      const asked = readCommandLine(wordsOf(input), suitable);
      checkAllowed(asked.command, allowed);
      return asked;
    },
  };
}

const instructions = `gantry deploys and manages apps on the hosting platform. find says which commands there are and what they take; call runs one. Every command line may have --jq (filters the result), --cwd (folder) and --project. What deletes needs --confirm NAME, or --yes. ${sharedInstructions}`;

const text = { type: 'string' };

const findTool: ToolDefinition = {
  name: 'find',
  description: 'commands and their flags, by words such as "scale replicas"; by its name, a command in full',
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

/** Commands that are described in the answer to a search; of others only the names are. */
const maxDescribed = 5;

function find(
  { query }: Input,
  commands: readonly CommandReference[],
  allowed: readonly Effect[],
): Asked | Promise<Asked> {
  const line = String(query ?? '')
    .replace(/^gantry /, '')
    .trim();
  const named = commands.find(({ command }) => command === line);
  if (named) return describeInFull(named);
  const found = ranked(line, commands);
  if (found.length === 0) {
    throw new UsageError(`no command found for "${line}"`, {
      why: `commands: ${commands.map(({ command }) => command).join(', ')}`,
    });
  }
  const others = found.slice(maxDescribed).map(({ command }) => command);
  const lines = found.slice(0, maxDescribed).map((command) => withFlags(command, allowed));
  if (others.length > 0) lines.push(`others: ${others.join(', ')}`);
  return { text: lines.join('\n'), form: 'lines' };
}

/** The commands that have to do with the words, the closest first. */
function ranked(query: string, commands: readonly CommandReference[]): CommandReference[] {
  // The plural finds the singular.
  const words = (query.toLowerCase().match(/[\w-]{2,}/g) ?? []).map((word) => word.replace(/s$/, ''));
  const scores = commands.map((command) => {
    const { command: line, summary, details, flags } = command;
    const places: [weight: number, text: string][] = [
      [4, line],
      [3, summary.toLowerCase()],
      [1, [...details, ...flags.map((flag) => `${flag.flags} ${flag.description}`)].join(' ').toLowerCase()],
    ];
    const scoreOf = (word: string) => places.find(([, place]) => place.includes(word))?.[0] ?? 0;
    return { command, score: words.reduce((sum, word) => sum + scoreOf(word), 0) };
  });
  return scores
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ command }) => command);
}

/** `apps get [app]: show an app (reads)`, and a line for each flag. */
function withFlags(command: CommandReference, allowed: readonly Effect[]): string {
  const { usage, summary, effect } = command;
  const line = usage.replace(/^gantry | \[flags\]/g, '');
  const flags = propertiesOf(command).filter(({ flag }) => flag !== undefined);
  return [
    `${line}: ${summary} (${effect}${allowed.includes(effect) ? '' : ', not allowed here'})`,
    ...flags.map(({ flag, schema }) => `  ${flag}: ${schema.description}`),
  ].join('\n');
}
