import { createHash, hash } from 'node:crypto';
import { type FileHandle, mkdir } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { dirname } from 'node:path';
import { writeAtomically, writeFileAtomicSync } from '../../kernel/disk/index.ts';
import { begun } from '../../kernel/once.ts';
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
    writeFileAtomicSync(path, content);
    return { size: content.length, md5: hash('md5', content) };
  }
  const write = async (file: FileHandle) => {
    const digest = createHash('md5');
    let size = 0;
    // A chunk is written while the next one is received.
    let writing = Promise.resolve();
    for await (const chunk of content) {
      digest.update(chunk);
      size += chunk.length;
      await writing;
      writing = begun(file.writeFile(chunk));
    }
    await writing;
    return { size, md5: digest.digest('hex') };
  };
  return writeAtomically(path, write, { mode: 0o600 });
}

const maxPutBytes = 5 * 1024 ** 3;

type RequestRule = [holds: boolean, status: number, code: string, message: string];

function rules({ method, headers }: IncomingMessage): RequestRule[] {
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
