import type { Tool } from '@modelcontextprotocol/server';
import { type Command as Commander, CommanderError } from 'commander';
import { parseArgsStringToArgv } from 'string-argv';
import { type ChangeCommand, CommandLine, gantryCommand, sentence } from '../../kernel/command-line.ts';
import { DeniedError, UsageError } from '../../kernel/errors.ts';
import { stringifyJson } from '../../kernel/json-text.ts';
import { version } from '../../kernel/version.ts';
import type { Effect } from '../command.ts';
import { chainOf, namesOf } from '../program/command-tree.ts';
import { completeFix, parseLine, spelledLine } from '../program/complete-fix.ts';
import { withDefault } from '../program/next-commands.ts';
import { endOfOwn } from '../program/read-words.ts';
import { readTypedCommand, withFlags } from '../program/typed-command.ts';
import { usageError } from '../program/usage-errors.ts';
import { type CommandReference, flagMeaning } from '../reference.ts';
import { findCommands } from './find-commands.ts';
import { callableExamples, flagsOver, foundCommands, isSuitable, offeredFlags, refuseEndless } from './offered.ts';

export type Input = Record<string, unknown>;

/** What a call asks for: a command, a text about commands, or a page of a result. */
export type Asked = AskedCommand | { text: string; isJson: boolean } | { result: string; from: number };

/** What was decided when the server was started. */
export interface Started {
  allowed: readonly Effect[];
  inPlace: ChangeCommand;
}

export const instructions =
  'gantry deploys and manages apps on the hosting platform. find says which commands there are and, by its name, what one takes; call runs one. Every command line may have --jq (filters the result), --cwd (folder), --project and --region. What replaces or deletes needs --yes, or --confirm NAME. An error has code, message, why and fix; "next" is the command that fixes it. Long work (deploy, run, invoke, logs --follow with --run or --build) takes --timeout; exit code 8 means that it continues remotely.';

/** Two tools for all commands: clients put the whole list of tools into the context of the model. */
export function toolDefinitions({ allowed }: Started): Tool[] {
  return [findTool, callTool(allowed)];
}

/** Throws UsageError for a call that cannot be understood, DeniedError for one that is not allowed. */
export async function readToolCall(
  name: string,
  input: Input,
  all: readonly CommandReference[],
  started: Started,
): Promise<Asked> {
  const commands = foundCommands(all);
  if (name === 'find') return find(input, commands, started);
  if (name !== 'call')
    throw new UsageError(`unknown tool "${name}"`, {
      why: 'tools: find, call',
      fix: 'call find for the commands',
    });
  if (input.result !== undefined) return askedPage(input);
  const words = wordsOf(input);
  const line = words.filter(isName).join(' ');
  const query = line.replace(/^help\b */, '');
  if (/^(version|(gantry )?(-V|--version))$/.test(words.join(' '))) return { text: version, isJson: false };
  if (isGroup(query, commands)) return find({ query }, commands, started);
  const isHelp = query !== line || words.slice(0, endOfOwn(words)).some((word) => /^(--help|-h)$/.test(word));
  if (isHelp) return askedHelp(query, all, started);
  const asked = await readCommandLine(words, commands);
  checkAllowed(asked, started);
  return asked;
}

/** What `find` says of a command or a group; what `gantry help` prints of a topic such as `exit-codes`. */
function askedHelp(query: string, all: readonly CommandReference[], started: Started): Asked {
  const commands = foundCommands(all);
  const words = query.split(' ');
  const named = readTypedCommand(words).path.join(' ');
  const isFound = commands.some(({ command }) => command === named) || commandsIn(named, commands).length > 0;
  const command = all.find((each) => each.command === 'help');
  if (query === '' || isFound || !command) return find({ query: named }, commands, started);
  return { command, effect: 'reads', argv: ['help', ...words], set: [] };
}

/** A line in one text is divided as a shell does it. What stands beside the line is a flag of it. */
function wordsOf({ argv, from: _, ...beside }: Input): string[] {
  const [line, ...others] = [argv].flat();
  const words = typeof line === 'string' && others.length === 0 ? parseArgsStringToArgv(line) : argv;
  const flags = Object.entries(beside).map(([name, value]) => (value === true ? `--${name}` : `--${name}=${value}`));
  if (Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === 'string'))
    return flags.length > 0 ? withFlags(words, flags) : words;
  throw new UsageError('call requires "argv": a list of words', { fix: 'call find for the commands' });
}

function askedPage({ result, from = 0 }: Input): Asked {
  const start = Number(from);
  if (Number.isInteger(start) && start >= 0) return { result: String(result), from: start };
  throw new UsageError('invalid property "from": expected a whole number from 0 up');
}

/** A dry run only reads, unless it writes a file. */
function checkAllowed({ command, effect, set }: AskedCommand, { allowed, inPlace }: Started): void {
  const { command: line } = command;
  const isDryRun = set.includes('--dry-run') && !set.includes('--output') && !set.includes('--save-plan');
  if (allowed.includes(isDryRun ? 'reads' : effect)) return;
  const flag = effect === 'destroys' ? '--allow-destroy' : '--allow-changes';
  const hasDryRun = command.flags.some(({ flags }) => flags === '--dry-run');
  throw new DeniedError(`gantry ${line} is not allowed here`, {
    why: `this server was started without ${flag}${hasDryRun ? '; --dry-run is allowed' : ''}`,
    fix: sentence`ask the user to start ${inPlace(gantryCommand`mcp ${{ [flag]: true }}`)}`,
  });
}

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

const findTool: Tool = {
  name: 'find',
  description: 'commands, by words such as "scale replicas"; by its name, a command in full with its flags',
  inputSchema: { type: 'object', properties: { query: text }, required: ['query'] },
  annotations: { readOnlyHint: true },
};

function callTool(allowed: Started['allowed']): Tool {
  return {
    name: 'call',
    description: 'run a command line, such as ["apps", "get", "web"]; or, of a long result, get the rest',
    inputSchema: {
      type: 'object',
      properties: { argv: { type: 'array', items: text }, result: text, from: { type: 'integer' } },
    },
    // Without the hints, clients assume that a tool may destroy.
    annotations: allowed.includes('changes')
      ? { readOnlyHint: false, destructiveHint: allowed.includes('destroys') }
      : { readOnlyHint: true },
  };
}

const maxFound = 6;

function find({ query, ...beside }: Input, commands: readonly CommandReference[], { allowed }: Started): Asked {
  const [unknown] = Object.keys(beside);
  if (unknown !== undefined) throw new UsageError(`find takes "query" only, not "${unknown}"`);
  const line = String(query ?? '')
    .replace(/^gantry /, '')
    .trim();
  const named = commands.find(({ command }) => command === line);
  if (named) return { text: stringifyJson(describe(named)), isJson: true };
  const inGroup = commandsIn(line, commands);
  const all = line === '' ? commands : inGroup;
  const matching = all.length > 0 ? all : findCommands(line, commands).slice(0, maxFound);
  if (matching.length === 0) {
    throw new UsageError(`no command found for "${line}"`, {
      why: `commands: ${commands.map(({ command }) => command).join(', ')}`,
    });
  }
  const lines = matching.map((command) => oneLine(command, allowed));
  return { text: lines.join('\n'), isJson: false };
}

/** A command in full, but for what every command shares. */
function describe(command: CommandReference) {
  const { usage, summary, details, effect, exitCodes, json } = command;
  return {
    ...(!isSuitable(command) && { place: shellOnly }),
    usage,
    summary,
    details,
    effect,
    arguments: Object.fromEntries(command.arguments.map(({ name, description }) => [name, description])),
    flags: Object.fromEntries(offeredFlags(command).map((flag) => [flag.flags, flagMeaning(flag)])),
    output: json,
    errors: exitCodes.map(({ name }) => name).filter((name) => name !== 'ok'),
    examples: isSuitable(command) ? callableExamples(command) : command.examples,
  };
}

/** `apps get [app]: show an app (reads)`. */
function oneLine(command: CommandReference, allowed: Started['allowed']): string {
  const { usage, summary, effect } = command;
  const line = usage.replace(/^gantry | \[flags\]/g, '');
  const bar = !isSuitable(command) ? `, ${shellOnly}` : allowed.includes(effect) ? '' : ', not allowed here';
  return `${line}: ${summary} (${effect}${bar})`;
}

const shellOnly = 'not over MCP: run it in a shell';

interface AskedCommand {
  command: CommandReference;
  effect: Effect;
  argv: readonly string[];
  set: readonly string[];
}

/**
 * The command of a line, as the program parses it. It understands what the official client calls otherwise, if that takes
 * no stdin. Throws UsageError.
 */
async function readCommandLine(typed: readonly string[], all: readonly CommandReference[]): Promise<AskedCommand> {
  const words = typed[0] === 'gantry' ? typed.slice(1) : [...typed];
  let argv: readonly string[] = hereLocal(words);
  const parsed = await parseLine(argv).catch(async (thrown: unknown) => {
    argv = (await spelledLine(argv)) ?? [];
    if (argv.length === 0) throw await completedError(thrown, words);
    return parseLine(argv);
  });
  if (!parsed) throw new UsageError('call requires a command', { fix: 'call find for the commands' });
  const { called, effect } = parsed;
  const line = namesOf(called).join(' ');
  const command = all.find(({ command }) => command === line);
  if (!command) throw new UsageError(`unknown command "${line}"`, { fix: 'call find for the commands' });
  if (!isSuitable(command)) {
    const commandLine = new CommandLine(['gantry', ...words]);
    throw new UsageError(`${line} is not over MCP`, { fix: sentence`run it in a shell: ${commandLine}` });
  }
  const set = flagsIn(called);
  const flags = flagsOver(command);
  const unknown = set.find((flag) => !flags.includes(flag) && !always.includes(flag));
  if (unknown !== undefined) {
    throw new UsageError(`${line} has no flag "${unknown}" here`, { why: `its flags: ${flags.join(', ')}` });
  }
  refuseEndless(set);
  return { command, effect, argv, set };
}

/** As the program reports it. */
async function completedError(thrown: unknown, words: string[]): Promise<UsageError> {
  const error = thrown instanceof CommanderError ? await usageError(thrown, words) : (thrown as UsageError);
  await completeFix(error, { argv: words }, true);
  return error;
}

/** Flags that every call has anyway, and the region of `run`. */
const always = ['--json', '--no-input', '-r'];

/** The server may have a project of its own, which this one replaces. */
function hereLocal(words: readonly string[]): string[] {
  return words.map((word, at) => (word === '--local' && at < endOfOwn(words) ? '--project=local' : word));
}

function flagsIn(called: Commander): string[] {
  return chainOf(called).flatMap((command) => {
    const typed = command.options.filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli');
    return typed.map(({ long, short }) => long ?? short ?? '');
  });
}
