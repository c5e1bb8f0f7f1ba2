import { openRegular } from '../../kernel/disk/index.ts';
import type { RetryOptions } from '../../platform/api/retry.ts';
import { fileSource } from './byte-source.ts';
import type { ConnectionOptions } from './connections.ts';
import { type PutRequest, sendPutRequest } from './put-request.ts';
import { repeated, withTransferContext } from './transfer-context.ts';

export { UrlExpiredError } from './storage-errors.ts';

export interface ArchiveUpload extends Omit<PutRequest, 'read'> {
  file: string;
}

/** A connection without traffic for `silenceMs` fails; there is no limit for the whole upload. */
export interface UploadArchiveOptions extends RetryOptions, ConnectionOptions {
  onProgress: (sentBytes: number) => void;
  now: () => number;
  elapsed: () => number;
}

/** Starts over on each attempt. Retries failed connections, 408, 429 and 5xx, but no other 4xx. */
export async function uploadArchive({ file, ...upload }: ArchiveUpload, options: UploadArchiveOptions): Promise<void> {
  let sent = 0;
  const onBytes = (bytes: number) => {
    sent += bytes;
    options.onProgress(sent);
  };
  const single = { check: false, concurrency: 1, limitRate: undefined };
  await withTransferContext({ ...options, ...single, onBytes }, async (resources) => {
    const handle = await openRegular(file);
    try {
      const read = () => fileSource(handle, 0);
      await repeated(() => sendPutRequest({ ...upload, read }, resources, resources.signal), resources);
    } finally {
      await handle.close();
    }
  });
}
