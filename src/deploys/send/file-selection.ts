import type { FileEntry, FileReason, SkippedFile } from '../../app/files/entry.ts';
import type { LocalApp } from './local-app.ts';

/** A file that is sent, or a file or folder that is not, and why. */
export interface FileDecision {
  /** The path of a folder ends with a slash. */
  path: string;
  sent: boolean;
  /** Null for what is not sent. */
  bytes: number | null;
  reason: FileReason['kind'];
  /** The pattern, the line of a `.gitignore`, or the section of the config file that decided; null for rules of gantry. */
  by: string | null;
}

/** Every file that is sent and everything that is not, ordered by path. */
export function fileDecisions({ entries, skipped }: Pick<LocalApp, 'entries' | 'skipped'>): FileDecision[] {
  const sent = new Set(entries.map(({ path }) => path));
  // The config file is sent even if the patterns skip it.
  const notSent = skipped.filter(({ path, reason }) => reason.kind === 'replaced' || !sent.has(path));
  return [...entries.map(sentFile), ...notSent.map(skippedFile)].sort(byPath);
}

const byPath = (a: FileDecision, b: FileDecision) => Number(a.path > b.path) - Number(a.path < b.path);

const sentFile = ({ path, size, reason = { kind: 'required' } }: FileEntry): FileDecision => ({
  path,
  sent: true,
  bytes: size,
  ...reasonFields(reason),
});

const skippedFile = ({ path, reason }: SkippedFile): FileDecision => ({
  path,
  sent: false,
  bytes: null,
  ...reasonFields(reason),
});

const reasonFields = (reason: FileReason) => ({ reason: reason.kind, by: 'by' in reason ? reason.by : null });
