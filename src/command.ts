import type { Command as Commander, OptionValues } from '@commander-js/extra-typings';
import type { Context } from './context.ts';
import type { ExitName } from './errors.ts';
import type { View } from './output/page.ts';

/** A command: its arguments and flags, what it does, and how its result is shown. */
interface CommandParts<Inputs extends unknown[], Options extends OptionValues, Value> {
  /** Adds the arguments and flags. */
  configure?: (command: Commander) => Commander<Inputs, Options>;
  /** Does the work and returns a plain value or an async iterable of values. Prints nothing to stdout. */
  run: (context: Context, ...inputs: [...Inputs, Options]) => Value | Promise<Value>;
  /** The text for the value, or for each value of an iterable. Makes no requests. */
  view: (value: Value extends AsyncIterable<infer Item> ? Item : Value, options: Options) => View;
  /** The JSON for the value, or for each value of an iterable, if it differs from the value. */
  data?: (value: Value extends AsyncIterable<infer Item> ? Item : Value) => unknown;
  /** Whether the text is written without sanitizing. */
  raw?: (options: Options) => boolean;
  /** Whether secrets in the result are shown, because the user asked for them or the result is an app's. */
  verbatim?: (options: Options) => boolean;
  /** The exit code of a successful run; `ok` by default. */
  exit?: (value: Value, options: Options) => ExitName | number;
  /** Shown on stderr if the result is an empty list. */
  empty?: string;
  /** The JSON fields and their meaning, for the help, the reference and the check of `--json=fields`. */
  json?: Record<string, string>;
  /** The result consists of the platform's objects, so `--json` accepts fields that are not in `json`. */
  passesThrough?: true;
  /** Paragraphs of its help, below the summary. */
  details?: string[];
  /** Command lines without the leading `gantry`. */
  examples?: string[];
}

/** A command without its input types, as the program uses it. */
export interface Command {
  configure: (command: Commander) => void;
  run: (context: Context, ...inputs: unknown[]) => unknown;
  view: (value: unknown, options: unknown) => View;
  data: (value: unknown) => unknown;
  raw: (options: unknown) => boolean;
  verbatim: (options: unknown) => boolean;
  exit: (value: unknown, options: unknown) => ExitName | number;
  empty: string | undefined;
  json: Record<string, string>;
  passesThrough: boolean;
  details: string[];
  examples: string[];
}

export function defineCommand<Value, Inputs extends unknown[] = [], Options extends OptionValues = OptionValues>(
  parts: CommandParts<Inputs, Options, Value>,
): Command {
  return {
    configure: (command) => void parts.configure?.(command),
    run: parts.run as Command['run'],
    view: parts.view as Command['view'],
    data: (parts.data as Command['data']) ?? ((value) => value),
    raw: (parts.raw as Command['raw']) ?? (() => false),
    verbatim: (parts.verbatim as Command['verbatim']) ?? (parts.raw as Command['raw']) ?? (() => false),
    exit: (parts.exit as Command['exit']) ?? (() => 'ok'),
    empty: parts.empty,
    json: parts.json ?? {},
    passesThrough: parts.passesThrough ?? false,
    details: parts.details ?? [],
    examples: parts.examples ?? [],
  };
}
