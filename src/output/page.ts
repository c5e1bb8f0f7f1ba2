import { type Environment, readVariable } from '../config/environment.ts';
import { KnownSecrets } from './known-secrets.ts';
import { type Style, style } from './style.ts';

/** What a view may know about its output. It never knows more, because the content must not depend on it. */
export interface Page {
  style: Style;
  colored: boolean;
  /** Width in columns; endless when it is not a terminal, so that nothing is cut in a pipe. */
  columns: number;
  terminal: boolean;
  /** Whether lines may be drawn over again: on a terminal that can (`TERM=dumb` cannot). */
  animated: boolean;
  /** Whether symbols beyond ASCII can be shown. */
  unicode: boolean;
  /** Whether a GitHub runner reads along and obeys what looks like a command. */
  githubActions: boolean;
  /** Milliseconds since the epoch, for ages. */
  now: number;
  /** What must not be shown on it. */
  secrets: KnownSecrets;
}

/** How a value reads. A view is made without knowing the page and read once it is known. */
export type View = (page: Page) => string;

export type ColorChoice = 'always' | 'never' | 'auto';

export interface Stream extends NodeJS.WritableStream {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
}

export function createPage(
  stream: Stream,
  env: Environment,
  color: ColorChoice,
  now: number,
  secrets = new KnownSecrets(),
): Page {
  const terminal = stream.isTTY === true;
  const colored = wantsColor(terminal, env, color);
  return {
    style: style(colored),
    colored,
    githubActions: readVariable(env, 'GITHUB_ACTIONS') === 'true',
    // A terminal that nobody has told its size says 0: an animation would never be done drawing that.
    columns: terminal ? stream.columns || 80 : Number.POSITIVE_INFINITY,
    terminal,
    animated: terminal && stream.columns !== 0 && readVariable(env, 'TERM') !== 'dumb',
    unicode: showsSymbols(env),
    now,
    secrets,
  };
}

/** `--color`, then NO_COLOR, FORCE_COLOR, TERM=dumb, then whether it is a terminal. */
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
