import { createHash } from 'node:crypto';
import { type FileHandle, mkdir } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { dirname } from 'node:path';
import { writeAtomically } from '../../kernel/disk/index.ts';
import type { ByteStream } from './reply.ts';
import { RefusalError, storageError } from './reply.ts';

/** Refuses a request that is not a PUT of known length without a token. */
export function checkPutRequest(request: IncomingMessage): void {
  const failed = rules(request).find((rule) => !rule.holds);
  if (failed) throw new RefusalError(storageError(failed.status, failed.code, failed.message));
}

/** Streams a body to disk, and returns its MD5 in hex. Leaves no file if the body is incomplete. */
export async function saveStream(body: ByteStream, path: string): Promise<{ size: number; md5: string }> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const write = async (file: FileHandle) => {
    const digest = createHash('md5');
    const blocks = new BlockWriter(file);
    let size = 0;
    for await (const chunk of body) {
      digest.update(chunk);
      size += chunk.length;
      await blocks.add(chunk);
    }
    await blocks.end();
    return { size, md5: digest.digest('hex') };
  };
  return writeAtomically(path, write, { mode: 0o600 });
}

const blockBytes = 1024 * 1024;

/** Writes a block while the next one is received: the chunks of a socket are small. */
class BlockWriter {
  #chunks: Buffer[] = [];
  #held = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(private readonly file: FileHandle) {}

  async add(chunk: Buffer): Promise<void> {
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    if (this.#held >= blockBytes) await this.#write();
  }

  async end(): Promise<void> {
    await this.#write();
    await this.#writing;
  }

  /** Waits for the block before, not for this one. */
  async #write(): Promise<void> {
    const [chunks, bytes] = [this.#chunks, this.#held];
    this.#chunks = [];
    this.#held = 0;
    await this.#writing;
    this.#writing = writeChunks(this.file, chunks, bytes);
    // It is awaited with the next block.
    this.#writing.catch(() => {});
  }
}

/** Without joining them: each new buffer brings the next garbage collection closer, which takes longer than the copy. */
async function writeChunks(file: FileHandle, chunks: Buffer[], bytes: number): Promise<void> {
  const { bytesWritten } = bytes > 0 ? await file.writev(chunks) : { bytesWritten: 0 };
  // The disk may be full: then this fails.
  if (bytesWritten < bytes) await file.writeFile(Buffer.concat(chunks).subarray(bytesWritten));
}

const maxPutBytes = 5 * 1024 ** 3;

function rules({ method, headers }: IncomingMessage) {
  return [
    {
      holds: method === 'PUT',
      status: 405,
      code: 'MethodNotAllowed',
      message: 'The specified method is not allowed against this resource.',
    },
    {
      // Real object storage treats a bearer token as a second signature.
      holds: headers.authorization === undefined,
      status: 400,
      code: 'InvalidArgument',
      message: 'Only one auth mechanism allowed',
    },
    {
      holds: headers['transfer-encoding'] === undefined,
      status: 501,
      code: 'NotImplemented',
      message: 'A header you provided implies functionality that is not implemented: Transfer-Encoding',
    },
    {
      holds: headers['content-length'] !== undefined,
      status: 411,
      code: 'MissingContentLength',
      message: 'You must provide the Content-Length HTTP header.',
    },
    {
      holds: !(Number(headers['content-length']) > maxPutBytes),
      status: 400,
      code: 'EntityTooLarge',
      message: 'Your proposed upload exceeds the maximum allowed size',
    },
  ];
}
