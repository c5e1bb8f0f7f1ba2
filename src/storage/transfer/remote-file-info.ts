import { checkReply, requestError, requestStream, type StorageReply } from './range-request.ts';
import { parseSignedUrl } from './signed-url.ts';
import { repeated, type TransferContext } from './transfer-context.ts';

export interface RemoteFileInfo {
  bytes: number | undefined;
  /** Empty if there is none. */
  etag: string;
  /** Milliseconds since 1970. */
  modified: number | undefined;
}

/** Requests one byte, because a signed URL is valid for GET only. `createUrl` requests a new signed URL. */
export function readRemoteFileInfo(
  createUrl: () => Promise<string>,
  resources: TransferContext,
): Promise<RemoteFileInfo> {
  const request = { kind: 'small', order: 0, bytes: 1 } as const;
  return repeated(() => resources.requests.run(request, () => requestInfo(createUrl, resources)), resources);
}

async function requestInfo(createUrl: () => Promise<string>, resources: TransferContext): Promise<RemoteFileInfo> {
  const url = parseSignedUrl(await createUrl(), 'download');
  const { signal } = resources;
  try {
    const reply = await requestStream(url, firstByte, resources, signal);
    // An empty file has no first byte.
    if (reply.statusCode !== 416) await checkReply(reply, url, resources);
    await reply.body.dump({ limit: maxDiscardedBytes });
    return infoOf(reply);
  } catch (cause) {
    throw requestError(cause, url, resources, signal);
  }
}

/** Bytes that are read to keep the connection; with a longer body it is closed. */
const maxDiscardedBytes = 16 * 1024;

export const firstByte = { 'accept-encoding': 'identity', range: 'bytes=0-0' };

export function infoOf(reply: Pick<StorageReply, 'statusCode' | 'headers'>): RemoteFileInfo {
  const { etag, 'last-modified': modified } = reply.headers;
  const time = Date.parse(String(modified));
  return {
    bytes: parseSize(reply),
    etag: etag === undefined ? '' : String(etag),
    modified: Number.isNaN(time) ? undefined : time,
  };
}

function parseSize({ statusCode, headers }: Pick<StorageReply, 'statusCode' | 'headers'>) {
  const range = String(headers['content-range'] ?? '');
  if (statusCode === 206) return parseCount(/^bytes 0-0\/(\d+)$/i.exec(range)?.[1]);
  if (statusCode === 416) return parseCount(/^bytes \*\/(\d+)$/i.exec(range)?.[1] ?? '0');
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase();
  return encoding === 'identity' ? parseCount([headers['content-length']].flat()[0]) : undefined;
}

function parseCount(text: string | undefined): number | undefined {
  const number = text === undefined ? Number.NaN : Number(text);
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}
