/**
 * Which files of the project are sent, in what order, and whether that is sensible.
 *
 * The rules for the two lists are in `files/patterns.ts`, the walk in `files/walk.ts`.
 */

import { type Problem, ProjectError } from '../errors.ts';
import type { CollectOptions, FileEntry } from './files/entry.ts';
import { type Include, parseExcludes, parseIncludes } from './files/patterns.ts';
import { secretsWarning } from './files/secrets.ts';
import { walkFolder } from './files/walk.ts';

export interface CollectedFiles {
  /** In the order of their paths' UTF-8 bytes: the same in every locale. */
  entries: FileEntry[];
  /** Sum of all sizes. */
  bytes: number;
  warnings: Problem[];
}

/**
 * The lists when `cerebrium.toml` does not set them (docs/platform.md#app-configuration). An empty list is not the
 * default.
 */
export const defaultInclude: readonly string[] = ['./*', 'main.py', 'cerebrium.toml'];
export const defaultExclude: readonly string[] = ['.*'];

/** Throws a ProjectError with everything that is in the way: links out of the root, unreadable files, or nothing found. */
export async function collectFiles(root: string, options: CollectOptions): Promise<CollectedFiles> {
  const include = parseIncludes(options.include);
  const exclude = parseExcludes(options.exclude);
  const found = await walkFolder(root, { ...options, includes: include.patterns, excludes: exclude.patterns });
  const warnings = [
    ...include.problems,
    ...exclude.problems,
    ...include.patterns.filter((each) => !found.used.has(each) && missed(each, include.patterns)).map(matchesNothing),
    ...found.warnings,
  ];

  if (found.errors.length > 0) throw new ProjectError(headline(found.errors), [...found.errors, ...warnings]);
  if (found.used.size === 0) throw nothingFound(options, warnings);

  const entries = found.entries.sort(pathOrder(found.entries));
  return {
    entries,
    bytes: totalBytes(entries),
    warnings: [...warnings, ...secretsWarning(entries.map((entry) => entry.path))],
  };
}

/** The template's own names are no one's wish, as long as everything is included: a server app has no `main.py`. */
const missed = (pattern: Include, among: Include[]) =>
  !(defaultInclude.includes(pattern.text) && among.some((each) => each.everything));

const matchesNothing = (pattern: Include): Problem => ({
  severity: 'warning',
  message: `include pattern "${pattern.text}" matches nothing`,
  why: pattern.everything ? 'all is excluded' : 'no such file in the folder of cerebrium.toml, or it is excluded',
  fix: 'correct or remove it; a name in every folder is "**/name", a whole folder "name/"',
});

const headline = (errors: Problem[]) =>
  errors.length === 1 && errors[0] ? errors[0].message : `${errors.length} files cannot be sent`;

function nothingFound(options: CollectOptions, warnings: Problem[]): ProjectError {
  const message = 'there is nothing to send: no file is left after include and exclude';
  const why = `include = ${JSON.stringify(options.include)}, exclude = ${JSON.stringify(options.exclude)}`;
  const fix = `include = ${JSON.stringify(defaultInclude)}`;
  return new ProjectError(message, [{ severity: 'error', message, why, fix }, ...warnings], { why, fix });
}

/** UTF-16 order is UTF-8 order unless surrogates are involved, and much cheaper. */
export function pathOrder(entries: readonly { path: string }[]): (a: { path: string }, b: { path: string }) => number {
  if (entries.some((entry) => /[\ud800-\udfff]/.test(entry.path))) {
    return (a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path));
  }
  return (a, b) => (a.path < b.path ? -1 : Number(a.path > b.path));
}

export const totalBytes = (entries: readonly FileEntry[]): number =>
  entries.reduce((sum, entry) => sum + entry.size, 0);

/** The biggest files, biggest first. */
export function largestFiles(entries: readonly FileEntry[], count = 10): FileEntry[] {
  return entries.toSorted((a, b) => b.size - a.size).slice(0, count);
}

const gibibyte = 2 ** 30;

/**
 * Checks the archive's size (docs/platform.md#uploads): a ProjectError over 2 GiB, a warning over 1 GiB. Both name the
 * largest files.
 */
export function checkLimits(entries: readonly FileEntry[]): Problem[] {
  const bytes = totalBytes(entries);
  if (bytes <= gibibyte) return [];

  const biggest = largestFiles(entries);
  const problem: Problem = {
    severity: bytes > 2 * gibibyte ? 'error' : 'warning',
    message: `the files come to ${gibibytes(bytes)}, ${bytes > 2 * gibibyte ? 'more than the 2 GiB an app may have' : 'close to the limit of 2 GiB'}`,
    why: ['the largest are', ...biggest.map((entry) => `${gibibytes(entry.size).padStart(11)}  ${entry.path}`)].join(
      '\n',
    ),
    fix: `exclude = [${biggest
      .slice(0, 3)
      .map((entry) => JSON.stringify(`./${entry.path}`))
      .join(', ')}], and put models and data on the volume with gantry cp`,
  };
  if (problem.severity === 'warning') return [problem];
  const { why, fix, message } = problem;
  const details = { bytes, largest: biggest.map(({ path, size }) => ({ path, size })) };
  throw new ProjectError(message, [problem], { ...(why && { why }), ...(fix && { fix }), details });
}

/** As much precision as a reader can use: `1.4 GiB`, `312 MiB`, `4 KiB`. */
function gibibytes(bytes: number): string {
  const unit = bytes >= gibibyte ? 3 : bytes >= 2 ** 20 ? 2 : 1;
  const value = bytes / 1024 ** unit;
  return `${unit === 3 ? value.toFixed(2) : Math.ceil(value)} ${['B', 'KiB', 'MiB', 'GiB'][unit]}`;
}
