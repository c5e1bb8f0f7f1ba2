import type { Problem } from '../../errors.ts';

/** Where something is in the document: names of tables and keys, positions in lists. */
export type TomlPath = readonly (string | number)[];

/** Words that may quote what the user wrote, verbatim: `3.10` is not the number 3.1 that was read from it. */
export type IssueText = string | ((written: string) => string | undefined);

/** Something wrong at a path of the document. `places.ts` makes a problem of it, with line and column. */
export interface ConfigIssue extends Omit<Problem, 'place' | 'why' | 'fix'> {
  /** Absent: what is wrong is not in the file. A path that is not there means the nearest table around it. */
  at?: TomlPath;
  /** Which part to point at; the value unless told. */
  part?: 'key' | 'value';
  why?: IssueText | undefined;
  fix?: IssueText | undefined;
}

type Details = Pick<ConfigIssue, 'why' | 'fix' | 'part'>;

/** Something that stops a deploy. `at` is a path, or a dotted one below `cerebrium`. */
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
