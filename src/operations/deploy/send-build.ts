import type { Context } from '../../context.ts';
import type { AppCreation, CreatedApp } from '../../contract/apps.ts';
import { GantryError } from '../../errors.ts';
import { duration, shortBuild, size } from '../../output/format.ts';
import { type AppArchive, withTemporaryArchive } from '../../project/archive.ts';
import { forgetArchive, startKeeping, whyNotUsable } from '../archives/index.ts';
import { readCheckedOut } from '../git/index.ts';
import { BuildUpload } from './build-upload.ts';
import { createAppBody, readBaseImages, withoutLogin } from './create-app-body.ts';
import type { Deployment, DeployOptions, SendOptions } from './deploy-options.ts';
import { describeDeploy, digestsOf, recordSent } from './deploy-record.ts';
import type { LocalApp } from './local-app.ts';
import { locateRefusal } from './locate-refusal.ts';
import { packingCache } from './packing-options.ts';
import { recordUpload } from './upload-record.ts';

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
    const describe = async (created: CreatedApp) => {
      const record = describeDeploy(body, created, { archive, executables: executablesOf(local) });
      return { body, baseImages, record, origin: (await reading) ?? {} };
    };
    const uploading = recordUpload(context, archive, options, describe);
    return new BuildUpload(context, uploading, body).send({ archive, packMs }).catch(refused);
  });
  return sent();
}

/**
 * Keeps the archive of a live build that has the files of this folder, unless it is kept already: a rollback may return
 * to it although it was not deployed from here. Best effort.
 */
export async function keepLive(
  context: Context,
  local: LocalApp,
  options: DeployOptions,
  { app, build, dashboard }: Deployment,
): Promise<void> {
  const { settings, progress, signal } = context;
  if (local.project.partner || settings.keepArchives.value === 'off') return;
  if ((await whyNotUsable(context, app, build)) === undefined) return;
  progress.note(`keeping an archive of build ${shortBuild(build)}, which has the files of this folder`);
  const body = withoutLogin(local.project, options);
  const created = { buildId: build, dashboardUrl: dashboard };
  try {
    const baseImages = await readBaseImages(local.project);
    await withArchive(context, local, options, async (archive) => {
      const keeping = startKeeping(context, archive);
      const deployRecord = describeDeploy(body, created, { archive, executables: executablesOf(local) });
      await forgetArchive(context, app, build);
      await keeping.keep({ body, build, baseImages, deployRecord });
      keeping.share();
    });
  } catch (error) {
    if (signal.aborted || !(error instanceof GantryError)) throw error;
    context.trace(`cannot keep the archive: ${error.message}`);
  }
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

function executablesOf({ entries }: LocalApp): Set<string> {
  return new Set(entries.filter(({ executable }) => executable).map(({ path }) => path));
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
