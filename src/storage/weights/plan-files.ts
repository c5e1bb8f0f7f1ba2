import type { LockedFile, LockedWeights } from '../../app/weights-lock.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { defined } from '../../kernel/json-text.ts';
import type { Context } from '../../platform/context.ts';
import type { ListedFiles } from '../copy/index.ts';
import type { WebFile } from '../transfer/web-file.ts';
import type { ListedEntry } from '../volumes/index.ts';
import { readFileSums } from './read-file-sums.ts';

export interface SourceFile {
  path: string;
  bytes: number;
  web: WebFile;
}

export interface FilePlan {
  /** On the volume with the content of the source, by path. */
  equal: Map<string, LockedFile>;
  /** How many of them are listed as the lock has them, and were not read. */
  listed: number;
  toFetch: SourceFile[];
  /** With the same size on the volume, but not read: a dry run moves nothing. */
  unread: SourceFile[];
}

/** Whether the volume lists a file as the lock remembers it, with the content of the source. */
const isAsSeen = (lockedFile: LockedFile, file: SourceFile, there: ListedEntry | undefined) =>
  there?.bytes === file.bytes && there.updatedAt === lockedFile.modified && hasContent(lockedFile, file);

/** Which files are on the volume: listed as the lock remembers them, or read, with the same checksum. */
export async function planFiles(
  context: Context,
  files: readonly SourceFile[],
  volume: ListedFiles,
  { locked, dryRun }: { locked: LockedWeights | undefined; dryRun: boolean },
): Promise<FilePlan> {
  const plan: FilePlan = { equal: new Map(), listed: 0, toFetch: [], unread: [] };
  const sameSize: SourceFile[] = [];
  const isSeenHere = locked?.seen.project === context.project && locked.seen.region === volume.root.region;
  for (const file of files) {
    const lockedFile = isSeenHere ? locked.files.find(({ path }) => path === file.path) : undefined;
    const there = await volume.find(file.path);
    if (lockedFile && isAsSeen(lockedFile, file, there)) {
      plan.equal.set(file.path, lockedFile);
      plan.listed += 1;
    } else if (there?.bytes === file.bytes) sameSize.push(file);
    else plan.toFetch.push(file);
  }
  if (dryRun) return { ...plan, unread: sameSize };
  await readSameSize(context, sameSize, volume, plan);
  return plan;
}

async function readSameSize(
  context: Context,
  sameSize: readonly SourceFile[],
  volume: ListedFiles,
  plan: FilePlan,
): Promise<void> {
  const toRead = sameSize.map((file) => ({ ...file, at: volume.at(file.path), algorithm: file.web.sum.algorithm }));
  const sums = new Map<string, string>();
  await readFileSums(context, toRead, ({ path, web }, read) => {
    if (read?.hex === web.sum.hex) sums.set(path, read.sha256);
  });
  for (const file of sameSize) {
    const sha256 = sums.get(file.path);
    const there = await volume.find(file.path);
    if (sha256 === undefined) plan.toFetch.push(file);
    else plan.equal.set(file.path, toLocked(file, sha256, there));
  }
}

/** With the time at which the volume lists it, if it does. */
export function toLocked(
  file: SourceFile,
  sha256: string,
  there: Pick<ListedEntry, 'updatedAt'> | undefined,
): LockedFile {
  const { path, bytes, web } = file;
  const gitId = web.sum.algorithm === 'git-blob' ? web.sum.hex : undefined;
  return { path, bytes, sha256, ...defined({ gitId, modified: there?.updatedAt ?? undefined }) };
}

function hasContent(lockedFile: LockedFile, { bytes, web: { sum } }: SourceFile): boolean {
  return lockedFile.bytes === bytes && sum.hex === (sum.algorithm === 'sha256' ? lockedFile.sha256 : lockedFile.gitId);
}

/** Throws a ConflictError if the source has other content than the lock, for the same revision. */
export function checkAgainstLock(files: readonly SourceFile[], locked: LockedWeights): void {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const other = locked.files.find((lockedFile) => {
    const file = byPath.get(lockedFile.path);
    return !file || !hasContent(lockedFile, file);
  });
  if (!other) return;
  throw new ConflictError(`${other.path} of ${locked.source} is not what weights.lock says`, {
    why: 'the content of a revision never changes: the hub, or the lock, was changed',
    fix: 'compare both; to trust the hub, delete the entry from weights.lock',
  });
}
