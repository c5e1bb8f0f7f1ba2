import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { startBuild } from './builds.ts';
import { checkLink } from './links.ts';
import type { Platform } from './platform.ts';
import { Refusal, type Reply, storageError } from './reply.ts';

/**
 * Receives a file as object storage does (wire §4): the link is all the permission there is. A build starts because
 * its archive has arrived; nobody reports the end of an upload.
 */
export async function receiveUpload(request: IncomingMessage, link: URL, platform: Platform): Promise<Reply> {
  const broken = rules(request).find((rule) => !rule.holds);
  if (broken) throw new Refusal(storageError(broken.status, broken.code, broken.message));
  const key = checkLink(link, platform);
  const path = join(platform.storage, key);
  const etag = await keep(request, path);
  const build = [...platform.store.builds.values()].find((build) => build.keyName === key);
  if (build) await startBuild(build, platform, path);
  return { status: 200, headers: { etag: `"${etag}"` }, body: '' };
}

/** What object storage insists on before it looks at the link. */
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
  ];
}

/** Streams the body to disk and gives its MD5. It appears under its name only when it is whole. */
async function keep(request: IncomingMessage, path: string): Promise<string> {
  const part = `${path}.${randomUUID()}.part`;
  const digest = createHash('md5');
  await mkdir(dirname(path), { recursive: true });
  try {
    await pipeline(request, digesting(digest), createWriteStream(part, { mode: 0o600 }));
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  return digest.digest('hex');
}

function digesting(digest: { update(chunk: Buffer): unknown }) {
  return async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      digest.update(chunk);
      yield chunk;
    }
  };
}
