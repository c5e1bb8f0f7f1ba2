import type { Command as Commander, OptionValues } from '@commander-js/extra-typings';
import type { CommandLine, Fix } from '../kernel/command-line.ts';
import { type ExitName, everyCommandExits, type NotFoundError, platformExits } from '../kernel/errors.ts';
import type { View } from '../kernel/output/page.ts';
import type { RawOutput } from '../kernel/output/raw-output.ts';
import type { Context } from '../platform/context.ts';
import { type ResultSchema, takesFields, withDryRun, withSharedFields } from './result-schema.ts';

/** A command: its arguments and flags, what it does, and how its result is shown. */
interface CommandParts<Inputs extends unknown[], Options extends OptionValues, Value, Data, Json> {
  configure?: (command: Commander) => Commander<Inputs, Options>;
  /** Does the work and returns a plain value or an async iterable of values. Prints nothing to stdout. */
  run: (context: Context, ...inputs: [...Inputs, Options]) => Value | Promise<Value>;
  /** The text for the value, or for each value of an iterable. Makes no requests. */
  view: (value: Value extends AsyncIterable<infer Item> ? Item : Value, options: Options) => View;
  /** The JSON for the value, or for each value of an iterable, if it differs from the value. */
  data?: (value: Value extends AsyncIterable<infer Item> ? Item : Value) => Data;
  /** Whether the text is written without sanitizing. */
  raw?: (options: Options) => boolean;
  /** Whether secrets in the result are shown, because the user asked for them or the result is an app's. */
  verbatim?: (options: Options) => boolean;
  /** The exit code of a successful run; `ok` by default. */
  exit?: (value: Value, options: Options) => ExitName | number;
  /** The exit codes it may end with, besides those of every command; by default those of the platform's replies. */
  exits?: readonly ExitName[];
  /** Shown on stderr if the result is an empty list. */
  empty?: Fix | ((options: Options) => Fix);
  /**
   * The commands that usually follow this result; the first is also shown on stderr. Without any, programs get those of
   * program/next-commands.ts. Only for a result that is a document. `args` are what the user typed.
   */
  next?: (value: Value, options: Options, args: readonly unknown[]) => readonly NextCommand[];
  /** What `--json` prints. A command without it prints raw bytes, which JSON cannot hold. */
  json?: Json;
  /**
   * Whether it only reads, changes something, or destroys: removes or replaces what gantry cannot bring back. On this
   * machine or on the platform. `gantry mcp` tells it to clients.
   */
  effect: Effect;
  /** False if it waits for a person or runs until it is interrupted: `gantry mcp` does not offer it then. */
  unattended?: false;
  /** On a terminal, each value that it yields takes the place of the one before. */
  live?: true;
  /** Works on this machine only. Other commands have a target, which those that change something name first. */
  local?: true;
  /** It changes the login or the settings of a profile, which an emulator has none of. */
  ofProfile?: true;
  /** Whether this command line only reads, if others of the command change something. */
  onlyReads?: (...inputs: [...Inputs, Options]) => boolean;
  /** Has `--dry-run`: `run` calls `willChange` of the context before it changes something. */
  dryRun?: true;
  /** Paragraphs of its help, below the summary. */
  details?: string[];
  /** Command lines without the leading `gantry`. */
  examples?: string[];
}

export interface NextCommand {
  line: CommandLine;
  /** What it is for, as in "to follow it". */
  when: string;
}

/**
 * What the parser of a first argument has besides, if its value depends on where the command runs: it may be absent, or
 * stand for something in this folder (flags/app.ts).
 */
export interface PlacedArgument {
  /** The inputs as `run` gets them, from those that were typed: the arguments, then the flags. */
  resolve: (context: Context, typed: readonly unknown[], line: TypedLine) => Promise<unknown[]>;
  /** What a NotFoundError of `run` is about: a better error, or the same. */
  explain: (
    context: Context,
    error: NotFoundError,
    inputs: readonly unknown[],
    typed: readonly unknown[],
    line: TypedLine,
  ) => Promise<NotFoundError>;
}

export interface TypedLine {
  command: Pick<Commander, 'registeredArguments'>;
  /** The line with this app, in place of the word that names it or else as the first argument. */
  withApp: (app: string, word: string | undefined) => Promise<CommandLine>;
}

/** What an argument may have besides. */
export interface ArgumentRules {
  /** It is required, although the parser cannot see it. */
  isNeeded: true;
}

/** What a flag may have besides (flags/values.ts). */
export interface FlagRules {
  /** Attribute names of the flags, one of which it needs. */
  requires: readonly string[];
  /** The help of the command leaves it to the reference. */
  isSeldom: true;
}

export type Effect = 'reads' | 'changes' | 'destroys';

/** Of a command that has no `data`. */
type WithoutData = { readonly [withoutData]: never };
declare const withoutData: unique symbol;

/** What of the value of `run` goes into JSON. */
type JsonOf<Value> =
  Value extends AsyncIterable<infer Item> ? Item : Value extends RawOutput<infer Json> ? Json : Value;

/**
 * A command, if its result matches what it declares as JSON. Only the return type can check that: in a parameter it would
 * make TypeScript fix the type of the result before it has seen it.
 */
type Checked<Json, Result> = Json extends ResultSchema
  ? Json extends ResultSchema<Result>
    ? Command
    : { resultDoesNotMatchItsDeclaration: Result; declared: Json }
  : Command;

/** A command without its input types, as the program uses it. */
export interface Command {
  configure: (command: Commander) => void;
  run: (context: Context, ...inputs: unknown[]) => unknown;
  view: (value: unknown, options: unknown) => View;
  data: (value: unknown) => unknown;
  raw: (options: unknown) => boolean;
  verbatim: (options: unknown) => boolean;
  exit: (value: unknown, options: unknown) => ExitName | number;
  exits: readonly ExitName[];
  empty: Fix | ((options: unknown) => Fix) | undefined;
  next: (value: unknown, options: unknown, args: readonly unknown[]) => readonly NextCommand[];
  json: ResultSchema | undefined;
  effect: Effect;
  local: boolean;
  ofProfile: boolean;
  onlyReads: (...inputs: unknown[]) => boolean;
  unattended: boolean;
  dryRun: boolean;
  live: boolean;
  details: string[];
  examples: string[];
}

export function defineCommand<
  Value,
  Inputs extends unknown[] = [],
  Options extends OptionValues = OptionValues,
  Data = WithoutData,
  Json extends ResultSchema | undefined = undefined,
>(
  parts: CommandParts<Inputs, Options, Value, Data, Json>,
): Checked<Json, [Data] extends [WithoutData] ? JsonOf<Value> : Data> {
  const command: Command = {
    configure: (command) => {
      parts.configure?.(command);
      if (parts.dryRun) command.option('--dry-run', 'show what would change, and change nothing');
    },
    run: parts.run as Command['run'],
    view: parts.view as Command['view'],
    data: (parts.data as Command['data']) ?? ((value) => value),
    raw: (parts.raw as Command['raw']) ?? (() => false),
    verbatim: (parts.verbatim as Command['verbatim']) ?? (parts.raw as Command['raw']) ?? (() => false),
    exit: (parts.exit as Command['exit']) ?? (() => 'ok'),
    exits: [...everyCommandExits, ...(parts.exits ?? platformExits)],
    empty: parts.empty as Command['empty'],
    next: (parts.next as Command['next']) ?? (() => []),
    json: parts.json && schemaOf(parts, parts.json),
    dryRun: parts.dryRun === true,
    live: parts.live === true,
    effect: parts.effect,
    local: parts.local ?? false,
    ofProfile: parts.ofProfile ?? false,
    onlyReads: (parts.onlyReads as Command['onlyReads']) ?? (() => parts.effect === 'reads'),
    unattended: parts.unattended ?? true,
    details: parts.details ?? [],
    examples: parts.examples ?? [],
  };
  return command as Checked<Json, [Data] extends [WithoutData] ? JsonOf<Value> : Data>;
}

/** With what is added to the result: what usually follows, warnings, and that it is a dry run. */
function schemaOf({ dryRun }: { dryRun?: unknown }, json: ResultSchema): ResultSchema {
  const result = json.form === 'document' && takesFields(json) ? withSharedFields(json) : json;
  return dryRun ? withDryRun(result) : result;
}
