import { type RetryOptions, retrying } from '../api/retry.ts';
import { openRegular } from '../disk/index.ts';
import { fileStretch } from './byte-range.ts';
import type { ConnectionOptions } from './connections.ts';
import { withEngine } from './resources.ts';
import { sendOnce } from './send.ts';

export { LinkExpiredError } from './storage-errors.ts';

export interface Upload {
  /** A signed link: whoever holds it may write, so it is sent no token and shown to nobody. */
  url: string;
  file: string;
  /** Length of the file in bytes, sent before the first of them. */
  bytes: number;
  contentType: string;
}

/** A connection on which no byte moves for `silenceMs` is given up; the whole may take as long as it takes. */
export interface UploadOptions extends RetryOptions, ConnectionOptions {
  onProgress: (sentBytes: number) => void;
  now: () => number;
  elapsed: () => number;
}

/**
 * Uploads a file with one PUT to a presigned URL, from the start on each attempt. Retries broken connections, 408, 429
 * and 5xx, never another 4xx.
 */
export async function putFile({ file, ...upload }: Upload, options: UploadOptions): Promise<void> {
  let sent = 0;
  const onBytes = (bytes: number) => {
    sent += bytes;
    options.onProgress(sent);
  };
  const alone = { check: false, concurrency: 1, limitRate: undefined };
  await withEngine({ ...options, ...alone, onBytes }, async (engine) => {
    const handle = await openRegular(file);
    try {
      await retrying(
        () => sendOnce({ ...upload, read: () => fileStretch(handle, 0) }, engine, engine.signal),
        (error) => error.facts.retryable === true,
        engine,
      );
    } finally {
      await handle.close();
    }
  });
}
