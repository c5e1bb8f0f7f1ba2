/** Collects the files of an app. `files/patterns.ts` has the rules of include and exclude, `files/walk.ts` the walk. */

import { existsSync } from 'node:fs';
import { posix, resolve } from 'node:path';
import { gantryCommand, sentence } from '../kernel/command-line.ts';
import { type Problem, ProjectError } from '../kernel/errors.ts';
import { byUnits } from '../kernel/packed-list.ts';
import { overLimit, size as sizeText } from '../kernel/sizes.ts';
import { type CollectOptions, exclusionReason, type FileEntry } from './files/entry.ts';
import { excludeLine, type Include, parseExcludes, parseIncludes } from './files/patterns.ts';
import { secretsWarning } from './files/secrets.ts';
import { walkFolder } from './files/walk.ts';

export interface CollectedFiles {
  /** Ordered by the UTF-8 bytes of their paths, independent of the locale. */
  entries: FileEntry[];
  warnings: Problem[];
}

/** The defaults for lists that are not in `cerebrium.toml` (docs/platform.md#app-configuration). */
export const defaultInclude: readonly string[] = ['./*', 'main.py', 'cerebrium.toml'];
export const defaultExclude: readonly string[] = ['.*'];

/** Throws ProjectError with all problems: links out of the app folder, unreadable files, or no files at all. */
export async function collectFiles(root: string, options: CollectOptions): Promise<CollectedFiles> {
  const include = parseIncludes(options.include);
  const exclude = parseExcludes(options.exclude);
  const walked = await walkFolder(root, { ...options, includes: include.patterns, excludes: exclude.patterns });
  const warnings = [
    ...include.problems,
    ...exclude.problems,
    ...include.patterns
      .filter((each) => !walked.used.has(each) && isReported(each, include.patterns))
      .map((each) => matchesNothing(each, root, options)),
    ...walked.warnings,
  ];

  const [error, another] = walked.errors;
  const headline = another ? `${walked.errors.length} files cannot be sent` : error?.message;
  if (headline !== undefined) throw new ProjectError(headline, [...walked.errors, ...warnings]);
  if (walked.used.size === 0) throw noFilesError(options, warnings);

  const entries = walked.entries.sort(pathOrder(walked.entries));
  const paths = entries.map((entry) => entry.path);
  return { entries, warnings: [...warnings, ...secretsWarning(paths, options.exclude)] };
}

/** Default patterns need not match if another pattern includes everything: a server app may have no `main.py`. */
const isReported = (pattern: Include, among: Include[]) =>
  !(defaultInclude.includes(pattern.text) && among.some((each) => each.everything));

function matchesNothing(pattern: Include, root: string, { exclude }: CollectOptions): Problem {
  const problem = { severity: 'warning' as const, message: `include pattern "${pattern.text}" matches nothing` };
  if (!pattern.everything && existsSync(resolve(root, pattern.text))) {
    return {
      ...problem,
      why: exclusionReason(posix.normalize(pattern.text).replace(/\/$/, ''), exclude).why,
      fix: 'remove one of the two: an excluded file is not sent, whatever includes it',
    };
  }
  return {
    ...problem,
    why: pattern.everything ? 'all files are excluded' : 'no such file in the app folder, or it is excluded',
    fix: 'correct or remove it; use "**/name" for a name in any folder, "name/" for a folder',
  };
}

function noFilesError(options: CollectOptions, warnings: Problem[]): ProjectError {
  const message = 'no files to send: include and exclude leave none';
  const why = `include = ${JSON.stringify(options.include)}, exclude = ${JSON.stringify(options.exclude)}`;
  const fix = `include = ${JSON.stringify(defaultInclude)}`;
  return new ProjectError(message, [{ severity: 'error', message, why, fix }, ...warnings]);
}

/** Compares by UTF-8 bytes. UTF-16 order is the same without surrogates, and much faster. */
export function pathOrder(entries: readonly { path: string }[]): (a: { path: string }, b: { path: string }) => number {
  if (entries.some((entry) => /[\ud800-\udfff]/.test(entry.path))) {
    return (a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path));
  }
  return (a, b) => byUnits(a.path, b.path);
}

export const totalBytes = (entries: readonly FileEntry[]): number =>
  entries.reduce((sum, entry) => sum + entry.size, 0);

/** Starting a thread takes 30 ms; a smaller app is compressed by then. */
export const smallAppBytes = 2 ** 20;
const manyFiles = 1000;

/** Whether it is read by the time a cache is open. */
export const isSmallApp = (entries: readonly FileEntry[]): boolean =>
  totalBytes(entries) < smallAppBytes && entries.length < manyFiles;

export function largestFiles(entries: readonly FileEntry[], count = 10): FileEntry[] {
  return entries.toSorted((a, b) => b.size - a.size).slice(0, count);
}

/** The largest files, so many that the others fit a limit. `bytes`: what all of them take. */
export function filesOver(entries: readonly FileEntry[], bytes: number, limit: number): FileEntry[] {
  let rest = bytes;
  return largestFiles(entries).filter(({ size }) => {
    const isOver = rest > limit;
    rest -= size;
    return isOver;
  });
}

const gibibyte = 2 ** 30;

/** docs/platform.md#uploads: throws ProjectError over 2 GiB, returns a warning over 1 GiB. */
export function checkLimits(entries: readonly FileEntry[], exclude: readonly string[]): Problem[] {
  const bytes = totalBytes(entries);
  if (bytes <= gibibyte) return [];

  const isOver = bytes > 2 * gibibyte;
  const largest = largestFiles(entries);
  const lines = largest.map((entry) => `${sizeText(entry.size).padStart(11)}  ${entry.path}`);
  const [total, limit] = overLimit(bytes, 2 * gibibyte);
  const paths = filesOver(entries, bytes, gibibyte).map(({ path }) => path);
  const problem: Problem = {
    severity: isOver ? 'error' : 'warning',
    message: `the files total ${total}, ${isOver ? 'over' : 'close to'} the limit of ${limit}`,
    why: ['largest files:', ...lines].join('\n'),
    fix: sentence`${excludeLine(exclude, paths)}, and copy models and data to a volume: ${gantryCommand`cp`}`,
  };
  if (!isOver) return [problem];
  const details = { bytes, largest: largest.map(({ path, size }) => ({ path, size })) };
  throw new ProjectError(problem.message, [problem], { details });
}
