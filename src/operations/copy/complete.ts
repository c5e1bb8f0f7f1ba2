import { retryDelayMs } from '../../api/retry.ts';
import { ConnectionError } from '../../api/transport.ts';
import { completeUpload } from '../../contract/volumes.ts';
import { GantryError } from '../../errors.ts';
import type { OpenUpload, SentPart } from '../../transfer/upload-file.ts';
import { sizeOnStorage, type VolumePath } from '../volumes/index.ts';
import type { Job } from './copy-context.ts';
import type { RemoteFolders } from './remote-folders.ts';

export interface SentFile {
  at: VolumePath;
  upload: OpenUpload;
  parts: SentPart[];
  bytes: number;
  /** When the upload began, in milliseconds of the storage's clock if its links tell it. */
  since: number;
}

const mostTries = 5;

/**
 * Assembles the file from its parts. A lost answer leaves the result open, so the folder's listing decides, by size and
 * time. If the file is not there, the call is repeated.
 */
export async function completeFile(sent: SentFile, job: Job, folders: RemoteFolders): Promise<void> {
  const { engine } = job;
  for (let tries = 1; ; tries++) {
    try {
      return await complete(sent, job);
    } catch (error) {
      if (engine.signal.aborted || !(error instanceof GantryError) || !mayBeDone(error)) throw error;
      if (await hasArrived(sent, job, folders)) return;
      if (tries === mostTries || error.facts.status === 404) throw error;
      const delayMs = retryDelayMs(tries + 1) ?? 0;
      engine.onRetry({ attempt: tries + 1, tries: mostTries, delayMs, reason: error });
      await engine.delay(delayMs, engine.signal);
    }
  }
}

async function complete({ at, upload, parts }: SentFile, { api, project }: Job): Promise<void> {
  const { volume, region, path } = at;
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
async function hasArrived({ at, bytes, since }: SentFile, job: Job, folders: RemoteFolders): Promise<boolean> {
  const there = await folders.findNow(at);
  if (!there || there.isFolder) return false;
  const size = there.size ?? (await sizeOnStorage(at, job, job.engine));
  if (size !== bytes) return false;
  return Date.parse(there.modified ?? '') >= Math.floor(since / 1000) * 1000;
}
