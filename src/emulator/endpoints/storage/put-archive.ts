import { join } from 'node:path';
import { checkPutRequest, saveStream } from '../../http/receive.ts';
import type { ServerReply } from '../../http/reply.ts';
import { startBuild } from '../builds/handlers.ts';
import type { Platform, RequestContext } from '../platform.ts';
import { verifySignedUrl } from './signed-url.ts';

/** Reading a larger archive takes longer than receiving it. Meanwhile its build is pending. */
const largeBytes = 16 * 1024 * 1024;

/**
 * Receives an app's archive as object storage does: the presigned URL is the only permission. The arrival of the
 * archive starts the build, because no call reports the end of an upload (docs/platform.md#uploads).
 */
export async function putArchive({ request, url, body }: RequestContext, platform: Platform): Promise<ServerReply> {
  checkPutRequest(request);
  const key = verifySignedUrl('PUT', url, platform);
  const path = join(platform.storage, key);
  const { md5, size } = await saveStream(body, path);
  const build = [...platform.store.builds.values()].find((build) => build.keyName === key);
  if (build) {
    const starting = startBuild(build, platform, path);
    if (size < largeBytes) await starting;
    else platform.runner.runInBackground(starting);
  }
  return { status: 200, headers: { etag: `"${md5}"` }, body: '' };
}
