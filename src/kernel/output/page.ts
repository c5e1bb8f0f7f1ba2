import type { ChangeCommand } from '../command-line.ts';
import { type Environment, isCi, readVariable, type Variable } from '../environment.ts';
import { KnownSecrets } from './known-secrets.ts';
import { type Style, style } from './style.ts';

/** What a view may know about the stream it is written to. It affects the form of the text, not its content. */
export interface Page {
  style: Style;
  colored: boolean;
  /** Width in columns; infinite if not a terminal. */
  columns: number;
  /** Height in lines; infinite if not a terminal. */
  rows: number;
  terminal: boolean;
  /** Whether lines may be redrawn: on a terminal, unless `TERM=dumb`. */
  animated: boolean;
  /** Whether a screen reader reads it: no animation, no drawing, and tables as lists. */
  accessible: boolean;
  links: boolean;
  /** Whether symbols beyond ASCII can be shown. */
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
    links: terminal && colored && showsLinks(env),
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

/** Terminals that know OSC 8. Others would print its escape sequence, or nothing at all. */
function showsLinks(env: Environment): boolean {
  const forced = readVariable(env, 'FORCE_HYPERLINK');
  if (forced) return forced !== '0';
  if (isCi(env)) return false;
  return linking.some(([variable, known]) => known.test(readVariable(env, variable) ?? ''));
}

const linking: [Variable, RegExp][] = [
  ['TERM_PROGRAM', /^(iTerm\.app|WezTerm|vscode|ghostty|Hyper|Tabby|WarpTerminal)$/],
  ['TERM', /^(xterm-kitty|xterm-ghostty|alacritty|foot)/],
  ['VTE_VERSION', /^([5-9]\d|\d{3})\d\d/],
  ['WT_SESSION', /./],
];

function showsSymbols(env: Environment): boolean {
  const locale = readVariable(env, 'LC_ALL') ?? readVariable(env, 'LC_CTYPE') ?? readVariable(env, 'LANG');
  return locale === undefined || /utf-?8/i.test(locale);
}

/** A URL, up to what usually follows one in a sentence. Quotes, brackets and control characters are never part of it. */
const url =
  /https?:\/\/[^\s"'<>`{}|\\^\u0000-\u001f\u007f-\u009f]*[^\s"'<>`{}|\\^\u0000-\u001f\u007f-\u009f.,;:!?)\]…]/g;

/** The text with its URLs as links (OSC 8), if the terminal shows them. Call it last: sanitizing removes links. */
export function withLinks(text: string, { links }: Pick<Page, 'links'>): string {
  if (!links || !text.includes('://')) return text;
  return text.replace(url, (address) => `\u001b]8;;${address}\u001b\\${address}\u001b]8;;\u001b\\`);
}
