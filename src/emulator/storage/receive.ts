import { createHash } from 'node:crypto';
import { type FileHandle, mkdir } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { dirname } from 'node:path';
import { writeInPlace } from '../../disk/index.ts';
import type { ByteStream } from '../server/reply.ts';
import { RefusalError, storageError } from '../server/reply.ts';

/** Refuses what object storage does not even look at: anything but a PUT of a known length that needs no token. */
export function checkPutRequest(request: IncomingMessage): void {
  const broken = rules(request).find((rule) => !rule.holds);
  if (broken) throw new RefusalError(storageError(broken.status, broken.code, broken.message));
}

/** Writes a body to disk as it comes. Returns its size and its MD5 in hex. Nothing is left of a body that breaks off. */
export async function saveStream(body: ByteStream, path: string): Promise<{ size: number; md5: string }> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const write = async (file: FileHandle) => {
    const digest = createHash('md5');
    let size = 0;
    for await (const chunk of body) {
      digest.update(chunk);
      size += chunk.length;
      await file.writeFile(chunk);
    }
    return { size, md5: digest.digest('hex') };
  };
  return writeInPlace(path, write, { mode: 0o600 });
}

/** Bytes of one PUT: more has to come in parts. */
const maxPutBytes = 5 * 1024 ** 3;

function rules({ method, headers }: IncomingMessage) {
  return [
    {
      ...{ holds: method === 'PUT', status: 405, code: 'MethodNotAllowed' },
      message: 'The specified method is not allowed against this resource.',
    },
    {
      // A bearer token beside a signed link: real storage takes it for a second signature.
      ...{ holds: headers.authorization === undefined, status: 400, code: 'InvalidArgument' },
      message: 'Only one auth mechanism allowed',
    },
    {
      ...{ holds: headers['transfer-encoding'] === undefined, status: 501, code: 'NotImplemented' },
      message: 'A header you provided implies functionality that is not implemented: Transfer-Encoding',
    },
    {
      ...{ holds: headers['content-length'] !== undefined, status: 411, code: 'MissingContentLength' },
      message: 'You must provide the Content-Length HTTP header.',
    },
    {
      ...{ holds: !(Number(headers['content-length']) > maxPutBytes), status: 400, code: 'EntityTooLarge' },
      message: 'Your proposed upload exceeds the maximum allowed size',
    },
  ];
}
