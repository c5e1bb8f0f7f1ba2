import { initializeUpload } from '../../contract/volumes.ts';
import { type GantryError, UnexpectedReplyError } from '../../errors.ts';
import { possibleEtags } from '../../transfer/etag-checksum.ts';
import { partAt, planParts } from '../../transfer/parts.ts';
import { joinRemotePath } from '../../transfer/remote-path.ts';
import { isUsable, signedAt } from '../../transfer/signed-url.ts';
import { ChangedError, CorruptError } from '../../transfer/storage-errors.ts';
import { type OpenUpload, type SentPart, uploadFile } from '../../transfer/upload-file.ts';
import type { VolumePath } from '../volumes/index.ts';
import { completeFile } from './complete.ts';
import type { Fail, Way } from './copy-all.ts';
import type { Job } from './copy-context.ts';
import type { FoundFile, SizedFile } from './found-file.ts';
import { RemoteFolders } from './remote-folders.ts';
import { comparedContent, openSource, type Source } from './source.ts';
import { isCurrent, timeOf } from './unchanged.ts';
import { UploadConfirmation } from './upload-confirmation.ts';
import { verify } from './verify.ts';

/** Copies files, wherever they are, into a folder of a volume. A file counts once the volume lists it. */
export class Upload implements Way {
  readonly confirmation: NonNullable<Way['confirmation']>;
  readonly #folders: RemoteFolders;
  readonly #uploads: UploadConfirmation;

  constructor(
    private readonly job: Job,
    private readonly target: VolumePath,
    fail: Fail,
  ) {
    const { tally } = job;
    this.#folders = new RemoteFolders(job);
    this.#uploads = new UploadConfirmation(job, this.#folders, {
      arrived({ found, bytes, resumedBytes }) {
        tally.lookedUp(bytes);
        tally.copied(found.path, bytes, resumedBytes);
      },
      missing({ found, bytes }, error) {
        tally.lookedUp(bytes);
        fail(found, error);
      },
    });
    this.confirmation = {
      expect: (file) => this.#uploads.expect(this.#place(file)),
      end: (file) => this.#uploads.end(this.#place(file)),
      finish: () => this.#uploads.finish(),
    };
  }

  /** Why a file is left out, if it is. */
  async skips(found: SizedFile): Promise<string | undefined> {
    const { options } = this.job;
    if (!options.update && options.clobber) return undefined;
    const there = await this.#folders.find(this.#place(found));
    if (!there || there.isFolder) return undefined;
    if (!options.clobber) return 'it is there already';
    const isSame = isCurrent(found, { bytes: there.size, modified: timeOf(there.modified) });
    return options.update && isSame ? 'it is there in the same size, and not older' : undefined;
  }

  /** A file that changes while it is sent is sent once more, then given up. */
  async copy(found: SizedFile, order: number): Promise<void> {
    for (let isLast = false; ; isLast = true) {
      try {
        return await this.#copyOnce(found, order, !isLast);
      } catch (error) {
        if (isLast || !(error instanceof ChangedError || error instanceof CorruptError)) throw error;
        this.job.tally.repeats(found.path, error);
      }
    }
  }

  async #copyOnce(found: SizedFile, order: number, mayContinue: boolean): Promise<void> {
    const { job } = this;
    const { tally, journal, engine, options } = job;
    const source = await openSource(found, job, engine);
    try {
      const before = journal?.saved.get(found.path);
      const known = mayContinue && before?.mark === source.mark ? before : undefined;
      if (known?.sent && (await this.#isThere(found, source, known.sent))) {
        tally.copied(found.path, source.bytes, source.bytes);
        return;
      }
      const saved = known && this.#usable(known, source);
      const { since, etags, resumedBytes } = await this.#send(found, source, order, saved);
      if (options.verify) {
        const content = comparedContent(this.#place(found), source.bytes, job, engine);
        await verify((part) => source.md5(part), content, planParts(source.bytes, options.partSize), engine);
      }
      const { bytes, mark } = source;
      journal?.add({ is: 'sent', file: found.path, mark, since, at: engine.now() });
      tally.sent(bytes);
      this.#uploads.add({ found, at: this.#place(found), bytes, mark, since, etags, resumedBytes });
    } finally {
      await source.close();
    }
  }

  /** Sends and completes. `since` is when the upload began, by the storage's clock if its links tell it. */
  async #send(
    found: SizedFile,
    source: Source,
    order: number,
    saved: Left | undefined,
  ): Promise<{ since: number; etags: string[]; resumedBytes: number }> {
    const { job } = this;
    const { engine, journal, options, tally } = job;
    const plan = planParts(source.bytes, options.partSize);
    const at = this.#place(found);
    const isWorthKeeping = plan.count > 1;
    const file = found.path;
    const startedAt = engine.now();
    let resumedParts = saved?.parts ?? [];
    const sent = await uploadFile(
      {
        plan,
        read: (part) => source.read(part),
        startUpload: (parts) => this.#begin(at, parts),
        saved,
        onStarted: (upload) => {
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
    const since = signedAt(sent.upload.links[0] ?? '') ?? startedAt;
    try {
      await completeFile({ at, ...sent, bytes: source.bytes, since }, job, this.#folders);
    } catch (error) {
      // What was begun long ago may be gone on the platform's side.
      const { status = 0 } = (error as GantryError).facts ?? {};
      if (!saved || resumedParts.length === 0 || ![400, 404, 409].includes(status)) throw error;
      tally.moved(-source.bytes);
      return this.#send(found, source, order, undefined);
    }
    const resumedBytes = resumedParts.reduce((sum, { number }) => sum + partAt(plan, number).length, 0);
    return { since, etags: possibleEtags(sent.parts), resumedBytes };
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

  /** A file that an earlier run sent may be gone since, or written by somebody else, or never have arrived. */
  async #isThere(found: SizedFile, { bytes, mark }: Source, sent: { since: number; at: number }): Promise<boolean> {
    const at = this.#place(found);
    const there = await this.#folders.find(at);
    if ((timeOf(there?.modified ?? null) ?? 0) > sent.at + clockDifferenceMs) return false;
    const file = { found, at, bytes, mark, since: sent.since, etags: [], resumedBytes: bytes };
    return (await this.#uploads.objection(file, there)) === undefined;
  }

  #usable({ upload, parts, partBytes }: Partial<Left> & { partBytes?: number }, { bytes }: Source): Left | undefined {
    const { engine, options } = this.job;
    const plan = planParts(bytes, options.partSize);
    const fits = upload && partBytes === plan.partBytes && upload.links.length === plan.count;
    if (!fits || !parts?.length || !isUsable(upload.links[0] ?? '', upload.linksEndAt, engine.now())) return undefined;
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
