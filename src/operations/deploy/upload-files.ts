import { mayHaveHappened } from '../../api/lost-reply.ts';
import type { Context } from '../../context.ts';
import type { CreatedApp } from '../../contract/apps.ts';
import { UnexpectedReplyError } from '../../errors.ts';
import { duration } from '../../output/format.ts';
import type { AppArchive } from '../../project/archive.ts';
import { uploadArchive } from '../../transfer/upload-archive.ts';
import { fetchBuild } from '../builds/index.ts';
import { tryRequest, waitForChange } from '../waiting/index.ts';
import { isPending } from './pending-upload.ts';

interface BuildFiles {
  app: string;
  created: CreatedApp;
  archive: AppArchive;
  /** Called before it is announced that the files have arrived. */
  onArrived: () => void;
  /** Called if the upload failed, and nobody knows whether it has arrived. */
  onDoubt: () => void;
}

/** Uploads the files of a build. An upload without a reply counts if the build has started. */
export async function uploadFiles(
  context: Context,
  { app, created, archive, onArrived, onDoubt }: BuildFiles,
): Promise<void> {
  const { signal, delay, silenceMs, settings, onRetry, progress, now, elapsed } = context;
  const { buildId: build, uploadUrl: url } = created;
  if (!url) throw new UnexpectedReplyError('the platform returned no upload URL');
  const started = elapsed();
  const step = progress.step('Uploading');
  const onProgress = (bytes: number) => step.update({ bytes, of: archive.bytes });
  const file = { url, file: archive.path, bytes: archive.bytes, contentType: 'application/zip' };
  let isRepeated = false;
  const onRepeat: typeof onRetry = (retry) => {
    isRepeated = true;
    onRetry(retry);
  };
  const options = { signal, delay, silenceMs, onRetry: onRepeat, proxy: settings.proxy, now, elapsed, onProgress };
  try {
    await uploadArchive(file, options);
    onArrived();
    step.done(`Uploaded in ${duration(elapsed() - started)}`);
  } catch (error) {
    const arrived = signal.aborted ? false : await findArrived(context, { app, build, isRepeated }, error);
    if (arrived) {
      onArrived();
      return step.done('Uploaded: the reply was lost, but the build has started');
    }
    if (arrived === undefined) onDoubt();
    step.fail();
    throw error;
  }
}

/** A build may show some seconds late that its files have arrived. In ms. */
const pausesMs = [500, 1_000, 2_000];

/**
 * Whether the files of a build have arrived although the upload failed: the build has started then. A reply that was
 * lost, and a second attempt that was refused because of the first, look like failures. Undefined: nobody knows.
 */
async function findArrived(
  context: Context,
  { app, build, isRepeated }: { app: string; build: string; isRepeated: boolean },
  error: unknown,
): Promise<boolean | undefined> {
  const { project, delay } = context;
  const isLost = mayHaveHappened(error);
  if (!isLost && !isRepeated) return false;
  const shown = await waitForChange(
    () => tryRequest(context, (api) => fetchBuild(api, { project, app, build })),
    (found) => found === undefined || !isPending(found.status),
    delay,
    isLost ? pausesMs : [],
  );
  if (!shown) return isLost ? undefined : false;
  return !isPending(shown.status) && !/^(cancell?ed)?$/i.test(shown.status);
}
