import { GantryError, isReplyWith } from '../../kernel/errors.ts';
import { ConnectionError } from '../../platform/api/transport.ts';
import { completeUpload, initializeUpload } from '../../platform/contract/volumes.ts';
import { possibleEtags } from '../transfer/hash.ts';
import { isUsable, signedAt } from '../transfer/signed-url.ts';
import { type FileUpload, type UploadedParts, uploadFile } from '../transfer/upload-file.ts';
import type { ListedEntry, VolumePath } from '../volumes/index.ts';
import type { ReportFailure } from './copy-all.ts';
import { LostUploadError } from './copy-file.ts';
import { ListedFiles } from './listed-files.ts';
import type { CopyContext, CopyJob, FoundFile, SourceContent, TargetPlace } from './ports.ts';
import { contentToCompare, openSource, verifyCopy } from './source-content.ts';
import { isNewFile, UploadConfirmation, uploadStart } from './upload-confirmation.ts';

/** A folder of a volume. A file counts as copied once the volume lists it. */
export class VolumePlace implements TargetPlace {
  readonly toleranceMs = 0;
  readonly #files: ListedFiles;
  readonly #uploads: UploadConfirmation;

  constructor(
    private readonly context: CopyContext,
    target: VolumePath,
    fail: ReportFailure,
  ) {
    this.#files = new ListedFiles(context, target);
    this.#uploads = new UploadConfirmation(context, this.#files, fail);
  }

  find(path: string): Promise<ListedEntry | undefined> {
    return this.#files.find(path);
  }

  expect({ path }: FoundFile): void {
    this.#uploads.expect(this.#files.at(path));
  }

  end({ path }: FoundFile): void {
    this.#uploads.end(this.#files.at(path));
  }

  finish(): Promise<void> {
    return this.#uploads.finish();
  }

  open(file: FoundFile): Promise<SourceContent> {
    return openSource(file, this.context, this.context.resources);
  }

  async write(entry: FoundFile, source: SourceContent, job: CopyJob): ReturnType<TargetPlace['write']> {
    const { context } = this;
    const { resources, options, progress } = context;
    const { bytes, mark } = source;
    const target = this.#files.at(entry.path);
    const startedAt = resources.now();
    const upload: FileUpload = {
      ...job,
      saved: usable(job, source, startedAt),
      createReader: (parts) => source.createReader(parts),
      startUpload: (parts) => this.#begin(target, parts),
    };
    const sent = await uploadFile(upload, resources);
    await source.checkUnchanged();
    const begun = resources.storageClock.timeOf(startedAt);
    const signed = signedAt(sent.upload.urls[0] ?? '');
    try {
      await this.#complete(entry, sent, { bytes, startedAt: signed ?? begun });
    } catch (error) {
      // The platform may have dropped an old upload session.
      if (sent.resumedBytes === 0 || !isReplyWith(error, [400, 404, 409])) throw error;
      progress.transferred(sent.resumedBytes - bytes);
      throw new LostUploadError(error.message);
    }
    if (options.verify) await this.verify(entry, source);
    const since = uploadStart(signed, begun);
    const { resumedBytes, parts } = sent;
    const count = () => {
      progress.uploaded(bytes);
      const uploaded = { found: entry, target, bytes, mark, startedAt: since, resumedBytes };
      this.#uploads.add({ ...uploaded, etags: possibleEtags(parts) });
    };
    return { since, count };
  }

  verify({ path }: FoundFile, { original, bytes }: SourceContent): Promise<void> {
    const { context } = this;
    const { resources } = context;
    return verifyCopy(original, contentToCompare(this.#files.at(path), bytes, context, resources), resources);
  }

  async #begin({ path, volume, region }: VolumePath, count: number): Promise<{ id: string; urls: string[] }> {
    const { api, project } = this.context;
    const body = { file_path: path, part_count: count, region };
    const { upload_id: id, parts } = await api(initializeUpload, { project, volume, query: { region }, body });
    const urls: string[] = [];
    for (const { part_number: number, url } of parts) urls[number - 1] = url;
    return { id, urls: Array.from(urls, (url) => url ?? '') };
  }

  /** Assembles the file. If the reply is lost, the folder's listing shows whether it is there. */
  async #complete(entry: FoundFile, { upload, parts }: UploadedParts, sent: { bytes: number; startedAt: number }) {
    const { api, project, resources } = this.context;
    const { volume, region, path } = this.#files.at(entry.path);
    const listed = parts.map(({ number, etag }) => ({ part_number: number, etag }));
    const body = { upload_id: upload.id, file_path: path, parts: listed, region };
    try {
      await api(completeUpload, { project, volume, query: { region }, body });
    } catch (error) {
      if (resources.signal.aborted || !mayBeComplete(error)) throw error;
      const there = await this.#files.findNow(entry.path);
      const isNew = isNewFile(there?.modified, { ...sent, bytes: 0 }, this.context);
      if (there?.bytes !== sent.bytes || !isNew) throw error;
    }
  }

  /** A file that a previous attempt uploaded may have been removed, overwritten or lost. */
  async isThere(
    found: FoundFile,
    { bytes, mark }: SourceContent,
    { since, at }: Parameters<TargetPlace['isThere']>[2],
  ): Promise<boolean> {
    const target = this.#files.at(found.path);
    const there = await this.#files.find(found.path);
    if ((there?.modified ?? 0) > at + clockDifferenceMs) return false;
    const times = { startedAt: since, endedAt: at };
    const file = { found, target, bytes, mark, ...times, etags: [], resumedBytes: bytes };
    return (await this.#uploads.findProblem(file, there)) === undefined;
  }
}

const clockDifferenceMs = 30_000;

/** The upload session of a previous attempt, while its URLs are valid. */
function usable({ saved, plan }: CopyJob, source: SourceContent, now: number): FileUpload['saved'] {
  if (!saved || !('urls' in saved.attempt)) return undefined;
  const { attempt } = saved;
  const sent = saved.parts.flatMap(({ etag, ...part }) => (etag === undefined ? [] : [{ ...part, etag }]));
  const parts = source.resumable(sent);
  const fits = parts.length > 0 && attempt.urls.length === plan.count;
  return fits && isUsable(attempt.urls[0] ?? '', attempt.urlsExpireAt, now) ? { attempt, parts } : undefined;
}

/** The reply was lost, or says that the upload is gone, which is also true of a completed one. */
function mayBeComplete(error: unknown): error is GantryError {
  if (!(error instanceof GantryError)) return false;
  const { status = 0 } = error.facts;
  return status === 404 || status >= 500 || (error instanceof ConnectionError && error.mayHaveArrived);
}
