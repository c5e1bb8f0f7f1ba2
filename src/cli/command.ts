import type { Command as Commander, OptionValues } from '@commander-js/extra-typings';
import type { CommandLine, Fix } from '../kernel/command-line.ts';
import { type ExitName, everyCommandExits, type NotFoundError, platformExits } from '../kernel/errors.ts';
import type { View } from '../kernel/output/page.ts';
import type { RawOutput } from '../kernel/output/raw-output.ts';
import type { Context } from '../platform/context.ts';
import { type ResultSchema, takesFields, withDryRun, withSharedFields } from './result-schema.ts';

/** What a command does, and how its result is shown. The last of its inputs are its flags. */
interface CommandActs<Inputs extends unknown[], Options, Value, Data> {
  /** Does the work and returns a plain value or an async iterable of values. Prints nothing to stdout. */
  run: (context: Context, ...inputs: Inputs) => Value | Promise<Value>;
  /** Before the emulator of the folder is started for it: throws what it would end with. */
  beforeStart?: (cwd: string, ...inputs: Inputs) => unknown;
  /** The text for the value, or for each value of an iterable. Makes no requests. Without it, nothing is printed. */
  view?: (value: ShownOf<Value>, options: Options) => View | string;
  /** The JSON for the value, or for each value of an iterable, if it differs from the value. */
  data?: (value: ShownOf<Value>) => Data;
  /** Whether the text is written without sanitizing. */
  raw?: (options: Options) => boolean;
  /** Whether secrets in the result are shown, because the user asked for them or the result is an app's. */
  verbatim?: (options: Options) => boolean;
  /** The exit code of a successful run; `ok` by default. */
  exit?: (value: NotRaw<Value>, options: Options) => ExitName | number;
  /** The exit codes it may end with, besides those of every command and, unless it is local, of the platform's replies. */
  exits?: readonly ExitName[];
  /** Shown on stderr if the result is an empty list. */
  empty?: Fix | ((options: Options) => Fix);
  /** What usually follows this document; the first is also shown on stderr. `args` are what the user typed. */
  next?: (value: NotRaw<Value>, options: Options, args: readonly unknown[]) => readonly NextCommand[];
  /** Which of the forms that `json` declares this command line prints, if its flags or arguments decide. */
  formOf?: (options: Options, args: readonly unknown[]) => ResultSchema | undefined;
  /**
   * Whether it only reads, changes something, or destroys: removes or replaces what gantry cannot bring back. On this
   * machine or on the platform. `gantry mcp` tells it to clients.
   */
  effect: Effect;
  /** False if it waits for a person or runs until it is interrupted: `gantry mcp` does not offer it then. */
  unattended?: boolean;
  /** On a terminal, each value that it yields takes the place of the one before. */
  live?: boolean;
  /** Works on this machine only. Other commands have a target, which those that change something name first. */
  local?: boolean;
  /** With `--local`, it is about the emulator of the folder, and starts that. */
  startsLocal?: boolean;
  /** It changes the login or the settings of a profile, which an emulator has none of. */
  ofProfile?: boolean;
  /** What this command line does, if others of the command do more. `gantry mcp` allows it by that. */
  effectOf?: (...inputs: Inputs) => Effect;
  /** Whether it only reads on the platform: it may write a file here. */
  onlyReads?: (...inputs: Inputs) => boolean;
  /** Has `--dry-run`: `run` calls `willChange` of the context before it changes something. */
  dryRun?: boolean;
  /** Paragraphs of its help, below the summary. */
  details?: string[];
  /** Command lines without the leading `gantry`. */
  examples?: string[];
}

interface CommandParts<Inputs extends unknown[], Options extends OptionValues, Value, Data, Json>
  extends CommandActs<[...Inputs, Options], Options, Value, Data> {
  configure?: (command: Commander) => Commander<Inputs, Options>;
  flagRules?: FlagTable<NoInfer<Options>>;
  /** What `--json` prints. A command without it prints raw bytes, which JSON cannot hold. */
  json?: Json;
}

export interface NextCommand {
  line: CommandLine;
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
  /** Whether it only reads. */
  isReading: boolean;
  destroys: boolean;
  /** The line with this app, in place of the word that names it or else as the first argument. */
  withApp: (app: string, word: string | undefined) => Promise<CommandLine>;
}

export interface ArgumentRules {
  /** It is required, although the parser cannot see it. */
  isNeeded: true;
}

export interface FlagRules {
  /** Attribute names of the flags, one of which it needs. */
  requires: readonly string[];
  /** The help of the command leaves it to the reference. */
  isSeldom: boolean;
}

/** What holds for flags of a command, by their attribute names. */
interface FlagTable<Options> {
  /** A flag has no effect without one of these: alone it is refused, and the help says "with --dry-run". */
  requires?: Partners<Options>;
  /** A flag cannot be combined with these. */
  excludes?: Partners<Options>;
  /** Few need these: the reference and the completion have them, `--help` has not. */
  seldom?: readonly (keyof Options)[];
}

type Partners<Options> = { [Flag in keyof Options]?: readonly (keyof Options & string)[] };

export function addFlagRules<Inputs extends unknown[], Options extends OptionValues>(
  command: Commander<Inputs, Options>,
  { requires = {}, excludes = {}, seldom = [] }: FlagTable<Options>,
): Commander<Inputs, Options> {
  for (const flag of command.options) {
    const name: keyof Options = flag.attributeName();
    flag.conflicts([...(excludes[name] ?? [])]);
    const rules: FlagRules = { requires: requires[name] ?? [], isSeldom: seldom.includes(name) };
    Object.assign(flag, rules);
  }
  return command;
}

/** What is parsed of the flags that a function adds, besides those that were there. */
export type FlagsOf<Add extends (command: never) => { opts(): unknown }> = ReturnType<ReturnType<Add>['opts']>;

/** The flags that were there, for functions that add to any. */
export type NoFlags = Record<never, never>;

export type Effect = 'reads' | 'changes' | 'destroys';

/** The mark of a command that has no `data`. */
type WithoutData = { readonly [withoutData]: never };
declare const withoutData: unique symbol;

type ItemOf<Value> = Value extends AsyncIterable<infer Item> ? Item : Value;

/** Bytes are written as they come: nothing is shown of them, and they end with `ok`. */
type NotRaw<Value> = Exclude<Value, RawOutput<unknown>>;
type ShownOf<Value> = ItemOf<NotRaw<Value>>;

type JsonOf<Value> =
  Value extends AsyncIterable<infer Item> ? Item : Value extends RawOutput<infer Json> ? Json : Value;

/**
 * A command, if its result matches what it declares as JSON. Only the return type can check that: in a parameter it would
 * make TypeScript fix the type of the result before it has seen it.
 */
type CheckedCommand<Json, Result> = Json extends ResultSchema
  ? Json extends ResultSchema<Result>
    ? Command
    : { resultDoesNotMatchItsDeclaration: Result; declared: Json }
  : Command;

type Acts = Required<CommandActs<unknown[], unknown, unknown, unknown>>;

/** A command without its input types, as the program uses it. */
export interface Command extends Acts {
  configure: (command: Commander) => void;
  view: (value: unknown, options: unknown) => View;
  json: ResultSchema | undefined;
}

const defaults = {
  beforeStart: () => {},
  data: (value: unknown) => value,
  raw: () => false,
  exit: () => 'ok',
  empty: '',
  next: () => [],
  unattended: true,
  live: false,
  local: false,
  startsLocal: false,
  ofProfile: false,
  dryRun: false,
  details: [],
  examples: [],
};

export function defineCommand<
  Value,
  Inputs extends unknown[] = [],
  Options extends OptionValues = OptionValues,
  Data = WithoutData,
  Json extends ResultSchema | undefined = undefined,
>(
  parts: CommandParts<Inputs, Options, Value, Data, Json>,
): CheckedCommand<Json, [Data] extends [WithoutData] ? JsonOf<Value> : Data> {
  const { view = () => '', raw = defaults.raw, local = false, exits = [], effectOf = () => parts.effect } = parts;
  const command = {
    ...defaults,
    verbatim: raw,
    effectOf,
    onlyReads: (...inputs: [...Inputs, Options]) => effectOf(...inputs) === 'reads',
    ...parts,
    configure: (command: Commander) => {
      const configured = parts.configure?.(command);
      if (configured && parts.flagRules) addFlagRules(configured, parts.flagRules);
      if (parts.dryRun) command.option('--dry-run', 'show what would change, and change nothing');
    },
    view: (value: ShownOf<Value>, options: Options) => {
      const rendered = view(value, options);
      return typeof rendered === 'string' ? () => rendered : rendered;
    },
    formOf: (...given: [Options, readonly unknown[]]) => {
      const form = parts.formOf?.(...given);
      return form && schemaOf(parts, form);
    },
    exits: [...everyCommandExits, ...(local ? [] : platformExits), ...exits],
    json: parts.json && schemaOf(parts, parts.json),
  };
  return command as unknown as CheckedCommand<Json, [Data] extends [WithoutData] ? JsonOf<Value> : Data>;
}

/** With what is added to the result: what usually follows, warnings, and that it is a dry run. */
function schemaOf({ dryRun }: { dryRun?: unknown }, json: ResultSchema): ResultSchema {
  const result = json.form === 'document' && takesFields(json) ? withSharedFields(json) : json;
  return dryRun ? withDryRun(result) : result;
}
