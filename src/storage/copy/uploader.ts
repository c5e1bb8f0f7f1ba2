import { type GantryError, UnexpectedReplyError } from '../../kernel/errors.ts';
import { printablePath } from '../../kernel/output/format.ts';
import { initializeUpload } from '../../platform/contract/volumes.ts';
import { possibleEtags } from '../transfer/etag-checksum.ts';
import type { SentPart } from '../transfer/parts.ts';
import { partAt } from '../transfer/parts.ts';
import { joinRemotePath } from '../transfer/remote-path.ts';
import { isUsable, signedAt } from '../transfer/signed-url.ts';
import { ChangedError, CorruptError } from '../transfer/storage-errors.ts';
import { type OpenUpload, uploadFile } from '../transfer/upload-file.ts';
import type { VolumePath } from '../volumes/index.ts';
import { completeUploadedFile } from './complete-upload.ts';
import { uploadStart } from './confirmed-by-listing.ts';
import type { FileCopier, ReportFailure } from './copy-all.ts';
import type { CopyContext } from './copy-context.ts';
import type { FoundFile, SizedFile } from './found-entry.ts';
import type { SourceContent } from './opened-source.ts';
import { planCopy, planText } from './plan-copy.ts';
import { RemoteFolders } from './remote-folders.ts';
import { contentToCompare, openSource } from './source-content.ts';
import { isUnchanged, parseTimestamp } from './unchanged.ts';
import { UploadConfirmation } from './upload-confirmation.ts';
import { verifyCopy } from './verify-copy.ts';

/** Copies local or remote files into a folder of a volume. A file counts as copied once the volume lists it. */
export class Uploader implements FileCopier {
  readonly confirmation: NonNullable<FileCopier['confirmation']>;
  readonly #folders: RemoteFolders;
  readonly #uploads: UploadConfirmation;

  constructor(
    private readonly context: CopyContext,
    private readonly target: VolumePath,
    fail: ReportFailure,
  ) {
    const { progress } = context;
    this.#folders = new RemoteFolders(context);
    this.#uploads = new UploadConfirmation(context, this.#folders, {
      arrived({ found, bytes, resumedBytes }) {
        progress.confirmationEnded(bytes);
        progress.copied(found.path, bytes, resumedBytes);
      },
      missing({ found, bytes }, error) {
        progress.confirmationEnded(bytes);
        fail(found, error);
      },
    });
    this.confirmation = {
      expect: (file) => this.#uploads.expect(this.#targetOf(file)),
      end: (file) => this.#uploads.end(this.#targetOf(file)),
      finish: () => this.#uploads.finish(),
    };
  }

  async skipReason(found: SizedFile): Promise<string | undefined> {
    const { options } = this.context;
    if (!options.update && options.clobber) return undefined;
    const there = await this.#folders.find(this.#targetOf(found));
    if (!there || there.isFolder) return undefined;
    if (!options.clobber) return 'already exists';
    const isSame = isUnchanged(found, { bytes: there.size, modified: parseTimestamp(there.modified) });
    return options.update && isSame ? 'unchanged (same size, not older)' : undefined;
  }

  /** Repeats the upload once if the file changes meanwhile. */
  async copy(found: SizedFile, order: number): Promise<void> {
    for (let isLast = false; ; isLast = true) {
      try {
        return await this.#copyOnce(found, order, !isLast);
      } catch (error) {
        if (isLast || !(error instanceof ChangedError || error instanceof CorruptError)) throw error;
        this.context.progress.restarted(found.path, error);
      }
    }
  }

  async #copyOnce(found: SizedFile, order: number, mayContinue: boolean): Promise<void> {
    const { context } = this;
    const { progress, journal, resources, options } = context;
    const source = await openSource(found, context, resources);
    try {
      const before = journal?.saved.get(found.path);
      const known = mayContinue && before?.mark === source.mark ? before : undefined;
      if (known?.sent && (await this.#isUploaded(found, source, known.sent))) {
        progress.copied(found.path, source.bytes, source.bytes);
        return;
      }
      const saved = known && this.#usable(known, source);
      const { since, etags, resumedBytes } = await this.#send(found, source, order, saved);
      if (options.verify) {
        const content = contentToCompare(this.#targetOf(found), source.bytes, context, resources);
        await verifyCopy(source.original, content, planCopy(source, options), resources);
      }
      const { bytes, mark } = source;
      journal?.add({ is: 'sent', file: found.path, mark, since, at: resources.storageClock.current() });
      progress.uploaded(bytes);
      this.#uploads.add({ found, target: this.#targetOf(found), bytes, mark, startedAt: since, etags, resumedBytes });
    } finally {
      await source.close();
    }
  }

  /** Uploads the parts and completes the file. `since`: see {@link CompletedFile.startedAt}. */
  async #send(
    found: SizedFile,
    source: SourceContent,
    order: number,
    saved: ResumableUpload | undefined,
  ): Promise<{ since: number; etags: string[]; resumedBytes: number }> {
    const { context } = this;
    const { resources, journal, options, progress } = context;
    const plan = planCopy(source, options, saved?.partBytes);
    const at = this.#targetOf(found);
    const isResumable = plan.count > 1;
    const file = found.path;
    if (isResumable) context.command.trace(`${printablePath(file)}: ${planText(plan)}`);
    const startedAt = resources.now();
    let resumedParts = saved?.parts ?? [];
    const sent = await uploadFile(
      {
        plan,
        createReader: (parts) => source.createReader(parts),
        startUpload: (parts) => this.#begin(at, parts),
        saved,
        onStarted: (upload) => {
          resumedParts = [];
          const { partBytes } = plan;
          if (isResumable) journal?.add({ is: 'begun', file, mark: source.mark, partBytes, upload });
        },
        onPart: (part) => isResumable && journal?.add({ is: 'part', file, part }),
        order,
      },
      resources,
    );
    await source.checkUnchanged();
    const begun = resources.storageClock.timeOf(startedAt);
    const signed = signedAt(sent.upload.urls[0] ?? '');
    try {
      await completeUploadedFile(
        { target: at, ...sent, bytes: source.bytes, startedAt: signed ?? begun },
        context,
        this.#folders,
      );
    } catch (error) {
      // The platform may have dropped an old upload session: start over.
      const { status = 0 } = (error as GantryError).facts ?? {};
      if (!saved || resumedParts.length === 0 || ![400, 404, 409].includes(status)) throw error;
      progress.transferred(-source.bytes);
      return this.#send(found, source, order, undefined);
    }
    const resumedBytes = resumedParts.reduce((sum, { number }) => sum + partAt(plan, number).length, 0);
    return { since: uploadStart(signed, begun), etags: possibleEtags(sent.parts), resumedBytes };
  }

  async #begin({ path, volume, region }: VolumePath, count: number): Promise<{ id: string; urls: string[] }> {
    const { api, project } = this.context;
    const body = { file_path: path, part_count: count, region };
    const { upload_id: id, parts } = await api(initializeUpload, { project, volume, query: { region }, body });
    const urls: string[] = [];
    for (const { part_number: number, url } of parts) {
      if (number < 1 || number > count)
        throw new UnexpectedReplyError(`the platform returned a signed URL for part ${number}`);
      urls[number - 1] = url;
    }
    return { id, urls: Array.from(urls, (url) => url ?? '') };
  }

  /** A file that a previous attempt uploaded may have been removed, overwritten or lost. */
  async #isUploaded(
    found: SizedFile,
    { bytes, mark }: SourceContent,
    sent: { since: number; at: number },
  ): Promise<boolean> {
    const at = this.#targetOf(found);
    const there = await this.#folders.find(at);
    if ((parseTimestamp(there?.modified ?? null) ?? 0) > sent.at + clockDifferenceMs) return false;
    const times = { startedAt: sent.since, endedAt: sent.at };
    const file = { found, target: at, bytes, mark, ...times, etags: [], resumedBytes: bytes };
    return (await this.#uploads.findProblem(file, there)) === undefined;
  }

  #usable(
    { upload, parts: saved, partBytes }: Partial<ResumableUpload>,
    source: SourceContent,
  ): ResumableUpload | undefined {
    const { resources, options } = this.context;
    const plan = planCopy(source, options, partBytes);
    const parts = saved && source.resumable(saved);
    const fits = upload && partBytes === plan.partBytes && upload.urls.length === plan.count;
    if (!fits || !parts?.length || !isUsable(upload.urls[0] ?? '', upload.urlsExpireAt, resources.now()))
      return undefined;
    return { upload, parts, partBytes };
  }

  #targetOf({ path }: FoundFile): VolumePath {
    return { ...this.target, path: joinRemotePath(this.target.path, path) };
  }
}

interface ResumableUpload {
  upload: OpenUpload;
  parts: SentPart[];
  partBytes: number;
}

/** Tolerated difference between the platform's clock and the local one. */
const clockDifferenceMs = 30_000;
