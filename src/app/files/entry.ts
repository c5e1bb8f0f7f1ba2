import type { Stats } from 'node:fs';
import { exclusionOf } from './patterns.ts';

export type FileStats = Pick<Stats, 'dev' | 'ino' | 'size' | 'mtimeMs' | 'ctimeMs'>;

/** Why a file is sent or not. `by` is a pattern, a line of a `.gitignore` or `.dockerignore`, or a section of the config file. */
export type FileReason =
  | { kind: 'included' | 'excluded' | 'gitignored' | 'dockerignored' | 'generated'; by: string }
  | { kind: 'required' | 'not-included' | 'never-sent' | 'environment' | 'temporary' | 'output' }
  | { kind: 'unsupported' | 'replaced' };

/** A file or folder that is not sent; the path of a folder ends with a slash. */
export interface SkippedFile {
  path: string;
  reason: FileReason;
}

export interface FileEntry {
  /** Relative to the root, with forward slashes. */
  path: string;
  size: number;
  executable: boolean;
  source: { file: string } | { text: string };
  stats?: FileStats;
  reason?: FileReason;
}

export interface CollectOptions {
  include: readonly string[];
  exclude: readonly string[];
  /** Files to send whatever the patterns say, relative to the root: the config file, a Dockerfile, dependency files. */
  always?: readonly string[];
  /** Whether a file of this name is a temporary file of ours, which is never sent. */
  isTemporary?: (name: string) => boolean;
  /** Files that this command writes, or wrote before: absolute paths. They are never sent. */
  outputs?: readonly string[];
  /** The rules of `.gitignore` files and of a `.dockerignore`, where they apply. */
  ignored?: { gitignored?: IgnoreRules | undefined; dockerignored?: IgnoreRules | undefined };
  onSkipped?: ((skipped: SkippedFile) => void) | undefined;
  signal?: AbortSignal;
}

export interface IgnoreRules {
  /** The line that ignores a path, such as `.gitignore:3 *.log`; undefined if it is not ignored. */
  lineFor(path: string, isFolder: boolean): string | undefined;
}

/** Why an existing file is not sent: the exclude pattern, or that no include pattern matches. */
export function exclusionReason(path: string, exclude: readonly string[]): { why: string; pattern?: string } {
  const exclusion = exclusionOf(path, exclude);
  if (!exclusion) return { why: 'no include pattern matches it, or it is in a virtual environment' };
  const { part, by: pattern } = exclusion;
  if (pattern === undefined) return { why: `${part} is excluded unless an include pattern names it` };
  return { why: `exclude pattern "${pattern}" matches ${part}`, pattern };
}
