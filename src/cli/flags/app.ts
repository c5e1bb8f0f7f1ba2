import { statSync } from 'node:fs';
import { join, resolve as resolvePath } from 'node:path';
import type { Command as Commander, OptionValues } from '@commander-js/extra-typings';
import { gantryCommand } from '../../kernel/command-line.ts';
import { type NotFoundError, ProjectError, systemCode, UsageError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import type { ArgumentRules, PlacedArgument, TypedLine } from '../command.ts';

/** The flag of every command that names the app in this folder. */
type AppHere = {
  configFile: string;
};

const ofFolder = 'app name or id (default: the app in this folder)';

/** Types what a command gets from the flag of every command. */
export function withConfigFile<Inputs extends unknown[], Flags extends OptionValues>(
  command: Commander<Inputs, Flags>,
) {
  return command as unknown as Commander<Inputs, Flags & AppHere>;
}

/** Adds the app that a command reads or calls: absent or `.` is the app of this folder. */
export function appArgument<Inputs extends unknown[], Flags extends OptionValues>(command: Commander<Inputs, Flags>) {
  return command.argument('[app]', ofFolder, parser({})) as unknown as Commander<[...Inputs, string], Flags & AppHere>;
}

/** An app argument that may be left out: with the flag `unless`, or in a folder without an app (`isOptional`). */
export function optionalAppArgument<Inputs extends unknown[], Flags extends OptionValues>(
  command: Commander<Inputs, Flags>,
  { description = ofFolder, ...rules }: Pick<Rules, 'unless' | 'isOptional'> & { description?: string },
) {
  const placed = command.argument('[app]', description, parser(rules));
  return placed as unknown as Commander<[...Inputs, string | undefined], Flags & AppHere>;
}

/** An app argument for a command about one app or all of the project; with `allWith`, all only with that flag. */
export function appsArgument<Inputs extends unknown[], Flags extends OptionValues>(
  command: Commander<Inputs, Flags>,
  allWith?: string,
) {
  return optionalAppArgument(command, {
    description: 'app name or id (default: the app in this folder, or else all)',
    unless: 'allApps',
    isOptional: allWith ?? true,
  }).option('--all-apps', 'all apps of the project, also in the folder of one');
}

/** Adds the app and what a command cancels of it: it wants the id, which in the folder of the app is enough. */
export function canceledArguments<Inputs extends unknown[], Flags extends OptionValues>(
  command: Commander<Inputs, Flags>,
  noun: 'build' | 'run',
) {
  // The parser takes a single word for the app: only `resolve` knows that the id is there.
  const id: ArgumentRules = { isNeeded: true };
  const argument = Object.assign(command.createArgument(`[${noun}]`, `${noun} id`), id);
  const placed = command.argument('[app]', ofFolder, parser({ needs: noun })).addArgument(argument);
  return placed.usage(`[options] [app] <${noun}>`) as unknown as Commander<
    [...Inputs, string, string],
    Flags & AppHere
  >;
}

/** Adds the app of a command that destroys it: it wants the name. */
export function namedAppArgument<Inputs extends unknown[], Flags extends OptionValues>(
  command: Commander<Inputs, Flags>,
  name: '<app>' | '<from>' = '<app>',
) {
  return command.argument(name, 'app name or id', parser({ isNamed: true }));
}

/** The app that `--app` names, for commands without an app argument: `.` is the app of this folder. */
export const flaggedApp: PlacedArgument = {
  async resolve(context, typed, { destroys }) {
    const flags = typed.at(-1) as { app?: unknown };
    if (flags.app !== '.') return [...typed];
    const { readNamedAppHere } = await import('../../deploys/apps.ts');
    return [...typed.slice(0, -1), { ...flags, app: await readNamedAppHere(context, destroys) }];
  },
  async explain(context, error, _, typed, line) {
    const { app } = typed.at(-1) as { app?: unknown };
    return app === '.' ? error : explain(context, error, [app], [app], line);
  },
};

interface Rules {
  /** With this flag, the command is about no app. */
  unless?: string;
  /**
   * Whether the default is all apps in a folder that has none. The name of a flag: the config file must be valid unless the
   * flag is set.
   */
  isOptional?: boolean | string;
  isNamed?: boolean;
  needs?: 'build' | 'run';
}

function parser(rules: Rules): ((word: string) => string) & PlacedArgument {
  return Object.assign((word: string) => word, {
    resolve: (context: Context, typed: readonly unknown[], line: TypedLine) => resolve(context, typed, line, rules),
    explain,
  });
}

async function resolve(
  context: Context,
  typed: readonly unknown[],
  line: TypedLine,
  { isNamed, isOptional, needs, unless = '' }: Rules,
): Promise<unknown[]> {
  const inputs = withAppFirst(typed, line);
  const [app, ...rest] = inputs;
  const flags = typed.at(-1) as Record<string, unknown>;
  if (app !== undefined && flags[unless] !== undefined) {
    const flag = unless.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw new UsageError(`--${flag} and an app cannot be combined`);
  }
  if (needs && rest[0] === undefined) return [...(await idOfAppHere(context, app, needs, flags)), ...rest.slice(1)];
  const folder = folderOf(app, context);
  if (isNamed && folder !== undefined) throw await unnamedError(context, line, folder);
  if (isNamed || (app !== undefined && folder === undefined) || flags[unless] !== undefined)
    return [ofUrl(app, context), ...rest];
  const { findAppHere, readAppHere } = await import('../../deploys/apps.ts');
  // The last of the rest are the flags.
  const configFile = join(folder ?? '.', configFileOf(flags));
  const mayLack = isOptional && app === undefined && rest.slice(0, -1)[0] === undefined;
  const here = mayLack
    ? findAppHere(context, configFile, typeof isOptional === 'string' && flags[isOptional] === undefined)
    : readAppHere(context, configFile, async (name) => line.withApp(line.isReading ? name : 'APP', folder));
  return [await here, ...rest];
}

async function idOfAppHere(context: Context, word: unknown, noun: 'build' | 'run', flags: Record<string, unknown>) {
  const { readAppHere } = await import('../../deploys/apps.ts');
  // Each id has a digit, and few names have: `builds cancel web` lacks the build.
  const isId = typeof word === 'string' && /\d|^latest|^(last|newest)$/.test(word);
  const here = isId && (await readAppHere(context, configFileOf(flags)).catch(unlessBroken));
  if (here && here !== word) return [here, word];
  throw new UsageError(`missing argument <${noun}>`, {
    fix: gantryCommand`${noun}s list ${word === undefined ? [] : String(word)}`,
  });
}

function unlessBroken(error: unknown): undefined {
  if (error instanceof ProjectError) throw error;
}

function configFileOf({ configFile }: Record<string, unknown>): string {
  return typeof configFile === 'string' ? configFile : 'cerebrium.toml';
}

/** A single word that cannot be an app is what follows the app: an id, or a parameter of a call. */
function withAppFirst(typed: readonly unknown[], { command }: TypedLine): unknown[] {
  const [first, second, ...rest] = typed;
  const [, next, ...more] = command.registeredArguments;
  if (typeof first !== 'string' || !next) return [...typed];
  if (next.variadic) return callWord.test(first) ? [undefined, [first, ...[second].flat()], ...rest] : [...typed];
  const ids = typed.slice(0, 2 + more.length).filter((word) => typeof word === 'string');
  // As many words as there are ids may be ids only.
  const areIds = ids.length <= 1 + more.length && ids.every((word) => idWord.test(word));
  return areIds && (ids.length === 1 || more.length > 0)
    ? [undefined, ...typed.slice(0, 1 + more.length), typed.at(-1)]
    : [...typed];
}

/** A parameter of a call, or a file of inputs. */
const callWord = /=|\.(jsonl|ndjson|csv)$/i;

/** The id of a build or a run or its beginning, with a digit, which few names made of these letters have; `latest`. */
const idWord = /^(last|newest|latest(:[a-z]+)?|(?=[a-f]*\d)[\da-f]{6,}(-[\da-f-]*)?)$/i;

/** A path, which no name is: `.`, `./` and `../web` are folders of apps, as for `deploy`. */
function folderOf(word: unknown, { cwd }: Context): string | undefined {
  if (word === '.') return word;
  const isPath = typeof word === 'string' && (word === '..' || /[\\/]/.test(word));
  return isPath && statSync(resolvePath(cwd, word), { throwIfNoEntry: false })?.isDirectory() ? word : undefined;
}

/** The app of the URL that a deploy prints. Throws UsageError for one of another project. */
function ofUrl(word: unknown, context: Context): unknown {
  const [, other, app] = /^https?:\/\/[^?#]+\/v4\/([^/?#]+)\/([^/?#]+)/.exec(String(word)) ?? [];
  if (other === undefined || other === context.project) return app ?? word;
  throw new UsageError(`${word} is of project ${other}`, { retryWith: ['--project', other] });
}

async function unnamedError(context: Context, line: TypedLine, folder: string): Promise<UsageError> {
  const { readAppHere } = await import('../../deploys/apps.ts');
  const here = await readAppHere(context, join(folder, 'cerebrium.toml')).catch(() => undefined);
  return new UsageError(`a command that destroys something needs the name of the app, not "${folder}"`, {
    ...(here !== undefined && { fix: await line.withApp(here, folder) }),
  });
}

async function explain(
  context: Context,
  error: NotFoundError,
  [app]: readonly unknown[],
  [typed]: readonly unknown[],
  line: TypedLine,
): Promise<NotFoundError> {
  // A file of this machine says nothing of the app.
  if (typeof app !== 'string' || systemCode(error.cause) !== '') return error;
  const { explainMissingApp } = await import('../../deploys/apps.ts');
  const isHere = typed !== app;
  return explainMissingApp(context, error, {
    app,
    isHere,
    withApp: async (name) => (line.isReading ? line.withApp(name, isHere ? undefined : app) : gantryCommand`apps list`),
    asFunction:
      !isHere && line.command.registeredArguments[1]?.variadic ? () => line.withApp('.', undefined) : undefined,
  });
}
