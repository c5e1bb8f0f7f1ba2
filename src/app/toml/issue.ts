import type { CommandLine, Sentence } from '../../kernel/command-line.ts';
import type { Problem } from '../../kernel/errors.ts';

/** Names of tables and keys, and indexes of lists, from the root of the document. */
export type TomlPath = readonly (string | number)[];

/** A text, or a function of the value as written: `3.10` was parsed as 3.1. */
export type IssueText = string | ((written: string) => string | undefined);

/** Something wrong at a path of the document. `locate.ts` turns it into a problem with line and column. */
export interface ConfigIssue extends Omit<Problem, 'location' | 'why' | 'fix'> {
  /** Absent if the problem is not in the file. A path that is not in the file means the nearest table around it. */
  at?: TomlPath;
  /** The part to mark; the value by default. */
  part?: 'key' | 'value';
  why?: IssueText | undefined;
  fix?: IssueText | CommandLine | Sentence | undefined;
  /** The dotted names of keys that are absent: the issue is not reported if another one supplies one of them. */
  missing?: readonly string[];
  /** The dotted names of the keys that the fix would set. */
  supplies?: readonly string[] | undefined;
  /** Whether the value may be a secret: the line is shown up to it. */
  hidesValue?: boolean;
}

type Details = Pick<ConfigIssue, 'why' | 'fix' | 'part' | 'missing' | 'supplies' | 'hidesValue'>;

/** An issue that stops a deploy. `at` is a path, or a dotted path below `cerebrium`. */
export function errorAt(at: TomlPath | string | undefined, message: string, details: Details = {}): ConfigIssue {
  return issueAt('error', at, message, details);
}

export function warningAt(at: TomlPath | string | undefined, message: string, details: Details = {}): ConfigIssue {
  return issueAt('warning', at, message, details);
}

function issueAt(severity: Problem['severity'], at: TomlPath | string | undefined, message: string, details: Details) {
  const path = typeof at === 'string' ? ['cerebrium', ...at.split('.')] : at;
  return { severity, message, ...details, ...(path && { at: path }) };
}
