import { retryDelayMs } from '../../api/retry.ts';
import { ConnectionError } from '../../api/transport.ts';
import { completeUpload } from '../../contract/volumes.ts';
import { GantryError } from '../../errors.ts';
import type { OpenUpload, SentPart } from '../../transfer/upload-file.ts';
import { sizeFromStorage, type VolumePath } from '../volumes/index.ts';
import type { CopyContext } from './copy-context.ts';
import type { RemoteFolders } from './remote-folders.ts';

export interface UploadedFile {
  target: VolumePath;
  upload: OpenUpload;
  parts: SentPart[];
  bytes: number;
  /** When the upload began, in milliseconds of the storage's clock if its links tell it. */
  startedAt: number;
}

const mostTries = 5;

/**
 * Assembles the file from its parts. A lost answer leaves the result open, so the folder's listing decides, by size and
 * time. If the file is not there, the call is repeated.
 */
export async function completeUploadedFile(
  sent: UploadedFile,
  context: CopyContext,
  folders: RemoteFolders,
): Promise<void> {
  const { resources } = context;
  for (let tries = 1; ; tries++) {
    try {
      return await complete(sent, context);
    } catch (error) {
      if (resources.signal.aborted || !(error instanceof GantryError) || !mayBeDone(error)) throw error;
      if (await hasArrived(sent, context, folders)) return;
      if (tries === mostTries || error.facts.status === 404) throw error;
      const delayMs = retryDelayMs(tries + 1) ?? 0;
      resources.onRetry({ attempt: tries + 1, tries: mostTries, delayMs, reason: error });
      await resources.delay(delayMs, resources.signal);
    }
  }
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

/** The answer was lost, or says that the upload is gone, as it is when it is complete. */
function mayBeDone(error: GantryError): boolean {
  const { status } = error.facts;
  const isLost = error instanceof ConnectionError && error.mayHaveArrived;
  return isLost || status === 404 || (status !== undefined && status >= 500);
}

/** By the storage's own clock, in whole seconds. */
async function hasArrived(
  { target, bytes, startedAt }: UploadedFile,
  context: CopyContext,
  folders: RemoteFolders,
): Promise<boolean> {
  const there = await folders.findNow(target);
  if (!there || there.isFolder) return false;
  const size = there.size ?? (await sizeFromStorage(target, context, context.resources));
  if (size !== bytes) return false;
  return Date.parse(there.modified ?? '') >= Math.floor(startedAt / 1000) * 1000;
}
