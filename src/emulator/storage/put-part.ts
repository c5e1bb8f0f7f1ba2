import type { Asked, Platform } from '../platform.ts';
import { Refusal, type Reply, storageError } from '../server/reply.ts';
import { checkSending } from './receive.ts';
import { checkLink } from './signed-url.ts';

/** Receives one part of a file for a volume. A part sent again takes the place of the first. */
export async function receivePart({ request, url, body }: Asked, platform: Platform): Promise<Reply> {
  checkSending(request);
  checkLink('PUT', url, platform);
  const { volumes } = platform;
  const upload = url.searchParams.get('uploadId') ?? '';
  const number = Number(url.searchParams.get('partNumber'));
  if (!volumes.uploads.has(upload)) throw new Refusal(noSuchUpload);
  const part = await volumes.pieces.keep(body);
  if (!volumes.uploads.has(upload)) {
    await volumes.pieces.remove([part]);
    throw new Refusal(noSuchUpload);
  }
  await volumes.change({ is: 'part', upload, number, part });
  return { status: 200, headers: { etag: `"${part.md5}"` }, body: '' };
}

const noSuchUpload = storageError(
  404,
  'NoSuchUpload',
  'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
);
