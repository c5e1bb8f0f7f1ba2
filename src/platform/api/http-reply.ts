import { systemCode, UnavailableError } from '../../kernel/errors.ts';

export interface HttpReply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  /** A long body, if the request allows it in chunks; `body` is empty then. */
  chunks?: Buffer[];
}

/** A shorter body is text in any case. */
const minChunkedBytes = 1024 * 1024;

/** With its body as text. With `allowsChunks`, a long one takes no memory for that. */
export function toReply(
  head: Pick<HttpReply, 'status' | 'headers'>,
  chunks: Buffer[],
  url: () => URL,
  allowsChunks = false,
): HttpReply {
  const isEncoded = encodingsOf(head.headers).length > 0;
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  if (allowsChunks && head.status === 200 && !isEncoded && bytes >= minChunkedBytes) {
    return { ...head, body: '', chunks };
  }
  const [only] = chunks;
  const body = only && chunks.length === 1 ? only : Buffer.concat(chunks);
  return { ...head, body: (isEncoded ? decompress(body, head, url().host) : body).toString('utf8') };
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

/** Undoes `Content-Encoding`. Throws UnavailableError if the encoding is unknown or the bytes are damaged. */
export function decompress(
  body: Buffer,
  { status, headers }: Pick<HttpReply, 'status' | 'headers'>,
  host: string,
): Buffer {
  let bytes = body;
  for (const encoding of encodingsOf(headers).reverse()) {
    const zlib = process.getBuiltinModule('node:zlib') as unknown as Record<string, Decode | undefined>;
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
