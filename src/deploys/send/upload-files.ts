import type { AppArchive } from '../../app/archive.ts';
import { UnexpectedReplyError } from '../../kernel/errors.ts';
import { duration } from '../../kernel/output/format.ts';
import type { Step } from '../../kernel/output/progress.ts';
import { mayHaveHappened } from '../../platform/api/lost-reply.ts';
import type { Context } from '../../platform/context.ts';
import type { CreatedApp } from '../../platform/contract/apps.ts';
import { type Build, isCanceled } from '../../platform/contract/builds.ts';
import { tryUntilKnown, waitForChange } from '../../platform/waiting/index.ts';
import { uploadArchive } from '../../storage/transfer/upload-archive.ts';
import { fetchBuild } from '../builds/index.ts';
import { isPending } from './busy-builds.ts';

/** A build may show some seconds late that its files have arrived. In ms. */
const latePausesMs = [500, 1_000, 2_000];

/**
 * Uploads the files of a build. Returns the step, whose end is announced once nothing cancels the build any more. An upload
 * that fails counts if the build has started: a reply that was lost, and a second attempt that was refused because of the
 * first, look like failures.
 */
export async function uploadFiles(
  context: Context,
  { app, created, archive }: { app: string; created: CreatedApp; archive: AppArchive },
): Promise<{ step: Step; text: string }> {
  const { signal, delay, silenceMs, settings, onRetry, progress, now, elapsed, project } = context;
  const { buildId: build, uploadUrl: url } = created;
  const { path: file, bytes } = archive;
  if (!url) throw new UnexpectedReplyError('the platform returned no upload URL');
  const started = elapsed();
  const step = progress.step('Uploading');
  const onProgress = (sent: number) => step.update({ bytes: sent, of: bytes });
  const options = { signal, delay, silenceMs, onRetry, proxy: settings.proxy, now, elapsed, onProgress };
  try {
    await uploadArchive({ url, file, bytes, contentType: 'application/zip' }, options);
    return { step, text: `Uploaded in ${duration(elapsed() - started)}` };
  } catch (error) {
    const look = () => tryUntilKnown(context, (api) => fetchBuild(api, { project, app, build }));
    const pausesMs = mayHaveHappened(error) ? latePausesMs : [];
    const hasChanged = (shown?: Build) => !shown || !isPending(shown.status);
    const status = signal.aborted ? undefined : (await waitForChange(look, hasChanged, delay, pausesMs))?.status;
    if (status && !isPending(status) && !isCanceled(status))
      return { step, text: 'Uploaded: the reply was lost, but the build has started' };
    step.fail();
    throw error;
  }
}
