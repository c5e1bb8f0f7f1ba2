import { GantryError } from '../../kernel/errors.ts';
import { retryDelayMs } from '../../platform/api/retry.ts';
import { ConnectionError } from '../../platform/api/transport.ts';
import { completeUpload } from '../../platform/contract/volumes.ts';
import type { SentPart } from '../transfer/parts.ts';
import type { OpenUpload } from '../transfer/upload-file.ts';
import { sizeFromStorage, type VolumePath } from '../volumes/index.ts';
import { isNewFile } from './confirmed-by-listing.ts';
import type { CopyContext } from './copy-context.ts';
import type { RemoteFolders } from './remote-folders.ts';
import { parseTimestamp } from './unchanged.ts';

export interface UploadedFile {
  target: VolumePath;
  upload: OpenUpload;
  parts: SentPart[];
  bytes: number;
  /** Start of the upload in ms since 1970, by the storage's clock if its signed URLs or its responses show it. */
  startedAt: number;
}

const maxAttempts = 5;

/**
 * Assembles the file from its parts. If the reply is lost, the folder's listing shows by size and time whether the file
 * is there; if not, the call is repeated.
 */
export async function completeUploadedFile(
  sent: UploadedFile,
  context: CopyContext,
  folders: RemoteFolders,
): Promise<void> {
  const { resources } = context;
  for (let attempt = 1; ; attempt++) {
    try {
      return await complete(sent, context);
    } catch (error) {
      if (resources.signal.aborted || !mayBeComplete(error)) throw error;
      if (await hasArrived(sent, context, folders)) return;
      if (attempt === maxAttempts || error.facts.status === 404) throw error;
      await pauseBefore(attempt + 1, error, resources);
    }
  }
}

async function pauseBefore(attempt: number, reason: GantryError, resources: CopyContext['resources']): Promise<void> {
  const delayMs = retryDelayMs(attempt) ?? 0;
  resources.onRetry({ attempt, tries: maxAttempts, delayMs, reason });
  await resources.delay(delayMs, resources.signal);
}

async function complete({ target, upload, parts }: UploadedFile, { api, project }: CopyContext): Promise<void> {
  const { volume, region, path } = target;
  const body = {
    upload_id: upload.id,
    file_path: path,
    parts: parts.map(({ number, etag }) => ({ part_number: number, etag })),
    region,
  };
  await api(completeUpload, { project, volume, query: { region }, body });
}

/** The reply was lost, or says that the upload is gone, which is also true of a completed one. */
function mayBeComplete(error: unknown): error is GantryError {
  if (!(error instanceof GantryError)) return false;
  const { status = 0 } = error.facts;
  return status === 404 || status >= 500 || (error instanceof ConnectionError && error.mayHaveArrived);
}

async function hasArrived(
  { target, bytes, startedAt }: UploadedFile,
  context: CopyContext,
  folders: RemoteFolders,
): Promise<boolean> {
  const there = await folders.findNow(target);
  if (!there || there.isFolder) return false;
  const size = there.size ?? (await sizeFromStorage(target, context, context.resources));
  if (size !== bytes) return false;
  return isNewFile(parseTimestamp(there.modified), { bytes: 0, startedAt }, context);
}
