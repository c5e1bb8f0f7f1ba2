import type { OpenUpload, SentPart } from './send-file.ts';

/** One line of a journal. `file` is the path within the copy, `mark` tells whether a file is still the same. */
export type Line =
  | { is: 'begun'; file: string; mark: string; partBytes: number; upload: OpenUpload }
  | { is: 'part'; file: string; part: SentPart }
  | { is: 'receiving'; file: string; mark: string; partBytes: number; etag: string }
  | { is: 'range'; file: string; number: number }
  /**
   * An upload that the platform confirmed: whether the file is there is looked up before that is believed. `since`: when
   * the upload began, by the storage's clock; `at`: when it ended, by this machine's. Both in milliseconds since 1970.
   */
  | { is: 'sent'; file: string; mark: string; since: number; at: number }
  /** `at`: when, in milliseconds of this machine's clock. */
  | { is: 'done'; file: string; mark: string; at: number };

/** What is known of a file that an earlier try has begun. */
export interface Saved {
  mark: string;
  /** When it was done, if it is: milliseconds since 1970. */
  doneAt?: number;
  /** When its upload began and ended, if the platform confirmed it. */
  sent?: { since: number; at: number };
  partBytes?: number;
  upload?: OpenUpload;
  parts: SentPart[];
  etag?: string;
  ranges: number[];
}

/** A later beginning makes the earlier one of the same file void. A line that a crash has cut short counts for nothing. */
export function readLines(text: string): Map<string, Saved> {
  const saved = new Map<string, Saved>();
  for (const row of text.split('\n')) {
    const line = parsed(row);
    if (line) apply(line, saved);
  }
  return saved;
}

function parsed(row: string): Line | undefined {
  if (row === '') return undefined;
  try {
    return JSON.parse(row) as Line;
  } catch {
    return undefined;
  }
}

function apply(line: Line, saved: Map<string, Saved>): void {
  const known = saved.get(line.file);
  if (line.is === 'part') known?.parts.push(line.part);
  else if (line.is === 'range') known?.ranges.push(line.number);
  else if (line.is === 'begun' || line.is === 'receiving') {
    const { mark, partBytes } = line;
    const begun = line.is === 'begun' ? { upload: line.upload } : { etag: line.etag };
    saved.set(line.file, { mark, partBytes, ...begun, parts: [], ranges: [] });
  } else if (line.is === 'sent') {
    const { mark, since, at } = line;
    saved.set(line.file, { mark, sent: { since, at }, parts: [], ranges: [] });
  } else if (line.is === 'done') {
    saved.set(line.file, { mark: line.mark, doneAt: line.at, parts: [], ranges: [] });
  }
}
