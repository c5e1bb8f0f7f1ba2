import { rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { TemporaryNames } from '../../kernel/disk/index.ts';
import { printablePath } from '../../kernel/output/format.ts';
import { downloadFile, type FileDownload } from '../transfer/download-file.ts';
import type { JournalEntry } from '../transfer/journal-format.ts';
import { type PartPlan, planParts } from '../transfer/parts.ts';
import { ChangedError, CorruptError, NoRangesError } from '../transfer/storage-errors.ts';
import { findEntry, urlRequester, type VolumePath } from '../volumes/index.ts';
import type { CopyContext } from './copy-context.ts';
import type { SizedFile } from './found-entry.ts';
import { planCopy, planText } from './plan-copy.ts';
import { contentToCompare, fileMd5, resolveSize } from './source-content.ts';
import type { TargetFile, TargetFolder } from './target-folder.ts';
import { diskToleranceMs, isUnchanged, parseTimestamp } from './unchanged.ts';
import { verifyCopy } from './verify-copy.ts';

type OtherTry = 'again' | 'in one request';

function otherTry(error: unknown): OtherTry | undefined {
  if (error instanceof NoRangesError) return 'in one request';
  return error instanceof ChangedError || error instanceof CorruptError ? 'again' : undefined;
}

/** Copies remote files into a local folder. */
export class Downloader {
  constructor(
    private readonly context: CopyContext,
    private readonly folder: TargetFolder,
    private readonly names: TemporaryNames,
  ) {}

  async skipReason(found: SizedFile): Promise<string | undefined> {
    const { options } = this.context;
    if (!options.update && options.clobber) return undefined;
    const there = await stat(this.folder.pathOf(found.path)).catch(() => undefined);
    if (!there?.isFile()) return undefined;
    if (!options.clobber) return 'already exists';
    const isSame = isUnchanged(found, { bytes: there.size, modified: there.mtimeMs }, diskToleranceMs);
    return options.update && isSame ? 'unchanged (same size, not older)' : undefined;
  }

  /**
   * Repeats the download once if the file changes meanwhile or arrives damaged. Uses one request if the storage does not
   * support ranges.
   */
  async copy(found: SizedFile, order: number): Promise<void> {
    let file = found;
    const tried = new Set<OtherTry>();
    for (;;) {
      const saved = tried.size > 0 ? undefined : this.#savedEntry(file);
      const plan = tried.has('in one request')
        ? planParts(file.bytes, file.bytes)
        : planCopy({ bytes: file.bytes }, this.context.options, saved?.partBytes);
      try {
        return await this.#copyOnce(file, order, plan, saved);
      } catch (error) {
        const next = otherTry(error);
        if (!next || tried.has(next)) throw error;
        tried.add(next);
        this.context.progress.restarted(found.path, error as ChangedError | CorruptError);
      }
      const { size, modified } = await findEntry(this.context, found.from as VolumePath);
      const changed = { ...found, bytes: size ?? undefined, modified: parseTimestamp(modified) };
      file = await resolveSize(changed, this.context, this.context.resources);
    }
  }

  close(): void {
    this.folder.close();
  }

  /** What the journal has of this version of the file. */
  #savedEntry(found: SizedFile): JournalEntry | undefined {
    const saved = this.context.journal?.saved.get(found.path);
    return saved?.mark === markOf(found) ? saved : undefined;
  }

  async #copyOnce(found: SizedFile, order: number, plan: PartPlan, known: JournalEntry | undefined): Promise<void> {
    const placed = await this.folder.open(found.path);
    try {
      await this.#copyTo(placed, found, order, plan, known);
    } finally {
      placed.release();
    }
  }

  async #copyTo(
    placed: TargetFile,
    found: SizedFile,
    order: number,
    plan: PartPlan,
    known: JournalEntry | undefined,
  ): Promise<void> {
    const { context } = this;
    const { progress, journal, resources } = context;
    const { path: file, bytes, modified } = found;
    const at = found.from as VolumePath;
    const target = placed.path;
    const mark = markOf(found);
    const before = journal?.saved.get(file);
    if (known?.doneAt !== undefined && (await isAsLeft(target, found))) {
      progress.copied(file, bytes, bytes);
      return;
    }
    const isResumable = plan.count > 1 && journal !== undefined;
    const saved = known && usable(known, plan);
    // An unfinished download that cannot be resumed would stay until its journal is removed.
    if (before?.temporary && !saved) await rm(join(dirname(target), before.temporary), { force: true });
    if (plan.count > 1) context.command.trace(`${printablePath(file)}: ${planText(plan)}`);
    const resumed = await downloadFile(
      {
        target,
        folder: placed.folder,
        names: this.names,
        plan,
        modified,
        saved,
        order,
        keep: isResumable,
        createUrl: urlRequester(at, context),
        confirm: async (path) => {
          await this.#verify(found, plan, path);
          placed.check();
        },
        onStarted: (version, temporary) => {
          if (!journal) return;
          journal.add({
            is: 'receiving',
            file,
            mark,
            partBytes: plan.partBytes,
            version,
            temporary: basename(temporary),
          });
          void journal.written().then(() => this.names.keep(temporary, journal.path));
        },
        onRange: (number) => {
          if (isResumable) journal.add({ is: 'range', file, number });
        },
      },
      resources,
    );
    placed.check();
    journal?.add({ is: 'done', file, mark, at: resources.now() });
    progress.copied(file, bytes, resumed);
  }

  async #verify({ bytes, from }: SizedFile, plan: PartPlan, path: string): Promise<void> {
    const { resources, options } = this.context;
    if (!options.verify) return;
    const content = contentToCompare(from as VolumePath, bytes, this.context, resources);
    await verifyCopy((part) => fileMd5(path, part, resources), content, plan, resources);
  }
}

/** Identifies the version of a remote file. */
function markOf({ bytes, modified }: SizedFile): string {
  return `${bytes}:${modified ?? ''}`;
}

/** The progress of a previous attempt, if it used the same parts. */
function usable({ version, temporary, partBytes, ranges }: JournalEntry, plan: PartPlan): FileDownload['saved'] {
  const fits = partBytes === plan.partBytes && ranges.length > 0 && ranges.every((number) => number <= plan.count);
  return fits && version !== undefined && temporary !== undefined ? { version, temporary, ranges } : undefined;
}

/** A downloaded file has the time of the remote one until it is changed. */
async function isAsLeft(target: string, { bytes, modified }: SizedFile): Promise<boolean> {
  const there = await stat(target).catch(() => undefined);
  if (there?.size !== bytes || modified === undefined) return false;
  return Math.abs(there.mtimeMs - modified) < diskToleranceMs;
}
