import { withRetries } from '../api/retry.ts';
import { checkStatus, requestError } from './range-request.ts';
import type { TransferResources } from './resources.ts';
import { parseSignedUrl } from './signed-url.ts';

/** What the storage tells about a file. */
export interface RemoteFileInfo {
  bytes: number | undefined;
  /** Empty if there is none. */
  etag: string;
  /** Milliseconds since 1970. */
  modified: number | undefined;
}

/** Asks the storage by reading one byte: a signed link is valid for GET only. `link` gives a new signed link. */
export function readRemoteFileInfo(link: () => Promise<string>, resources: TransferResources): Promise<RemoteFileInfo> {
  return withRetries(
    () => resources.small.run(() => askOnce(link, resources), 0),
    (error) => error.facts.retryable === true,
    resources,
  );
}

async function askOnce(link: () => Promise<string>, resources: TransferResources): Promise<RemoteFileInfo> {
  const url = parseSignedUrl(await link(), 'download');
  const { dispatcher, signal } = resources;
  try {
    const reply = await dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'GET',
      headers: { 'accept-encoding': 'identity', range: 'bytes=0-0' },
      signal,
    });
    // An empty file has no first byte.
    if (reply.statusCode !== 416) await checkStatus(reply, resources);
    await reply.body.dump({ limit: mostDiscarded });
    const { etag, 'last-modified': modified } = reply.headers;
    const time = Date.parse(String(modified));
    return {
      bytes: sizeIn(reply),
      etag: etag === undefined ? '' : String(etag),
      modified: Number.isNaN(time) ? undefined : time,
    };
  } catch (cause) {
    throw requestError(cause, url, resources, signal);
  }
}

/** Bytes that are read to keep the connection: of a longer body the connection is closed. */
const mostDiscarded = 16 * 1024;

function sizeIn({ statusCode, headers }: Pick<Parameters<typeof checkStatus>[0], 'statusCode' | 'headers'>) {
  const range = String(headers['content-range'] ?? '');
  if (statusCode === 206) return numberIn(/^bytes 0-0\/(\d+)$/i.exec(range)?.[1]);
  if (statusCode === 416) return numberIn(/^bytes \*\/(\d+)$/i.exec(range)?.[1] ?? '0');
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase();
  return encoding === 'identity' ? numberIn([headers['content-length']].flat()[0]) : undefined;
}

function numberIn(text: string | undefined): number | undefined {
  const number = text === undefined ? Number.NaN : Number(text);
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}
