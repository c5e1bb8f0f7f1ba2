import type { ChangeCommand } from '../command-line.ts';
import { type Environment, readVariable } from '../environment.ts';
import { KnownSecrets } from './known-secrets.ts';
import { type Style, style } from './style.ts';

/** What a view may know about the stream it is written to. It affects the form of the text, not its content. */
export interface Page {
  style: Style;
  colored: boolean;
  columns: number;
  rows: number;
  terminal: boolean;
  /** Whether lines may be redrawn: on a terminal, unless `TERM=dumb`. */
  animated: boolean;
  /** Whether a screen reader reads it: no animation, no drawing, and tables as lists. */
  accessible: boolean;
  unicode: boolean;
  /** Whether a GitHub runner reads the output: it obeys workflow commands in it. */
  githubActions: boolean;
  /** In ms since the epoch, for ages. */
  now: number;
  secrets: KnownSecrets;
  /** Makes a command that is shown work where it is read. */
  inPlace: ChangeCommand;
}

export type View = (page: Page) => string;

/** A view whose text may be too long to be handled at once. Off a terminal its parts are written, whole lines each. */
export interface LongView {
  (page: Page): string;
  parts: (page: Page) => Iterable<string>;
}

export type ColorChoice = 'always' | 'never' | 'auto';

export interface Stream extends NodeJS.WritableStream {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  rows?: number | undefined;
  cork?(): void;
  uncork?(): void;
}

/** A terminal that does not tell its size reports 0 columns. */
function sizeOf({ columns, rows }: Pick<Stream, 'columns' | 'rows'>, terminal: boolean) {
  if (!terminal) return { columns: Number.POSITIVE_INFINITY, rows: Number.POSITIVE_INFINITY };
  return { columns: columns || 80, rows: rows || 24 };
}

export function createPage(
  stream: Pick<Stream, 'isTTY' | 'columns' | 'rows'>,
  env: Environment,
  color: ColorChoice,
  now: number,
  secrets = new KnownSecrets(),
): Page {
  const terminal = stream.isTTY === true;
  const accessible = readVariable(env, 'GANTRY_ACCESSIBLE') === '1';
  const colored = wantsColor(terminal, env, color);
  return {
    style: style(colored),
    colored,
    githubActions: readVariable(env, 'GITHUB_ACTIONS') === 'true',
    ...sizeOf(stream, terminal),
    terminal,
    // Terminals of unknown size report 0 columns: an animation would redraw endlessly.
    animated: terminal && !accessible && stream.columns !== 0 && readVariable(env, 'TERM') !== 'dumb',
    accessible,
    unicode: !accessible && showsSymbols(env),
    now,
    secrets,
    inPlace: (command) => command,
  };
}

/** In this order: `--color`, NO_COLOR, FORCE_COLOR, TERM=dumb, whether it is a terminal. */
export function wantsColor(terminal: boolean, env: Environment, color: ColorChoice): boolean {
  if (color !== 'auto') return color === 'always';
  if (readVariable(env, 'NO_COLOR')) return false;
  const forced = readVariable(env, 'FORCE_COLOR');
  if (forced) return forced !== '0';
  return terminal && readVariable(env, 'TERM') !== 'dumb';
}

function showsSymbols(env: Environment): boolean {
  const locale = readVariable(env, 'LC_ALL') ?? readVariable(env, 'LC_CTYPE') ?? readVariable(env, 'LANG');
  return locale === undefined || /utf-?8/i.test(locale);
}
