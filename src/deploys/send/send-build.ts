import { relative } from 'node:path';
import { type AppArchive, withTemporaryArchive } from '../../app/archive.ts';
import type { AppConfig } from '../../app/config.ts';
import { locateSetting } from '../../app/setting-location.ts';
import { listAppSettings } from '../../app/settings.ts';
import { GantryError } from '../../kernel/errors.ts';
import { duration, shortBuild, size } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { forgetArchive, startKeeping, whyNotUsable } from '../archives/index.ts';
import { readCheckedOut } from '../git/index.ts';
import { BuildUpload, type Sending } from './build-upload.ts';
import { readBaseImages, withLogin, withoutLogin } from './create-app-body.ts';
import type { Deployment, DeployOptions, SendOptions } from './deploy-options.ts';
import { digestsOf } from './deploy-record.ts';
import type { LocalApp } from './local-app.ts';
import { packingCache } from './packing-options.ts';

/** Packs the app, creates a build, uploads the archive and follows the build. Cancels the build on any earlier end. */
export async function deploy(context: Context, local: LocalApp, deployOptions: DeployOptions): Promise<Deployment> {
  const { project } = local;
  const options = { ...deployOptions, config: project };
  const baseImages = await readBaseImages(project);
  const body = await withLogin(context, withoutLogin(project, options), baseImages);
  const own = local.entries.flatMap(({ path, reason }) => (reason?.kind === 'generated' ? [] : [path]));
  const { commit, preview } = options;
  const checkedOut = () => readCheckedOut(context, own, { byContent: preview !== undefined });
  const reading = commit === undefined ? checkedOut() : Promise.resolve({ commit, dirty: false });
  // Ctrl-C ends it before anybody waits for it.
  reading.catch(() => {});
  const send = (archive?: AppArchive, packMs = 0) => {
    const digests = digestsOf(body, sentFiles(local, archive));
    const describe = async () => ({ digests, baseImages, origin: (await reading) ?? {} });
    const sending = new BuildUpload(context, options, { body, archive, packMs, describe });
    return sending.send().catch((error: unknown) => locateRefusal(context, project, error));
  };
  const finish = await (project.partner ? send() : withArchive(context, local, options, send));
  return finish();
}

/**
 * Keeps the archive of a live build that has the files of this folder, unless it is kept already: a rollback may return
 * to it although it was not deployed from here. Best effort.
 */
export async function keepLive(
  context: Context,
  local: LocalApp,
  options: DeployOptions,
  { app, build }: Deployment,
): Promise<void> {
  const { settings, progress, signal } = context;
  if (local.project.partner || settings.keepArchives.value === 'off') return;
  if ((await whyNotUsable(context, app, build)) === undefined) return;
  progress.note(`keeping an archive of build ${shortBuild(build)}, which has the files of this folder`);
  const body = withoutLogin(local.project, options);
  try {
    const baseImages = await readBaseImages(local.project);
    await withArchive(context, local, options, async (archive) => {
      const keeping = startKeeping(context, archive);
      const deployRecord = digestsOf(body, sentFiles(local, archive));
      await forgetArchive(context, app, build);
      await keeping.keep({ body, build, baseImages, deployRecord });
      keeping.share();
    });
  } catch (error) {
    if (signal.aborted || !(error instanceof GantryError)) throw error;
    context.trace(`cannot keep the archive: ${error.message}`);
  }
}

/** Deploys an archive that is packed already. */
export async function deployArchive(context: Context, sending: Sending, options: SendOptions): Promise<Deployment> {
  const finish = await new BuildUpload(context, options, sending).send();
  return finish();
}

/** The archive does not say what is executable. */
function sentFiles({ entries }: LocalApp, archive: AppArchive | undefined) {
  const executables = new Set(entries.filter(({ executable }) => executable).map(({ path }) => path));
  return (archive?.entries ?? []).map((entry) => ({ ...entry, executable: executables.has(entry.path) }));
}

/** Packs the app into a temporary archive, which exists until `use` returns. */
async function withArchive<T>(
  context: Context,
  { entries, bytes: of }: LocalApp,
  { repack }: DeployOptions,
  use: (archive: AppArchive, packMs: number) => Promise<T>,
): Promise<T> {
  const { progress, signal, elapsed } = context;
  const started = elapsed();
  const step = progress.step('Packing');
  let fail: (() => void) | undefined = step.fail;
  const options = {
    signal,
    cache: packingCache(context, repack),
    onProgress: (bytes: number) => step.update({ bytes, of }),
  };
  const usePacked = (archive: AppArchive) => {
    fail = undefined;
    const packMs = elapsed() - started;
    step.done(`Packed ${size(archive.bytes)} in ${duration(packMs)}`);
    for (const path of archive.changed) progress.warn(`${path} changed while it was packed`);
    return use(archive, packMs);
  };
  try {
    return await withTemporaryArchive(entries, usePacked, options);
  } catch (error) {
    fail?.();
    throw error;
  }
}

/** Adds the place of the setting that the platform refuses to the error, if its message names one that the file has. */
async function locateRefusal({ cwd }: Context, config: AppConfig, error: unknown): Promise<never> {
  if (!(error instanceof GantryError) || ![400, 422].includes(error.facts.status ?? 0)) throw error;
  const [named] = listAppSettings(config)
    .filter(({ value }) => value !== undefined)
    .map(({ section, key, field }) => ({ setting: `${section}.${key}`, at: placeIn(error.message, field) }))
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at);
  const location = named && (await locateSetting(config, relative(cwd, config.file), named.setting));
  if (location) error.facts.location ??= location;
  throw error;
}

/** A field that is also a common word, such as `name` or `port`, counts at the beginning only. */
function placeIn(message: string, field: string): number {
  return message.search(new RegExp(/[A-Z]/.test(field) ? `\\b${field}\\b` : `^["'\`]?${field}\\b`));
}
