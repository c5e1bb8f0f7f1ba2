import { type Command as Commander, CommanderError } from 'commander';
import { CommandLine, sentence } from '../../kernel/command-line.ts';
import { UsageError } from '../../kernel/errors.ts';
import { completeFix, parseLine, spelledLine } from '../program/complete-fix.ts';
import { nextAfterError } from '../program/next-commands.ts';
import { endOfOwn } from '../program/typed-command.ts';
import { usageError } from '../program/usage-errors.ts';
import type { CommandReference } from '../reference.ts';
import { flagsOver, isSuitable, refuseEndless } from './offered.ts';

export interface AskedCommand {
  command: CommandReference;
  /** Its command line, without `gantry`. */
  argv: readonly string[];
  /** The names of the flags that are set. */
  set: readonly string[];
}

/**
 * The command of a line, as the program parses it. It understands what the official client calls otherwise, if that takes
 * no stdin. Throws UsageError.
 */
export async function readCommandLine(
  typed: readonly string[],
  all: readonly CommandReference[],
): Promise<AskedCommand> {
  const words = typed[0] === 'gantry' ? typed.slice(1) : [...typed];
  let argv: readonly string[] = hereLocal(words);
  const called = await parseLine(argv).catch(async (thrown: unknown) => {
    argv = (await spelledLine(argv)) ?? [];
    if (argv.length === 0) throw await completedError(thrown, words);
    return parseLine(argv);
  });
  if (!called) throw new UsageError('call requires a command', { fix: 'call find for the commands' });
  const line = lineOf(called);
  const command = all.find(({ command }) => command === line);
  if (!command) throw new UsageError(`unknown command "${line}"`, { fix: 'call find for the commands' });
  if (!isSuitable(command)) {
    const shown = new CommandLine(['gantry', ...words]);
    throw new UsageError(`${line} is not over MCP`, { fix: sentence`run it in a shell: ${shown}` });
  }
  const set = flagsIn(called);
  const known = flagsOver(command);
  const unknown = set.find((flag) => !known.includes(flag) && !always.includes(flag));
  if (unknown !== undefined) {
    throw new UsageError(`${line} has no flag "${unknown}" here`, { why: `its flags: ${known.join(', ')}` });
  }
  refuseEndless(set);
  return { command, argv, set };
}

/** As the program reports it. */
async function completedError(thrown: unknown, words: string[]): Promise<UsageError> {
  const error = thrown instanceof CommanderError ? await usageError(thrown, words) : (thrown as UsageError);
  await completeFix(error, words, true);
  const { facts } = error;
  const next = facts.fix instanceof CommandLine ? undefined : nextAfterError(error, words);
  if (next && facts.next === undefined) facts.next = new CommandLine(next);
  return error;
}

/** Flags that every call has anyway, and the region of `run`. */
const always = ['--json', '--no-input', '-r'];

/** The server may have a project of its own, which this one replaces. */
function hereLocal(words: readonly string[]): string[] {
  return words.map((word, at) => (word === '--local' && at < endOfOwn(words) ? '--project=local' : word));
}

function chainOf(command: Commander): Commander[] {
  return command.parent ? [...chainOf(command.parent), command] : [command];
}

function lineOf(called: Commander): string {
  const [, ...names] = chainOf(called).map((command) => command.name());
  return names.join(' ');
}

function flagsIn(called: Commander): string[] {
  return chainOf(called).flatMap((command) => {
    const typed = command.options.filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli');
    return typed.map(({ long, short }) => long ?? short ?? '');
  });
}
