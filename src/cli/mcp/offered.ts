import { UsageError } from '../../kernel/errors.ts';
import { words } from '../../kernel/words.ts';
import type { CommandReference, FlagReference } from '../reference.ts';

/** What an agent may find. */
export function foundCommands(commands: readonly CommandReference[]): CommandReference[] {
  return commands.filter(({ command }) => !notForAgents.has(command));
}

/** Whether `call` runs it: it ends by itself, and is of use to an agent. */
export function isSuitable({ unattended, command }: Pick<CommandReference, 'unattended' | 'command'>): boolean {
  return unattended && !onlyInShell.has(command);
}

/** About gantry itself, or a way for an agent to lock itself out. */
const notForAgents = new Set(['mcp serve', 'completion', 'help', 'logout']);
const onlyInShell = new Set(['apps prune', 'emulator env', 'emulator list', 'emulator stop']);

/** The flags of a command that `call` takes, without those of every command. */
export function offeredFlags({ flags, effect }: CommandReference): FlagReference[] {
  const isHidden = hiddenIn(effect);
  // What is of use with a hidden flag only is hidden, too.
  return flags.filter((flag) => !isHidden(longOf(flag)) && !flag.requires?.every(isHidden));
}

/** The examples of a command that `call` takes, without what a shell does with their output. */
export function callableExamples({ examples, effect }: CommandReference): string[] {
  const lines = examples.map((line) => line.replace(/ (?:[|>]|&&) .*$/, ''));
  return lines.filter((line) => !notTaken.test(line) && !line.split(/[ =]/).some(hiddenIn(effect)));
}

/** An endless log, another profile, and stdin. */
const notTaken = /^(?!.* --(run|build)\b).* -f\b| (--profile|-)( |$)/;

function hiddenIn(effect: CommandReference['effect']): (flag: string) => boolean {
  return (flag) => hiddenFlags.has(flag) || (effect === 'reads' && /^(-o|--output)$/.test(flag));
}

/** The names of all flags that `call` takes with the command. */
export function flagsOver(command: CommandReference): string[] {
  const confirmation = command.effect === 'reads' ? [] : ['--yes'];
  return [...new Set([...offeredFlags(command).map(longOf), ...sharedFlags, ...confirmation])];
}

/** The instructions of the server name those that an agent needs. */
const sharedFlags = ['--jq', '--cwd', '--project', '--region', '--json', '--config-file'];

/**
 * Never ends, prints what a tool's result cannot hold, shows secret values, writes a page (a tool that only reads
 * must not write files), gives exit codes another meaning, or shows the lines of any file of this machine.
 */
const hiddenFlags = new Set<string>(
  words('--live --clear --events --show-values --raw --show-headers --schema', '--html --forward-exit-code --file'),
);

function longOf({ flags }: FlagReference): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? '';
}

/** The log of an app has no end. */
export function refuseEndless(set: readonly string[]): void {
  if (!set.includes('--follow') || set.includes('--run') || set.includes('--build')) return;
  throw new UsageError('--follow needs --run or --build', {
    why: 'the log of an app has no end',
    fix: 'name a run or a build, or leave --follow out',
  });
}
