import { checkPutRequest } from '../../http/receive.ts';
import { RefusalError, type ServerReply, storageError } from '../../http/reply.ts';
import type { Platform, RequestContext } from '../platform.ts';
import { verifySignedUrl } from './signed-url.ts';

/** Receives one part of an upload. A part that is sent again replaces the first one. */
export async function putPart({ request, url, body }: RequestContext, platform: Platform): Promise<ServerReply> {
  checkPutRequest(request);
  verifySignedUrl('PUT', url, platform);
  const { volumes } = platform;
  const upload = url.searchParams.get('uploadId') ?? '';
  const number = Number(url.searchParams.get('partNumber'));
  if (!volumes.uploads.has(upload)) throw new RefusalError(noSuchUpload);
  const part = await volumes.parts.save(body);
  if (!volumes.uploads.has(upload)) {
    await volumes.parts.remove([part]);
    throw new RefusalError(noSuchUpload);
  }
  await volumes.change({ is: 'part', upload, number, part });
  return { status: 200, headers: { etag: `"${part.md5}"` }, body: '' };
}

const noSuchUpload = storageError(
  404,
  'NoSuchUpload',
  'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
);
