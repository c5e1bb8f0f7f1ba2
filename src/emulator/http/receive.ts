import { createHash, hash } from 'node:crypto';
import { type FileHandle, mkdir } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { dirname } from 'node:path';
import { writeAtomically, writeFileAtomicSync } from '../../kernel/disk/index.ts';
import { readSmall } from './read-request.ts';
import { type ByteStream, maxAtOnceBytes, refuseStorage } from './reply.ts';

/** Refuses a request that is not a PUT of known length without a token. */
export function checkPutRequest(request: IncomingMessage): void {
  for (const [holds, ...error] of rules(request)) if (!holds) refuseStorage(...error);
}

/** Streams a body to disk, and returns its MD5 in hex. Leaves no file if the body is incomplete. */
export async function saveStream(body: ByteStream, path: string): Promise<{ size: number; md5: string }> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const content = await readSmall(body, maxAtOnceBytes);
  if (Buffer.isBuffer(content)) {
    writeFileAtomicSync(path, content, { mode: 0o600 });
    return { size: content.length, md5: hash('md5', content) };
  }
  const write = async (file: FileHandle) => {
    const digest = createHash('md5');
    const blocks = new BlockWriter(file);
    let size = 0;
    for await (const chunk of content) {
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

type Rule = [holds: boolean, status: number, code: string, message: string];

function rules({ method, headers }: IncomingMessage): Rule[] {
  const { authorization, 'transfer-encoding': encoding, 'content-length': length } = headers;
  const implied = 'A header you provided implies functionality that is not implemented: Transfer-Encoding';
  return [
    [method === 'PUT', 405, 'MethodNotAllowed', 'The specified method is not allowed against this resource.'],
    // Real object storage treats a bearer token as a second signature.
    [authorization === undefined, 400, 'InvalidArgument', 'Only one auth mechanism allowed'],
    [encoding === undefined, 501, 'NotImplemented', implied],
    [length !== undefined, 411, 'MissingContentLength', 'You must provide the Content-Length HTTP header.'],
    [!(Number(length) > maxPutBytes), 400, 'EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size'],
  ];
}
