import { join } from 'node:path';
import { type LockedFile, mountedPath, weightsLockName } from '../../app/weights-lock.ts';
import { readRegularSync } from '../../kernel/disk/index.ts';
import { type GantryError, throwUnexpected } from '../../kernel/errors.ts';
import { once } from '../../kernel/once.ts';
import { fileSummary, size } from '../../kernel/output/format.ts';
import { boolean, integer, nullable, number, type ObjectOf, objects, text } from '../../kernel/shape.ts';
import { realFolder } from '../../platform/config/folders.ts';
import { updateStoredFile } from '../../platform/config/stored-files.ts';
import type { Context } from '../../platform/context.ts';
import {
  type CopySummary,
  copyFiles,
  type FailedFile,
  type FoundFile,
  failedFileFields,
  ListedFiles,
  usualCopy,
} from '../copy/index.ts';
import { formatRemotePath } from '../volumes/index.ts';
import {
  type FoundWeights,
  findWeights,
  type TypedWeights,
  type WantedWeights,
  wantedWeights,
} from './find-weights.ts';
import { hubAccess } from './hub.ts';
import { updateLock } from './lock-file.ts';
import { type FilePlan, planFiles, type SourceFile, toLocked } from './plan-files.ts';

export interface PullOptions extends TypedWeights {
  limitRate: number | undefined;
  resume: boolean;
  dryRun: boolean;
}

const pulledFields = {
  source: text('hf://ORG/NAME, or URL without its query'),
  revision: nullable(text('commit of the model; null for a URL')),
  target: text('folder on the volume'),
  mount: text('folder where apps find the weights'),
  files: integer('number of files'),
  bytes: integer('their size'),
  equal: integer('files that were on the volume already'),
  listed: integer('those of them with the size and time that weights.lock has, which were not read'),
  unread: integer('with --dry-run: files of the same size on the volume, which were not read'),
  copied: integer('number of copied files'),
  copiedBytes: integer('total size of the copied files'),
  resumedBytes: integer('bytes resumed from a previous attempt'),
};
export type PulledWeights = ObjectOf<typeof pulledFields>;

export const pullFields = {
  lock: text('file that records the weights'),
  weights: objects('what was pulled: source, revision, target, mount, and the number of files', pulledFields),
  failed: objects('path, reason and code of each failed file', {
    ...failedFileFields,
    path: text('path, or source of which nothing was copied'),
  }),
  dryRun: boolean('true for a dry run: nothing was copied'),
  durationMs: number('duration, in ms'),
};
export type PullSummary = ObjectOf<typeof pullFields>;

/** Copies what the volume lacks, and records it in `weights.lock`. Without a source, pulls what the lock has. */
export async function pullWeights(context: Context, options: PullOptions): Promise<PullSummary> {
  const started = context.elapsed();
  const results = [];
  const access = once(() => hubAccess(context));
  const failed: FailedFile[] = [];
  const all = wantedWeights(context, options);
  if (options.target === undefined) await confirmLockedTargets(context, all);
  for (const wanted of all) {
    try {
      results.push(await pullOne(context, wanted, await findWeights(context, wanted, access), options));
    } catch (error) {
      if (all.length === 1) throw error;
      throwUnexpected(error, context.signal);
      failed.push(failedSource(context, wanted, error));
    }
  }
  return {
    lock: weightsLockName,
    weights: results.map(({ pulled }) => pulled),
    failed: [...failed, ...results.flatMap((result) => result.failed)],
    dryRun: options.dryRun,
    durationMs: context.elapsed() - started,
  };
}

/** The others of the lock are pulled all the same. */
function failedSource(
  { progress }: Context,
  { source: { text } }: WantedWeights,
  { message, exit, facts: { why, fix } }: GantryError,
): FailedFile {
  progress.warn({ severity: 'warning', message: `${text} was not pulled: ${message}`, why, fix });
  return { path: text, reason: message, code: exit };
}

async function pullOne(
  context: Context,
  wanted: WantedWeights,
  weights: FoundWeights,
  options: PullOptions,
): Promise<{ pulled: PulledWeights; failed: readonly FailedFile[] }> {
  const { at, files, revision, locked } = weights;
  const target = formatRemotePath(at);
  const source = wanted.source.text;
  const place = { project: context.project, region: at.region };
  if (!options.dryRun) await rememberUsedTarget(context, target);
  const plan = await planFiles(context, files, new ListedFiles(context, at), { locked, dryRun: options.dryRun });
  context.progress.note(planText(files, plan));
  const proven = new Map<string, string>();
  const copied =
    plan.toFetch.length > 0 ? await copy(context, source, weights, plan.toFetch, proven, options) : undefined;
  const failed = copied?.failed ?? [];
  if (!options.dryRun && failed.length === 0) {
    const entries = [...plan.equal.values(), ...(await describe(context, weights, plan.toFetch, proven))];
    const { include, exclude } = wanted;
    await updateLock(context, {
      source,
      ...(revision !== undefined && { revision }),
      target,
      ...(include.length > 0 && { include: [...include] }),
      ...(exclude.length > 0 && { exclude: [...exclude] }),
      seen: place,
      files: entries.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    });
  }
  const pulled = {
    source,
    revision: revision ?? null,
    target,
    mount: mountedPath({ target, seen: place }),
    files: files.length,
    bytes: totalBytes(files),
    equal: plan.equal.size,
    listed: plan.listed,
    unread: plan.unread.length,
    copied: copied?.files ?? 0,
    copiedBytes: copied?.bytes ?? 0,
    resumedBytes: copied?.resumedBytes ?? 0,
  };
  return { pulled, failed };
}

/** `11 files, 1.4 GiB: 9 there already, 2 to copy (1.2 GiB); nothing is stored on this machine`. */
function planText(files: readonly SourceFile[], { equal, toFetch, unread }: FilePlan): string {
  const parts = [
    ...(equal.size > 0 ? [`${equal.size} there already`] : []),
    ...(unread.length > 0 ? [`${unread.length} there with the same size`] : []),
    ...(toFetch.length > 0 ? [`${toFetch.length} to copy (${size(totalBytes(toFetch))})`] : []),
  ];
  const where = toFetch.length > 0 ? '; nothing is stored on this machine' : '';
  return `${fileSummary(files.length, totalBytes(files))}: ${parts.join(', ')}${where}`;
}

function totalBytes(files: readonly SourceFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** `proven` gets the SHA-256 of each file. */
function copy(
  context: Context,
  source: string,
  { at }: FoundWeights,
  files: readonly SourceFile[],
  proven: Map<string, string>,
  { limitRate, resume, dryRun }: PullOptions,
): Promise<CopySummary> {
  const toFound = ({ path, bytes, web }: SourceFile): FoundFile => {
    const onProven = (sha256: string) => void proven.set(path, sha256);
    return { path, bytes, modified: undefined, from: { ...web, onProven } };
  };
  const find = async function* () {
    for (const file of files) yield toFound(file);
  };
  const target = { folder: { kind: 'remote', at }, name: undefined } as const;
  return copyFiles(
    context,
    { from: [source], to: formatRemotePath(at), find, target, isSingleFile: files.length === 1 },
    { ...usualCopy, dryRun, resume, limitRate },
  );
}

/** What the lock gets of copied files, as the volume lists them now. One that an earlier command sent is read. */
async function describe(
  context: Context,
  { at }: FoundWeights,
  copied: readonly SourceFile[],
  proven: ReadonlyMap<string, string>,
): Promise<LockedFile[]> {
  const volume = new ListedFiles(context, at);
  const lockedFiles: LockedFile[] = [];
  const unknown: SourceFile[] = [];
  for (const file of copied) {
    const { sum } = file.web;
    const sha256 = sum.algorithm === 'sha256' ? sum.hex : proven.get(file.path);
    if (sha256 === undefined) unknown.push(file);
    else lockedFiles.push(toLocked(file, sha256, await volume.find(file.path)));
  }
  const { equal } = await planFiles(context, unknown, volume, { locked: undefined, dryRun: false });
  return [...lockedFiles, ...equal.values()];
}

/** Asks before a pull writes where only the lock says: it comes with a repository, which others wrote. */
async function confirmLockedTargets(context: Context, wanted: readonly WantedWeights[]): Promise<void> {
  const used = usedTargets(context);
  const targets = new Set(wanted.map(({ target }) => formatRemotePath(target)));
  const others = [...targets].filter((target) => !used.includes(entryOf(context, target)));
  if (others.length === 0) return;
  await context.prompt.confirm(
    `Pull to ${others.join(', ')}? Only ${weightsLockName} names it, and this folder never did.`,
  );
}

/** Best effort: otherwise the next pull asks. */
async function rememberUsedTarget(context: Context, target: string): Promise<void> {
  const used = usedTargets(context);
  const entry = entryOf(context, target);
  if (used.includes(entry)) return;
  const change = (stored: object) => ({ ...stored, [realFolder(context.cwd)]: [...used, entry] });
  await updateStoredFile(context.settings.folders.state, 'pulls', change).catch(() => {});
}

function usedTargets({ settings, cwd }: Context): unknown[] {
  try {
    const used = JSON.parse(readRegularSync(join(settings.folders.state, 'pulls.json')))[realFolder(cwd)];
    return Array.isArray(used) ? used : [];
  } catch {
    return [];
  }
}

function entryOf({ target: { platform, project } }: Context, path: string): string {
  return `${platform.value} ${project.value} ${path}`;
}
