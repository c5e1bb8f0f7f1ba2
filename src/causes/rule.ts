import type { AppConfig } from '../app/config.ts';
import type { Explanation } from './explanation.ts';

/** What the named groups of a sign captured. */
export type Captured = Readonly<Record<string, string>>;

/**
 * A known cause of failures. Rules are data: what a line of the log looks like, and what is said about it. In texts,
 * `{name}` stands for what the group `name` of the sign has captured.
 */
export interface FailureRule {
  /** Programs compare it: it never changes its meaning. */
  cause: string;
  /** Of the first rule of a cause: whether `check` and `deploy` see it in the files of the app, too. */
  inFiles?: true;
  /**
   * Lines that show the cause, by a text that each such line contains: most rules are settled by one search of the log. None
   * if only the files show it.
   * A pattern must take linear time for any line.
   */
  signs: Readonly<Record<string, RegExp>>;
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

/** Signs that are texts, between semicolons: each is shown by a line that has it, and captured under a name if one is given. */
export function texts(list: string, name?: string): Record<string, RegExp> {
  const signOf = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return Object.fromEntries(
    list
      .trim()
      .split(/;\s+/)
      .map((text) => [text, new RegExp(name ? `(?<${name}>${signOf(text)})` : signOf(text))]),
  );
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
