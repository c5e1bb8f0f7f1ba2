import { asTyped, gantryCommand } from '../command-line.ts';
import { UsageError } from '../errors.ts';
import { foreignCommands } from './foreign-commands.ts';
import { formerCommands } from './former-commands.ts';
import { flagRefusals, formerFlags, refusals } from './spellings.ts';
import { commandOf, findName, splitFlag } from './words.ts';

export function refuseCommand(words: string[]): void {
  const found = findName(words, refusals);
  if (!found) return;
  const { message, ...facts } = found.entry;
  throw new UsageError(message, facts);
}

/** Names the whole line to type. */
export function refuseFormerCommand(words: string[]): void {
  const found = findName(words, { ...foreignCommands, ...formerCommands });
  if (!found) return;
  const name = found.places.map((at) => words[at]).join(' ');
  const rest = words.filter((_, at) => !found.places.includes(at));
  // What follows a flag may be its value.
  const end = rest.findIndex((word) => word.startsWith('-'));
  const given = end < 0 ? rest : rest.slice(0, end);
  const line = typeof found.entry === 'string' ? [...found.entry.split(' '), ...given] : found.entry(...given);
  throw new UsageError(`unknown command "${name}"`, {
    fix: gantryCommand`${line} ${rest.slice(given.length).map(asTyped)}`,
  });
}

/** Names the whole line to type. */
export function refuseFormerFlags(words: string[]): void {
  const commands = commandOf(words);
  const formerOf = (word: string) =>
    formerFlags.find(
      ({ names, of }) => names.includes(splitFlag(word)[0]) && of.some((name) => commands.includes(name)),
    );
  const [flag] = words.filter((word) => formerOf(word)).map((word) => splitFlag(word)[0]);
  if (flag === undefined) return;
  const line = words.map((word) => word.replace(splitFlag(word)[0], formerOf(word)?.here ?? '$&'));
  throw new UsageError(`unknown flag "${flag}"`, { fix: gantryCommand`${line.map(asTyped)}` });
}

/** Commands without arguments, which old clients gave some. */
export function refuseExtraWord([command, word]: string[]): void {
  if (command === 'deploy' && word !== 'help') {
    throw new UsageError(`unexpected argument "${word}"`, {
      why: 'deploy sends the working directory, and its cerebrium.toml names the app',
      fix: `gantry deploy -C ${word} for a folder, gantry deploy --name ${word} for another name`,
    });
  }
  if (command === 'login') {
    throw new UsageError('a token is not passed as an argument', {
      why: 'arguments are visible in the shell history and to other processes: if it was a real token, revoke it',
      fix: 'gantry login --token < FILE',
    });
  }
}

export function refuseFlag(name: string, next: string | undefined, commands: readonly string[]): void {
  const found = flagRefusals.find(
    ({ names, of, when }) =>
      names.includes(name) && (!of || of.some((command) => commands.includes(command))) && (when?.(next) ?? true),
  );
  if (!found) return;
  const { message, why, fix } = found;
  throw new UsageError(message, { ...(why && { why }), ...(fix && { fix }) });
}
