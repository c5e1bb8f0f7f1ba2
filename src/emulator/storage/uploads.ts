import { join } from 'node:path';
import { startBuild } from '../builds.ts';
import type { Reply } from '../reply.ts';
import { checkLink } from './links.ts';
import { checkSending, keep } from './receive.ts';
import type { StorageRequest } from './serve.ts';

/**
 * Receives an app's archive as object storage does: the presigned URL is the only permission. The arrival of the
 * archive starts the build, because no call reports the end of an upload (docs/platform.md#uploads).
 */
export async function receiveUpload({ request, url, body, platform }: StorageRequest): Promise<Reply> {
  checkSending(request);
  const key = checkLink('PUT', url, platform);
  const path = join(platform.storage, key);
  const { md5 } = await keep(body, path);
  const build = [...platform.store.builds.values()].find((build) => build.keyName === key);
  if (build) await startBuild(build, platform, path);
  return { status: 200, headers: { etag: `"${md5}"` }, body: '' };
}
