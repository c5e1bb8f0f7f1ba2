import type { Command as Commander } from 'commander';
import { CommandLine, gantryCommand } from '../../kernel/command-line.ts';
import type { ExitName, GantryError } from '../../kernel/errors.ts';
import type { NextCommand } from '../command.ts';
import { namedCommand } from '../commands/index.ts';
import { hasChild } from './command-tree.ts';
import { endOfOwn } from './read-words.ts';
import { inSamePlace } from './same-place.ts';
import { readTypedCommand, withFlags } from './typed-command.ts';

/** After a dry run, the line itself: what it asks is not answered here. */
export function usualNextOf(
  called: Commander,
  document: { folder?: unknown; dryRun?: unknown; changed?: unknown },
  line: readonly string[],
) {
  if (document.dryRun === true) {
    const again = ['gantry', ...line.filter((word) => !/^--(dry-run|detailed-exit-code)$/.test(word))];
    return document.changed === false ? [] : [{ argv: answered(again), when: 'to do it' }];
  }
  const usual = usualCommands[called.name()]?.(String(document.folder)) ?? [];
  return usual.map((next) => ({ argv: inSamePlace(next.line.argv, line), when: next.when }));
}

/** After `init` and `login`: what a person would not know yet. `deploy` declares its own (`next` in src/cli/command.ts). */
export const usualCommands: Readonly<Record<string, (folder: string) => NextCommand[]>> = {
  init: (folder) => [
    { line: gantryCommand`dev ${folder}`, when: 'to run it on this machine' },
    { line: gantryCommand`deploy -C ${folder} --local`, when: 'to deploy it to an emulator' },
  ],
  login: () => [{ line: gantryCommand`apps list`, when: 'to see the apps of the project' }],
};

/** What answers commands that always ask, if nothing is lost for good: a flag, and those that answer as well. */
const answers: Readonly<Record<string, readonly [flag: string, others: RegExp]>> = {
  ...Object.fromEntries(['apps restart', 'rollback', 'promote'].map((asking) => [asking, ['--yes', /^-y$/]])),
  'secrets set': ['--from-env', /^--from-/],
};

/** A command for programs, with the answer to what it would ask: there, nobody answers. */
export function answered(argv: readonly string[]): readonly string[] {
  const words = argv.slice(1);
  const [flag, others] = answers[readTypedCommand(words).path.join(' ')] ?? [];
  const isAnswered = words.some((word) => word === flag || others?.test(word) || /^--(dry-run|help)$/.test(word));
  return flag === undefined || isAnswered ? argv : withFlags(words, [flag]);
}

/** The command of a line of gantry. */
async function commandIn([program, ...argv]: readonly string[]) {
  const { path } = readTypedCommand(argv);
  const [group = '', name = ''] = path;
  const { load, commands = {} } = namedCommand(group) ?? {};
  const command = program === 'gantry' ? await (commands[name]?.load ?? load)?.() : undefined;
  return command && { ...command.default, command: path.join(' ') };
}

/** Whether a tool call may be this command: `dev` never ends. */
export async function isCallable(argv: readonly string[]): Promise<boolean> {
  const command = await commandIn(argv);
  return !command || (await import('../mcp/offered.ts')).isSuitable(command);
}

/** With `--json` if the line that was typed has printed JSON or asked for it, and this one prints some. */
export async function withJson(argv: readonly string[], line: readonly string[], isPrinted: boolean) {
  const isAsked = isPrinted || line.slice(0, endOfOwn(line)).some((word) => asksForJson.test(word));
  const isPlain = isAsked && !argv.some((word) => word === '--help' || asksForJson.test(word));
  return isPlain && (await commandIn(argv))?.json ? withFlags(argv.slice(1), ['--json']) : argv;
}

const asksForJson = /^--(json|jq)(=|$)/;

interface Failed extends ReturnType<typeof readTypedCommand> {
  argv: readonly string[];
  details: Record<string, unknown>;
}

/**
 * The command that usually helps after an error whose fix is none, as a list of arguments: the same command line with the
 * flags that it lacked, or the one for this kind of error. `argv` is the command line that failed.
 */
export function nextAfterError({ exit, facts }: GantryError, argv: readonly string[]): readonly string[] | undefined {
  // What is to be confirmed is for a person to read: the fix says what to add.
  if (facts.retryWith?.some((flag) => /^--(yes|confirm)(=|$)/.test(flag))) return undefined;
  if (facts.retryWith) return withFlags(argv, facts.retryWith);
  if (facts.retryable) return ['gantry', ...argv];
  const typed = readTypedCommand(argv);
  const usual = usualNext[exit]({ ...typed, argv, details: facts.details ?? {} });
  return usual instanceof CommandLine ? inSamePlace(usual.argv, argv) : usual;
}

/** What helps after each kind of error: a command, or the line that was typed, which says where it works. */
const usualNext: Record<ExitName, (failed: Failed) => CommandLine | readonly string[] | undefined> = {
  usage: help,
  'input-needed': help,
  auth: verify,
  denied: verify,
  'not-found': listOfSuch,
  conflict: lookAt,
  // What check found is fixed by editing the files.
  project: ({ path }) => (path[0] === 'check' ? undefined : gantryCommand`check`),
  limit: () => gantryCommand`cost --all-apps`,
  'build-failed': ({ details: { app, build } }) =>
    app && build ? gantryCommand`logs ${`${app}`} --build ${`${build}`}` : gantryCommand`check`,
  'not-ready': ({ details: { app } }) => (app ? gantryCommand`logs ${`${app}`}` : gantryCommand`check`),
  'app-error': ({ details, operand }) => {
    const app = details.app ?? operand;
    return app ? gantryCommand`logs ${`${app}`}` : gantryCommand`apps list`;
  },
  pending: lookAt,
  // Only these are cured by the same line: the others would end as they did.
  unavailable: again,
  'rate-limited': again,
  interrupted: again,
  terminated: again,
  failed: debugged,
  bug: debugged,
  ok: again,
  changes: again,
};

function again({ argv }: Failed): string[] {
  return ['gantry', ...argv];
}

function verify({ path }: Failed): CommandLine {
  return path[0] === 'whoami' ? gantryCommand`doctor` : gantryCommand`whoami --verify`;
}

function debugged({ argv }: Failed): CommandLine | string[] {
  return argv.includes('--debug') ? gantryCommand`doctor` : withFlags(argv, ['--debug']);
}

/** What shows how the thing is that goes on, or that somebody else has changed. */
function lookAt(failed: Failed): CommandLine {
  const { app, run, build } = failed.details;
  if (!app) return listOfSuch(failed);
  if (run) return gantryCommand`runs get ${`${app}`} ${`${run}`}`;
  return build ? gantryCommand`builds get ${`${app}`} ${`${build}`}` : gantryCommand`apps get ${`${app}`}`;
}

function help({ path }: Failed): CommandLine {
  return gantryCommand`${path} --help`;
}

/** The command that lists what could have been meant. An error that knows it better has it as its fix. */
function listOfSuch(failed: Failed): CommandLine {
  const [first = ''] = failed.path;
  const lists = Object.entries(listsFor).find(([, names]) => names.includes(first));
  if (lists) return gantryCommand`${lists[0].split(' ')}`;
  return hasChild(first, 'list') ? gantryCommand`${first} list` : help(failed);
}

const listsFor: Record<string, readonly string[]> = {
  'apps list': ['apps', 'invoke', 'logs', 'open', 'metrics', 'builds', 'runs'],
  ls: ['ls', 'cat', 'rm', 'cp', 'sync'],
};

/** The words with the command that a group stands for: `users` is `users list`. */
export function withDefault([group = '', next = '', ...others]: readonly string[]): string[] {
  const { byDefault, commands = {} } = namedCommand(group) ?? {};
  const isMeant = byDefault !== undefined && !Object.hasOwn(commands, next);
  return [group, ...(isMeant ? [byDefault] : []), ...(next ? [next] : []), ...others];
}
