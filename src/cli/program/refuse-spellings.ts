import { asTyped, CommandLine, gantryCommand, sentence } from '../../kernel/command-line.ts';
import { UsageError } from '../../kernel/errors.ts';
import { foreignCommands } from './foreign-commands.ts';
import { flagRefusals, refusals } from './refusals.ts';
import { habitFlags } from './spellings.ts';
import { readTypedCommand } from './typed-command.ts';
import { commandOf, findName, positionals, splitFlag, takeFlag } from './words.ts';

export function refuseCommand(words: string[]): void {
  const found = findName(words, refusals);
  if (!found) return;
  const { message, ...facts } = found.entry;
  throw new UsageError(message, facts);
}

/** Names the whole line to type. */
export function refuseForeignCommand(typed: string[]): void {
  const words = findName(typed, foreignCommands) ? typed : withoutColon(typed);
  const found = findName(words, foreignCommands);
  if (!found) {
    if (words !== typed) throw new UsageError('a group and its command are two words', { fix: typedLine(words) });
    return;
  }
  const name = found.places.map((at) => words[at]).join(' ');
  const rest = foreignRest(words, found.places);
  // What follows a flag may be its value.
  const end = rest.findIndex((word) => word.startsWith('-'));
  const given = end < 0 ? rest : rest.slice(0, end);
  const line = typeof found.entry === 'string' ? [...found.entry.split(' '), ...given] : found.entry(...given);
  throw new UsageError(`unknown command "${name}"`, {
    fix: typedLine([...line, ...rest.slice(given.length)]),
  });
}

/** The arguments, the app of a flag, and where the line goes: other flags are those of another client. */
function foreignRest(words: string[], places: number[]): string[] {
  const others = words.filter((_, at) => !places.includes(at));
  const app = takeFlag(others, '--app') ?? takeFlag(others, '-a');
  const given = positionals(others).map((at) => others[at] ?? '');
  return [...given, ...(app === undefined || given.includes(app) ? [] : [app]), ...readTypedCommand(words).selection];
}

/** `apps:info` of Heroku is `apps info`. */
function withoutColon(words: string[]): string[] {
  const [at = 0] = positionals(words);
  const [, group, command] = /^([a-z-]+):([a-z-]+)$/.exec(words[at] ?? '') ?? [];
  return group === undefined || command === undefined ? words : words.toSpliced(at, 1, group, command);
}

/** Of many clients; here the app is an argument. Names the whole line to type. */
export function refuseAppFlag(words: string[]): void {
  const flag = ['--app', '-a'].find((name) => words.some((word) => splitFlag(word)[0] === name));
  const [command = ''] = commandOf(words);
  if (flag === undefined || ['secrets', 'cache'].includes(command)) return;
  const line = [...words];
  const app = takeFlag(line, flag) ?? 'APP';
  if (command === 'deploy') line.push('--name', app);
  else {
    const places = positionals(line);
    line.splice((places[['apps', 'builds', 'runs'].includes(command) ? 1 : 0] ?? 0) + 1, 0, app);
  }
  throw new UsageError(`unknown flag "${flag}"`, { fix: typedLine(line) });
}

/** Names the whole line to type. */
export function refuseHabitFlags(words: string[]): void {
  const commands = commandOf(words);
  const habitOf = (word: string) =>
    habitFlags.find(
      ({ names, of }) => names.includes(splitFlag(word)[0]) && of.some((name) => commands.includes(name)),
    );
  const [flag] = words.filter((word) => habitOf(word)).map((word) => splitFlag(word)[0]);
  if (flag === undefined) return;
  const line = words.map((word) => word.replace(splitFlag(word)[0], habitOf(word)?.here ?? '$&'));
  throw new UsageError(`unknown flag "${flag}"`, { fix: typedLine(line) });
}

/** Commands without arguments, which old clients gave some. */
export function refuseExtraWord([command]: string[]): void {
  if (command === 'login') {
    throw new UsageError('a token is not passed as an argument', {
      why: 'arguments are visible in the shell history and to other processes: if it was a real token, revoke it',
      fix: sentence`${gantryCommand`login --token`} < FILE`,
    });
  }
}

export function refuseFlag(name: string, next: string | undefined, commands: readonly string[]): void {
  const found = flagRefusals.find(
    ({ names, of, except = [], when }) =>
      names.includes(name) &&
      (!of || of.some((command) => commands.includes(command))) &&
      !except.some((command) => commands.includes(command)) &&
      (when?.(next) ?? true),
  );
  if (!found) return;
  const { message, why, fix } = found;
  throw new UsageError(message, { ...(why && { why }), ...(fix && { fix }) });
}

function typedLine(words: readonly string[]): CommandLine {
  return new CommandLine(['gantry', ...words.filter((word) => word !== '').map(asTyped)]);
}
