import { posix } from 'node:path';
import type { Context } from '../../context.ts';
import { toPathSegment } from '../../contract/endpoint.ts';
import type { CopyOptions, CopyTarget, FoundFile } from '../copy/index.ts';
import type { ListedEntry, VolumePath } from '../volumes/index.ts';
import { contextUntil, noStep } from '../waiting/index.ts';

/** Nothing is shown, and nothing of it can be resumed: what is missing is copied the next time. */
const options: CopyOptions = {
  include: [],
  exclude: [],
  follow: false,
  clobber: true,
  update: false,
  renameClashes: false,
  dryRun: false,
  check: true,
  verify: false,
  resume: false,
  keepJournal: false,
  concurrency: undefined,
  partSize: undefined,
  limitRate: undefined,
};

// Most commands share nothing: what works with volumes is loaded by those that do.

/** Copies files as `gantry cp` does, without a word. Returns why each of them that failed did. */
export async function copyQuietly(
  context: Context,
  files: readonly FoundFile[],
  folder: CopyTarget['folder'],
): Promise<Map<string, string>> {
  const { copyFiles } = await import('../copy/index.ts');
  const find = async function* () {
    yield* files;
  };
  const target = { folder, name: undefined };
  const { failed } = await copyFiles(context, { from: [], to: '', find, target, isSingleFile: false }, options);
  return new Map(failed.map(({ path, reason }) => [path, reason]));
}

export async function listQuietly(context: Context, folder: VolumePath): Promise<ListedEntry[]> {
  const { listIfExists } = await import('../volumes/index.ts');
  return listIfExists(context, folder);
}

/** Throws the first failure. */
export async function deleteQuietly(context: Context, paths: readonly VolumePath[]): Promise<void> {
  const { deletePaths } = await import('../volumes/index.ts');
  for (const { error } of await deletePaths(context, paths)) if (error) throw error;
}

/** A context that shows nothing, and whose requests and pauses end with a signal. */
export function quietly(context: Context, signal: AbortSignal): Context {
  const apiWithSignal: Context['apiWithSignal'] = (until, _, send) => context.apiWithSignal(until, () => {}, send);
  const progress = { ...context.progress, step: () => noStep, note() {}, warn() {}, event() {} };
  const quiet = { apiWithSignal, api: apiWithSignal(signal), onRetry: () => {}, interruption: {}, progress };
  return contextUntil(context, signal, quiet);
}

/** An app's name as the name of a folder. */
export function folderName(app: string): string {
  const name = toPathSegment(app, 'app');
  return posix.basename(name) === name && !name.startsWith('.') ? name : `_${name}`;
}
