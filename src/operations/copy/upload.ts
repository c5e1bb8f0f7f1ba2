import { initializeUpload } from '../../contract/volumes.ts';
import { type GantryError, UnexpectedReplyError } from '../../errors.ts';
import { isFresh } from '../../transfer/links.ts';
import { partAt, planParts } from '../../transfer/parts.ts';
import { ChangedError, CorruptError } from '../../transfer/refusal.ts';
import { joinRemotePath } from '../../transfer/remote-path.ts';
import { type OpenUpload, type SentPart, sendFile } from '../../transfer/send-file.ts';
import type { VolumePath } from '../volume/walk.ts';
import { completeFile } from './complete.ts';
import { isCurrent, timeOf } from './current.ts';
import type { FoundFile } from './found.ts';
import type { Job } from './job.ts';
import { RemoteFolders } from './remote-folders.ts';
import { comparedContent, openSource, type Source } from './source.ts';
import { verify } from './verify.ts';

/** Copies files, wherever they are, into a folder of a volume. */
export class Upload {
  readonly #folders: RemoteFolders;

  constructor(
    private readonly job: Job,
    private readonly target: VolumePath,
  ) {
    this.#folders = new RemoteFolders(job);
  }

  /** Why a file is left out, if it is. */
  async skips(found: FoundFile): Promise<string | undefined> {
    const { options } = this.job;
    if (!options.update && options.clobber) return undefined;
    const there = await this.#folders.find(this.#place(found));
    if (!there || there.isFolder) return undefined;
    if (!options.clobber) return 'it is there already';
    const isSame = isCurrent(found, { bytes: there.size, modified: timeOf(there.modified) });
    return options.update && isSame ? 'it is there in the same size, and not older' : undefined;
  }

  /** A file that changes while it is sent is sent once more, then given up. */
  async copy(found: FoundFile, order: number): Promise<void> {
    for (let isLast = false; ; isLast = true) {
      try {
        return await this.#copyOnce(found, order, !isLast);
      } catch (error) {
        if (isLast || !(error instanceof ChangedError || error instanceof CorruptError)) throw error;
        this.job.tally.repeats(found.path, error);
      }
    }
  }

  async #copyOnce(found: FoundFile, order: number, mayContinue: boolean): Promise<void> {
    const { job } = this;
    const { tally, journal, engine, options } = job;
    const source = await openSource(found, job, engine);
    try {
      const before = journal?.saved.get(found.path);
      const known = mayContinue && before?.mark === source.mark ? before : undefined;
      if (known?.doneAt !== undefined && (await this.#isThere(found, source, known.doneAt))) {
        tally.copied(found.path, source.bytes, source.bytes);
        return;
      }
      const saved = known && this.#usable(known, source);
      const resumed = await this.#send(found, source, order, saved);
      if (options.verify) {
        const content = comparedContent(this.#place(found), source.bytes, job, engine);
        await verify((part) => source.md5(part), content, planParts(source.bytes, options.partSize), engine);
      }
      journal?.add({ is: 'done', file: found.path, mark: source.mark, at: engine.now() });
      tally.copied(found.path, source.bytes, resumed);
    } finally {
      await source.close();
    }
  }

  /** Sends and completes. Gives how many bytes an earlier try had sent. */
  async #send(found: FoundFile, source: Source, order: number, saved: Left | undefined): Promise<number> {
    const { job } = this;
    const { engine, journal, options, tally } = job;
    const plan = planParts(source.bytes, options.partSize);
    const at = this.#place(found);
    const isWorthKeeping = plan.count > 1;
    const file = found.path;
    const startedAt = engine.now();
    let resumedParts = saved?.parts ?? [];
    const sent = await sendFile(
      {
        plan,
        read: (part) => source.read(part),
        begin: (parts) => this.#begin(at, parts),
        saved,
        onBegun: (upload) => {
          resumedParts = [];
          const { partBytes } = plan;
          if (isWorthKeeping) journal?.add({ is: 'begun', file, mark: source.mark, partBytes, upload });
        },
        onPart: (part) => isWorthKeeping && journal?.add({ is: 'part', file, part }),
        order,
      },
      engine,
    );
    await source.checkUnchanged();
    try {
      await completeFile({ at, ...sent, bytes: source.bytes, startedAt }, job, this.#folders);
    } catch (error) {
      // What was begun long ago may be gone on the platform's side.
      const { status = 0 } = (error as GantryError).facts ?? {};
      if (!saved || resumedParts.length === 0 || ![400, 404, 409].includes(status)) throw error;
      tally.moved(-source.bytes);
      return this.#send(found, source, order, undefined);
    }
    return resumedParts.reduce((sum, { number }) => sum + partAt(plan, number).length, 0);
  }

  async #begin({ path, volume, region }: VolumePath, count: number): Promise<{ id: string; links: string[] }> {
    const { api, project } = this.job;
    const body = { file_path: path, part_count: count, region };
    const { upload_id: id, parts } = await api(initializeUpload, { project, volume, query: { region }, body });
    const links: string[] = [];
    for (const { part_number: number, url } of parts) {
      if (number < 1 || number > count) throw new UnexpectedReplyError(`the platform gave a link for part ${number}`);
      links[number - 1] = url;
    }
    return { id, links: Array.from(links, (link) => link ?? '') };
  }

  /** What the journal calls done may have been removed since, or written by somebody else. */
  async #isThere(found: FoundFile, source: Source, doneAt: number): Promise<boolean> {
    const there = await this.#folders.find(this.#place(found));
    if (!there || there.isFolder || there.size !== source.bytes) return false;
    return (timeOf(there.modified) ?? Infinity) <= doneAt + clockDifferenceMs;
  }

  #usable({ upload, parts, partBytes }: Partial<Left> & { partBytes?: number }, { bytes }: Source): Left | undefined {
    const { engine, options } = this.job;
    const plan = planParts(bytes, options.partSize);
    const fits = upload && partBytes === plan.partBytes && upload.links.length === plan.count;
    if (!fits || !parts?.length || !isFresh(upload.links[0] ?? '', upload.linksEndAt, engine.now())) return undefined;
    return { upload, parts };
  }

  #place({ path }: FoundFile): VolumePath {
    return { ...this.target, path: joinRemotePath(this.target.path, path) };
  }
}

interface Left {
  upload: OpenUpload;
  parts: SentPart[];
}

/** Between the platform's clock and ours, where that can do no harm. */
const clockDifferenceMs = 30_000;
