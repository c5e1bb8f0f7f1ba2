import { type RetryOptions, withRetries } from '../api/retry.ts';
import { openRegular } from '../disk/index.ts';
import { fileRange } from './byte-range.ts';
import type { ConnectionOptions } from './connections.ts';
import { sendPutRequest } from './put-request.ts';
import { withTransferResources } from './resources.ts';

export { UrlExpiredError } from './storage-errors.ts';

export interface ArchiveUpload {
  /** A signed link: whoever holds it may write, so it is sent no token and shown to nobody. */
  url: string;
  file: string;
  /** Length of the file in bytes, sent before the first of them. */
  bytes: number;
  contentType: string;
}

/** A connection on which no byte moves for `silenceMs` is given up; the whole may take as long as it takes. */
export interface UploadArchiveOptions extends RetryOptions, ConnectionOptions {
  onProgress: (sentBytes: number) => void;
  now: () => number;
  elapsed: () => number;
}

/**
 * Uploads a file with one PUT to a presigned URL, from the start on each attempt. Retries broken connections, 408, 429
 * and 5xx, never another 4xx.
 */
export async function uploadArchive({ file, ...upload }: ArchiveUpload, options: UploadArchiveOptions): Promise<void> {
  let sent = 0;
  const onBytes = (bytes: number) => {
    sent += bytes;
    options.onProgress(sent);
  };
  const alone = { check: false, concurrency: 1, limitRate: undefined };
  await withTransferResources({ ...options, ...alone, onBytes }, async (resources) => {
    const handle = await openRegular(file);
    try {
      await withRetries(
        () => sendPutRequest({ ...upload, read: () => fileRange(handle, 0) }, resources, resources.signal),
        (error) => error.facts.retryable === true,
        resources,
      );
    } finally {
      await handle.close();
    }
  });
}
