import { join } from 'node:path';
import { startBuild } from '../builds/handlers.ts';
import type { Asked, Platform } from '../platform.ts';
import type { Reply } from '../server/reply.ts';
import { checkSending, keep } from './receive.ts';
import { checkLink } from './signed-url.ts';

/**
 * Receives an app's archive as object storage does (wire §4): the link is all the permission there is. A build starts
 * because its archive has arrived; nobody reports the end of an upload.
 */
export async function receiveUpload({ request, url, body }: Asked, platform: Platform): Promise<Reply> {
  checkSending(request);
  const key = checkLink('PUT', url, platform);
  const path = join(platform.storage, key);
  const { md5 } = await keep(body, path);
  const build = [...platform.store.builds.values()].find((build) => build.keyName === key);
  if (build) await startBuild(build, platform, path);
  return { status: 200, headers: { etag: `"${md5}"` }, body: '' };
}
