import type { Command as Commander, OptionValues } from '@commander-js/extra-typings';
import type { Context } from './context.ts';
import type { ExitName } from './errors.ts';
import type { View } from './output/page.ts';

/** A command is three small things: what it takes, what it does, how its answer reads. */
interface CommandParts<Inputs extends unknown[], Options extends OptionValues, Value> {
  /** Its arguments and flags, in commander's own words. */
  configure?: (command: Commander) => Commander<Inputs, Options>;
  /** Its work. Returns a plain value, or an async iterable of values; prints nothing. */
  run: (context: Context, ...inputs: [...Inputs, Options]) => Value | Promise<Value>;
  /** How the value (each value of an iterable) reads. Fetches nothing. */
  view: (value: Value extends AsyncIterable<infer Item> ? Item : Value, options: Options) => View;
  /** What of the value (of each value of an iterable) is its JSON, when the view needs to know more. */
  data?: (value: Value extends AsyncIterable<infer Item> ? Item : Value) => unknown;
  /** Whether the text is written as it is, whatever is in it. */
  raw?: (options: Options) => boolean;
  /** Whether the answer is shown with the secrets in it: because it is an app's, or was asked for as it is. */
  verbatim?: (options: Options) => boolean;
  /** The exit of a command whose success has shades; the default is ok. */
  exit?: (value: Value, options: Options) => ExitName | number;
  /** What to say when the answer is an empty list. */
  empty?: string;
  /** The fields of the JSON answer and what they mean: help, reference, and the check of `--json=fields`. */
  json?: Record<string, string>;
  /** The answer is made of the platform's own objects: `--json` may name fields of theirs that we do not know. */
  passesThrough?: true;
  /** Paragraphs of its help, below the summary. */
  details?: string[];
  /** Command lines without the leading `gantry`. */
  examples?: string[];
}

/** A command as the program sees it, whatever its inputs are. */
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
