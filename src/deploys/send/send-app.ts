import { type AppArchive, withTemporaryArchive } from '../../app/archive.ts';
import { duration, size } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import type { AppCreation } from '../../platform/contract/apps.ts';
import { readCheckedOut } from '../git/index.ts';
import { readHistory, sentSettings } from '../history/index.ts';
import {
  type CreateAppOptions,
  locateRefusal,
  ownSettings,
  readBaseImages,
  withLogin,
  withoutLogin,
} from './app-settings.ts';
import { filesDigestOf, type SentFile, settingsDigestOf, withKeptRecord } from './deploy-record.ts';
import type { LocalApp } from './local-app.ts';
import { type PackedApp, type Sending, type SendOptions, type Sent, send } from './send-build.ts';
import { follow } from './until-live.ts';

/** How an app on disk is sent. */
export interface DeployOptions extends SendOptions, CreateAppOptions {
  /** What is kept of the live app, if that is not all that is. */
  kept?: Partial<AppCreation>;
  /** Whose files these are, if not those of the working directory. */
  commit?: string;
}

/** Packs the app, creates a build, uploads the archive and follows the build. Cancels the build on any earlier end. */
export async function sendApp(context: Context, local: LocalApp, options: DeployOptions): Promise<Sent> {
  const { project } = local;
  const sending = await sendingOf(context, local, options);
  const sent = withPackedApp(context, local, (packed) => send(context, sending, packed));
  return follow(await sent.catch((error: unknown) => locateRefusal(context, project, error)));
}

/** Sends an archive that is packed already. */
export async function sendArchive(context: Context, sending: Sending, archive: AppArchive): Promise<Sent> {
  return follow(await send(context, sending, { archive, files: [], packMs: 0 }));
}

/** Packs the app into a temporary archive, which exists until `use` returns. */
export async function withPackedApp<T>(context: Context, local: LocalApp, use: (packed: PackedApp) => Promise<T>) {
  const { project, entries, bytes: of, cache } = local;
  if (project.partner) return use({ files: [], packMs: 0 });
  const { progress, signal, elapsed } = context;
  const started = elapsed();
  const step = progress.step('Packing');
  let fail: (() => void) | undefined = step.fail;
  const usePacked = (archive: AppArchive) => {
    fail = undefined;
    const packMs = elapsed() - started;
    step.done(`Packed ${size(archive.bytes)} in ${duration(packMs)}`);
    for (const path of archive.changed) progress.warn(`${path} changed while it was packed`);
    return use({ archive, files: sentFiles(local, archive), packMs });
  };
  const onProgress = (bytes: number) => step.update({ bytes, of });
  return withTemporaryArchive(entries, usePacked, { signal, cache, onProgress }).finally(() => fail?.());
}

/** The archive does not say what is executable. */
function sentFiles({ entries }: LocalApp, archive: AppArchive): SentFile[] {
  const executables = new Set(entries.filter(({ executable }) => executable).map(({ path }) => path));
  return archive.entries.map((entry) => ({ ...entry, executable: executables.has(entry.path) }));
}

async function sendingOf(context: Context, local: LocalApp, options: DeployOptions): Promise<Sending> {
  const { project, entries } = local;
  const { commit, kept = options.keep ?? {} } = options;
  const baseImages = await readBaseImages(project);
  const body = await withLogin(context, withoutLogin(project, options), baseImages);
  const written = entries.flatMap(({ path, reason }) => (reason?.kind === 'generated' ? [] : [path]));
  const reading = commit === undefined ? readCheckedOut(context, written) : Promise.resolve({ commit, dirty: false });
  // Ctrl-C ends it before anybody waits for it.
  reading.catch(() => {});
  const describe: Sending['describe'] = async (files) => {
    const own = ownSettings(project, options);
    const history = await readHistory(context, project.name);
    const digests = { settingsDigest: settingsDigestOf(own), filesDigest: filesDigestOf(files) };
    return withKeptRecord(history, kept, { ...digests, settings: sentSettings(own), ...(await reading) });
  };
  return { ...options, config: project, body, baseImages, describe };
}
