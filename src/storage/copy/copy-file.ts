import { type GantryError, UnavailableError } from '../../kernel/errors.ts';
import { count, printablePath, size } from '../../kernel/output/format.ts';
import type { JournalEntry } from '../transfer/journal.ts';
import { type DonePart, mib, type PartPlan, planParts, preferredPartBytes } from '../transfer/parts.ts';
import { ChangedError, CorruptError, NoRangesError } from '../transfer/storage-errors.ts';
import type { CopyContext } from './copy-context.ts';
import { type FoundFile, isUnchanged, type SizedFile } from './found-entry.ts';
import type { Attempt, CopyJob, OpenCopy, TargetPlace } from './ports.ts';
import { findAgain, resolveSize } from './source-content.ts';

/** The upload session that was resumed is gone. */
export class LostUploadError extends UnavailableError {}

type OtherTry = 'again' | 'in one request' | 'from the start';

function otherTry(error: unknown): OtherTry | undefined {
  if (error instanceof NoRangesError) return 'in one request';
  if (error instanceof LostUploadError) return 'from the start';
  return error instanceof ChangedError || error instanceof CorruptError ? 'again' : undefined;
}

/**
 * Copies a file, unless it is to be skipped. Repeats the copy once if the file changes meanwhile or arrives damaged, and in
 * one request if the storage does not support ranges. Of several files in progress, the one with the lowest `order` goes
 * first.
 */
export async function copyFile(
  found: FoundFile,
  order: number,
  place: TargetPlace,
  context: CopyContext,
): Promise<void> {
  const { progress, resources, options } = context;
  let file = await resolveSize(found, context, resources);
  if (found.bytes === undefined) progress.sizeKnown(file.bytes);
  const reason = await skipReason(file, place, context);
  if (reason !== undefined) return progress.skip(found.path, reason, file.bytes);
  if (options.dryRun) return progress.wouldCopy(found.path, file.bytes);
  const tried = new Set<OtherTry>();
  for (;;) {
    try {
      return await copyOnce(file, order, place, tried, context);
    } catch (error) {
      const next = otherTry(error);
      if (!next || tried.has(next)) throw error;
      tried.add(next);
      progress.restarted(file.path, error as GantryError);
    }
    file = await findAgain(file, context, resources);
  }
}

async function skipReason(
  file: SizedFile,
  place: TargetPlace,
  { options: { update, clobber } }: CopyContext,
): Promise<string | undefined> {
  if (!update && clobber) return undefined;
  const there = await place.find(file.path);
  if (!there) return undefined;
  if (!clobber) return 'already exists';
  return isUnchanged(file, there, place.toleranceMs) ? 'unchanged (same size, not older)' : undefined;
}

async function copyOnce(
  found: SizedFile,
  order: number,
  place: TargetPlace,
  tried: ReadonlySet<OtherTry>,
  context: CopyContext,
): Promise<void> {
  const { progress, journal, resources } = context;
  const copy = await place.open(found);
  try {
    const { bytes, mark } = copy.source;
    const before = journal?.saved.get(found.path);
    const known = tried.size === 0 && before?.mark === mark ? before : undefined;
    if (known?.times && (await copy.isThere(known.times))) return progress.copied(found.path, bytes, bytes);
    const plan = tried.has('in one request') ? planParts(bytes, bytes) : planCopy(copy.source, context, known);
    const job = { ...startJob(found.path, mark, plan, context), saved: resumable(known, plan), begun: before?.attempt };
    const { since, count } = await copy.write({ ...job, order });
    journal?.add({ is: 'done', file: found.path, mark, times: { since, at: resources.storageClock.current() } });
    count();
  } finally {
    await copy.close();
  }
}

/** What is told of a file while it is copied goes to the journal if the file could be resumed. */
function startJob(file: string, mark: string, plan: PartPlan, { journal, command }: CopyContext) {
  const record = plan.count > 1 ? journal : undefined;
  if (plan.count > 1) command.trace(`${printablePath(file)}: ${planText(plan)}`);
  const { partBytes } = plan;
  return {
    plan,
    onStarted: (attempt: Attempt) => record?.add({ is: 'begun', file, mark, partBytes, attempt }),
    onPart: (part: DonePart) => record?.add({ is: 'part', file, part }),
    keep: record !== undefined,
  };
}

/** The progress of a previous attempt, if it used the same parts. */
function resumable(known: JournalEntry | undefined, plan: PartPlan): CopyJob['saved'] {
  if (!known?.attempt || known.partBytes !== plan.partBytes) return undefined;
  const { attempt, parts } = known;
  return parts.every(({ number }) => number <= plan.count) ? { attempt, parts } : undefined;
}

/**
 * How a file is divided: a resumed copy keeps the parts of the previous attempt, unless the flag requests others. Parts
 * that are held in memory are shorter.
 */
function planCopy(
  { bytes, maxPartBytes = Number.POSITIVE_INFINITY }: OpenCopy['source'],
  { options: { partSize, concurrency } }: CopyContext,
  known: JournalEntry | undefined,
): PartPlan {
  const preferred = Math.min(maxPartBytes, preferredPartBytes(bytes, concurrency));
  return planParts(bytes, partSize ?? known?.partBytes ?? preferred);
}

/** For --debug. */
function planText({ bytes, partBytes, count: parts }: PartPlan): string {
  return `${size(bytes)} in ${count(parts, 'part')} of ${partBytes / mib} MiB`;
}
