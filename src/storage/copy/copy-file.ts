import { type GantryError, UnavailableError } from '../../kernel/errors.ts';
import { count, printablePath, size } from '../../kernel/output/format.ts';
import type { JournalEntry } from '../transfer/journal.ts';
import { mib, type PartPlan, planParts, preferredPartBytes } from '../transfer/parts.ts';
import { ChangedError, CorruptError } from '../transfer/storage-errors.ts';
import {
  type CopyContext,
  type CopyJob,
  type FoundFile,
  isUnchanged,
  type OpenFile,
  type TargetPlace,
} from './ports.ts';
import { findAgain } from './source-content.ts';

export class LostUploadError extends UnavailableError {}

const isRepeated = (error: unknown): error is GantryError =>
  [LostUploadError, ChangedError, CorruptError].some((kind) => error instanceof kind);

/** Repeats the copy once if the file changes, arrives damaged, or cannot be resumed. The lowest `order` goes first. */
export class FileCopy {
  constructor(
    private readonly order: number,
    private readonly place: TargetPlace,
    private readonly context: CopyContext,
  ) {}

  async run(file: FoundFile): Promise<void> {
    const { progress, options } = this.context;
    const reason = await this.#skipReason(file);
    if (reason !== undefined) return progress.skip(file.path, reason, file.bytes);
    if (options.dryRun) return progress.wouldCopy(file.path, file.bytes);
    try {
      return await this.#copy(file, true);
    } catch (error) {
      if (!isRepeated(error)) throw error;
      progress.restarted(file.path, error);
    }
    await this.#copy(await findAgain(file, this.context), false);
  }

  async #skipReason(file: FoundFile): Promise<string | undefined> {
    const { place, context } = this;
    const { update, clobber, verify } = context.options;
    const there = update || !clobber ? await place.find(file.path) : undefined;
    if (!there) return undefined;
    if (!clobber) return 'already exists';
    if (!isUnchanged(file, there, place.toleranceMs)) return undefined;
    if (!verify) return 'unchanged (same size, not older)';
    const isSame = await this.#isEqual(file);
    if (isSame) context.progress.equal++;
    return isSame ? 'unchanged (same checksum)' : undefined;
  }

  /** False of one that changes meanwhile: it is copied. */
  async #isEqual(file: FoundFile): Promise<boolean> {
    const opened = await this.place.open(file);
    try {
      const isSame = await this.#hasSameContent(file, opened);
      await opened.checkUnchanged?.();
      return isSame;
    } catch (error) {
      if (isRepeated(error)) return false;
      throw error;
    } finally {
      await opened.close();
    }
  }

  async #hasSameContent(file: FoundFile, opened: OpenFile): Promise<boolean> {
    try {
      await this.place.verify(file, opened);
      return true;
    } catch (error) {
      if (error instanceof CorruptError) return false;
      throw error;
    }
  }

  async #copy(file: FoundFile, mayResume: boolean): Promise<void> {
    const { order, place, context } = this;
    const { progress, journal, resources, options } = context;
    const opened = await place.open(file);
    try {
      const { bytes, mark } = opened;
      const before = journal?.saved.get(file.path);
      const saved = mayResume && before?.mark === mark ? before : undefined;
      const isThere = saved?.times && (await place.isThere(file, opened, saved.times));
      if (isThere && (!options.verify || (await this.#hasSameContent(file, opened))))
        return progress.copied(file.path, bytes, bytes);
      const plan = planCopy(opened, context, saved);
      const job: CopyJob = { plan, saved: resumable(saved, plan), begun: before?.attempt, order, ...unrecorded };
      if (plan.count > 1) record(job, file.path, mark, context);
      const { since, count } = await place.write(file, opened, job);
      journal?.add({ is: 'done', file: file.path, mark, times: { since, at: resources.storageClock.current() } });
      count();
    } finally {
      await opened.close();
    }
  }
}

/** A single part is worth no line in the journal. Shared: thousands of small files are in flight. */
const unrecorded = { onStarted: () => {}, onPart: () => {}, keep: false };

/** What is told of a file while it is copied goes to the journal. */
function record(job: CopyJob, file: string, mark: string, { journal, command }: CopyContext): void {
  const { bytes, partBytes, count: parts } = job.plan;
  command.trace(`${printablePath(file)}: ${size(bytes)} in ${count(parts, 'part')} of ${partBytes / mib} MiB`);
  if (!journal) return;
  job.onStarted = (attempt) => journal.add({ is: 'begun', file, mark, partBytes, attempt });
  job.onPart = (part) => journal.add({ is: 'part', file, part });
  job.keep = true;
}

/** The progress of a previous attempt, if it used the same parts. */
function resumable(saved: JournalEntry | undefined, plan: PartPlan): CopyJob['saved'] {
  if (!saved?.attempt || saved.partBytes !== plan.partBytes) return undefined;
  const { attempt, parts } = saved;
  return parts.every(({ number }) => number <= plan.count) ? { attempt, parts } : undefined;
}

/** A resumed copy keeps its parts, unless the flag requests others. Parts that are held in memory are shorter. */
function planCopy(
  { bytes, maxPartBytes = Number.POSITIVE_INFINITY }: OpenFile,
  { options: { partSize, concurrency } }: CopyContext,
  known: JournalEntry | undefined,
): PartPlan {
  const preferred = Math.min(maxPartBytes, preferredPartBytes(bytes, concurrency));
  return planParts(bytes, partSize ?? known?.partBytes ?? preferred);
}
