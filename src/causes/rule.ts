import type { AppConfig } from '../app/config.ts';
import type { Explanation } from './explanation.ts';
import { groupsOf } from './groups.ts';

/** What the named groups of a sign captured. */
export type Captured = Readonly<Record<string, string>>;

/**
 * A known cause of failures. Rules are data: what a line of the log looks like, and what is said about it. In texts,
 * `{name}` stands for what the group `name` of the sign has captured.
 */
export interface FailureRule {
  /** Programs compare it: it never changes its meaning. */
  cause: string;
  /** What is said where files show the cause, if its first rule says another thing. */
  inFiles?: true;
  /** Lines that show the cause; none if only the files show it. A pattern must take linear time for any line. */
  signs: readonly RegExp[];
  /** A cause has a higher rank than what follows from it: a missing header than a wheel that is not built. 4 by default. */
  rank?: number;
  /** What one of the lines before must match. */
  after?: RegExp;
  /** Only in the log of a build, or of a run. */
  only?: 'build' | 'run';
  /** A later line that shows that the work went on: what happened before it was not fatal. */
  undoneBy?: RegExp;
  /** Whether it applies to what was captured, and to the lines before it. */
  applies?: (captured: Captured, facts: FailureFacts, before: () => readonly string[]) => boolean;
  title: string;
  fix: string;
  /** The setting to change, such as `dependencies.pip.{package}`; the nearest section around it if it is not set. */
  at?: string;
  /** The instruction of a Dockerfile to change, if it is not the one that failed. */
  step?: string;
  /** The command that helps, without `gantry`. */
  next?: readonly string[];
}

/**
 * Signs that are texts, between semicolons, each captured under a name if one is given. In a text, `{name}` is a word that
 * is captured, `{name…}` the rest of the line, `…` is what differs, and `^` its start of the line.
 */
export const texts = (list: string, name?: string): RegExp[] =>
  list
    .trim()
    .split(/;\s+/)
    .map((text) => {
      const start = text.startsWith('^') ? '^' : '';
      const parts = text.slice(start.length).split(/(\{\w+…?\}|…)/);
      const source = parts.map((part, at) => sourceOf(part, parts.slice(at + 1).join('') === '')).join('');
      return new RegExp(start + (name ? `(?<${name}>${source})` : source));
    });

const placeholder = /\{\w+…?\}|…/;

/** What is captured ends where the text goes on, or with its word. */
function sourceOf(part: string, isLast: boolean): string {
  if (part === '…') return '.{0,160}?';
  const name = part.replace(/\W/g, '');
  if (!placeholder.test(part)) return part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  if (part.endsWith('…}')) return `(?<${name}>.{1,160}${isLast ? '' : '?'})`;
  // The last one ends before punctuation.
  return isLast ? `(?<${name}>[^\\s'"\`]{0,160}[^\\s'"\`.,;:()])` : `(?<${name}>[^\\s'"\`]{1,160}?)`;
}

/**
 * Rules of a table: each line has a cause, the texts that show it or `none`, the title, the fix, and the setting if one is to be
 * changed, between ` | `. A number before the cause is its rank. In the title, `{said}` is the text that was found.
 */
export function messageRows(rows: string): FailureRule[] {
  return rows
    .trim()
    .split('\n')
    .map((row) => {
      const [head = '', list = '', title = '', fix = '', at] = row.trim().split(' | ');
      const [, rank, cause = ''] = groupsOf(/^(?:(\d) )?(\S+)$/, head);
      const rest = { ...(rank !== undefined && { rank: Number(rank) }), ...(at !== undefined && { at }) };
      const signs = list === 'none' ? [] : texts(list, title.includes('{said}') ? 'said' : undefined);
      return { cause, signs, title, fix, ...rest };
    });
}

/** What is known about a failure besides its log. */
export interface FailureFacts {
  /** Undefined for a log of unknown origin. */
  source?: 'build' | 'run' | undefined;
  /** The app as it was when the log was read; undefined if it is not at hand. */
  config?: AppConfig | undefined;
  /** Why the platform says that it failed. */
  reason?: string | undefined;
  status?: string | undefined;
  exitCode?: number | undefined;
  /** The HTTP status of a call. */
  statusCode?: number | undefined;
  /** Whether a file of the app folder exists; the disk by default. */
  exists?: ((path: string) => boolean) | undefined;
}

/** A more precise cause than that of a rule; undefined if it does not apply. `before` are the lines above the evidence. */
export type Refinement = (
  found: Explanation,
  captured: Captured,
  facts: FailureFacts,
  before: readonly string[],
) => Explanation | undefined;
