import { systemCode, UnavailableError } from '../../kernel/errors.ts';

export interface HttpReply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  /** The compressed body if the server compressed it; `body` is empty then. See {@link decodeReply}. */
  encoded?: Buffer;
  /** A long body, if the request allows it in chunks; `body` is empty then. */
  chunks?: Buffer[];
}

/** A shorter body is text in any case. */
const minChunkedBytes = 1024 * 1024;

/** As bytes if the server compressed it unasked. With `allowsChunks`, a long body takes no memory for its text. */
export function toReplyBody(
  chunks: Buffer[],
  headers: HttpReply['headers'],
  allowsChunks = false,
): Pick<HttpReply, 'body' | 'encoded' | 'chunks'> {
  if (encodingsOf(headers).length > 0) return { body: '', encoded: Buffer.concat(chunks) };
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  if (allowsChunks && bytes >= minChunkedBytes) return { body: '', chunks };
  const [only] = chunks;
  return { body: (only && chunks.length === 1 ? only : Buffer.concat(chunks)).toString('utf8') };
}

/** The start of a body. With `onError`, what arrived before its connection failed. */
export async function readAtMost(
  body: AsyncIterable<Buffer> | readonly Buffer[],
  maxBytes: number,
  onError: (error: unknown) => void = (error) => {
    throw error;
  },
): Promise<{ content: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > maxBytes) break;
    }
  } catch (error) {
    onError(error);
  }
  return { content: Buffer.concat(chunks).subarray(0, maxBytes), isCut: bytes > maxBytes };
}

/** Maximum of a decompressed body, because a small reply may expand to gigabytes. */
const maxDecodedBytes = 256 * 1024 * 1024;

export async function decodeReply(reply: HttpReply, host: string): Promise<HttpReply> {
  if (!reply.encoded) return reply;
  const { status, headers } = reply;
  return { status, headers, body: (await decompress(reply.encoded, { status, headers }, host)).toString('utf8') };
}

/** Undoes `Content-Encoding`. Throws UnavailableError if the encoding is unknown or the bytes are damaged. */
export async function decompress(
  body: Buffer,
  { status, headers }: Pick<HttpReply, 'status' | 'headers'>,
  host: string,
): Promise<Buffer> {
  let bytes = body;
  for (const encoding of encodingsOf(headers).reverse()) {
    const zlib = (await import('node:zlib')) as unknown as Record<string, Decode | undefined>;
    const decode = zlib[decoders.get(encoding) ?? ''];
    if (!decode) {
      throw new UnavailableError(`the reply of ${host} has the encoding "${encoding}", which is not supported`, {
        why: 'gantry requests no encoding; a proxy may have added it',
        status,
      });
    }
    try {
      // An empty body is empty in every encoding.
      if (bytes.length > 0) bytes = decode(bytes, { maxOutputLength: maxDecodedBytes });
    } catch (cause) {
      damaged(host, status, cause);
    }
  }
  return bytes;
}

type Decode = (bytes: Buffer, options: { maxOutputLength: number }) => Buffer;

/** Functions of Node's zlib, which has `zstd` from 22.15 on. */
const decoders = new Map([
  ['gzip', 'gunzipSync'],
  ['x-gzip', 'gunzipSync'],
  ['deflate', 'inflateSync'],
  ['br', 'brotliDecompressSync'],
  ['zstd', 'zstdDecompressSync'],
]);

function damaged(host: string, status: number, cause: unknown): never {
  const tooLarge = systemCode(cause) === 'ERR_BUFFER_TOO_LARGE';
  const what = tooLarge ? `is larger than ${maxDecodedBytes} bytes` : 'is compressed and damaged';
  throw new UnavailableError(`the reply of ${host} ${what} (HTTP ${status})`, { status, retryable: !tooLarge, cause });
}

export function encodingsOf(headers: HttpReply['headers']): string[] {
  return [headers['content-encoding'] ?? []]
    .flat()
    .flatMap((value) => value.toLowerCase().split(','))
    .map((encoding) => encoding.trim())
    .filter((encoding) => encoding !== '' && encoding !== 'identity');
}
