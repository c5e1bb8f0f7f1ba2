import type { Context } from '../../context.ts';
import type { AppCreation, CreatedApp } from '../../contract/apps.ts';
import { duration, size } from '../../output/format.ts';
import { type AppArchive, withTemporaryArchive } from '../../project/archive.ts';
import { startKeeping } from '../archives/index.ts';
import { readCheckedOut } from '../git/index.ts';
import { BuildUpload } from './build-upload.ts';
import { createAppBody, readBaseImages } from './create-app-body.ts';
import type { Deployment, DeployOptions, SendOptions } from './deploy-options.ts';
import { digestsOf, recordDeploy, recordSent } from './deploy-record.ts';
import type { LocalApp } from './local-app.ts';
import { locateRefusal } from './locate-refusal.ts';
import { packingCache } from './packing-options.ts';

/** Packs the app, creates a build, uploads the archive and follows the build. Cancels the build on any earlier end. */
export async function deploy(context: Context, local: LocalApp, deployOptions: DeployOptions): Promise<Deployment> {
  const { project } = local;
  const options = { ...deployOptions, config: project };
  const body = await createAppBody(context, project, options);
  const refused = (error: unknown) => locateRefusal(context, project, error);
  if (project.partner) return createPartnerApp(context, body, options).catch(refused);
  const own = local.entries.flatMap(({ path, reason }) => (reason?.kind === 'generated' ? [] : [path]));
  const reading = readCheckedOut(context, own, { byContent: options.preview !== undefined });
  // Ctrl-C ends it before anybody waits for it.
  reading.catch(() => {});
  const baseImages = await readBaseImages(project);
  const sent = await withArchive(context, local, options, (archive, packMs) => {
    const keeping = startKeeping(context, archive);
    const record = async (created: CreatedApp, unconfirmed = false) => {
      const origin = { ...(await reading), ...(unconfirmed && { unconfirmed }) };
      const deployRecord = await recordDeploy(context, { local, body, created, archive, origin });
      await keeping.commit({ body, build: created.buildId, baseImages, deployRecord });
    };
    const uploading: SendOptions = {
      ...options,
      onUploaded: async (created) => {
        await options.onUploaded?.(created, archive);
        await record(created);
      },
      onInDoubt: (created) => record(created, true),
    };
    return new BuildUpload(context, uploading, body).send({ archive, packMs }).catch(refused);
  });
  return sent();
}

/** A partner's app has no files. */
async function createPartnerApp(context: Context, body: AppCreation, options: DeployOptions): Promise<Deployment> {
  const deployment = await new BuildUpload(context, options, body).createOnly();
  await recordSent(context, body, { build: deployment.build, ...digestsOf(body, []) });
  return deployment;
}

/** Deploys an archive that is packed already. */
export async function deployArchive(
  context: Context,
  { body, archive }: { body: AppCreation; archive: AppArchive },
  options: SendOptions,
): Promise<Deployment> {
  const sent = await new BuildUpload(context, options, body).send({ archive, packMs: 0 });
  return sent();
}

/** Packs the app into a temporary archive, which exists until `use` returns. */
async function withArchive<T>(
  context: Context,
  { entries, bytes: totalBytes }: LocalApp,
  { repack }: DeployOptions,
  use: (archive: AppArchive, packMs: number) => Promise<T>,
): Promise<T> {
  const { progress, signal, elapsed } = context;
  const started = elapsed();
  const step = progress.step('Packing');
  let isPacked = false;
  try {
    return await withTemporaryArchive(
      entries,
      (archive) => {
        isPacked = true;
        const packMs = elapsed() - started;
        step.done(`Packed ${size(archive.bytes)} in ${duration(packMs)}`);
        for (const path of archive.changed) progress.warn(`${path} changed while it was packed`);
        return use(archive, packMs);
      },
      {
        signal,
        cache: packingCache(context, repack),
        onProgress: (bytes) => step.update({ bytes, of: totalBytes }),
      },
    );
  } catch (error) {
    if (!isPacked) step.fail();
    throw error;
  }
}
