import { join, relative } from 'node:path';
import type { AppArchive } from '../../app/archive.ts';
import type { AppConfig } from '../../app/config.ts';
import { baseImages } from '../../app/docker-image.ts';
import { locateSetting } from '../../app/set-config-value.ts';
import { listAppSettings } from '../../app/settings.ts';
import { gantryCommand } from '../../kernel/command-line.ts';
import { readRegular } from '../../kernel/disk/index.ts';
import { GantryError, isReplyWith, PendingError, ProjectError } from '../../kernel/errors.ts';
import { begun } from '../../kernel/once.ts';
import { shortBuild } from '../../kernel/output/format.ts';
import { findRegistryLogin } from '../../platform/config/registry-login.ts';
import type { Context } from '../../platform/context.ts';
import { type AppCreation, liveBuild } from '../../platform/contract/apps.ts';
import { type Build, ownStatus } from '../../platform/contract/builds.ts';
import { fetchApp } from '../../platform/replies/index.ts';
import { tryRequest, tryUntilKnown, unless } from '../../platform/waiting/index.ts';
import { followBuild, remoteBuild } from '../builds/index.ts';
import { firstRow, type ReadyFacts, readyTable } from '../decide.ts';
import { readCheckedOut } from '../git/index.ts';
import { type AppHistory, readHistory, recordLook, sentSettings } from '../history/index.ts';
import { type AppReading, buildsText, settle } from '../observe.ts';
import { mayReplace, servingBuild } from '../serving.ts';
import { type MadeSettings, scalingOf } from './app-settings.ts';
import { type Deployment, digestsOf, type SentRecord } from './deploy-record.ts';
import { recordFailure, tellOnFailure } from './failed-build.ts';
import type { LocalApp } from './local-app.ts';
import { withPackedApp } from './pack-app.ts';
import {
  cancel,
  createAndUpload,
  type PackedApp,
  type Sending,
  type SendOptions,
  type Sent,
  type Uploaded,
  unlimitedOf,
} from './send-build.ts';

/** How an app on disk is sent. */
export interface DeployOptions extends SendOptions {
  /** What is kept of the live app, if that is not all that is. */
  kept?: Partial<AppCreation>;
  /** Whose files these are, if not those of the working directory. */
  commit?: string;
}

/** Packs the app, creates a build, uploads the archive and follows the build. Cancels the build on any earlier end. */
export async function sendApp(
  context: Context,
  local: LocalApp,
  made: MadeSettings,
  { commit, kept = made.keep, ...options }: DeployOptions,
): Promise<Sent> {
  const { config, entries } = local;
  const baseImages = await readBaseImages(config);
  const body = await withLogin(context, made.body, baseImages);
  const written = entries.flatMap(({ path, reason }) => (reason?.kind === 'generated' ? [] : [path]));
  const reading = begun(
    commit === undefined ? readCheckedOut(context, written) : Promise.resolve({ commit, dirty: false }),
  );
  const recordOf = async (files: PackedApp['files']) => {
    const history = await readHistory(context, config.name);
    const digests = await digestsOf(config, files, made.own);
    const named = { inFile: config.deployment.name, settings: sentSettings(made.own) };
    return withKeptRecord(history, kept, { ...digests, ...named, ...(await reading) });
  };
  const sent = withPackedApp(context, local, (packed) => {
    const record = begun(recordOf(packed.files));
    const sending = { ...options, config, seen: local.seen, body, baseImages, record };
    return createAndUpload(context, sending, packed);
  });
  return follow(await sent.catch((error: unknown) => locateRefusal(context, config, error)));
}

/** Sends an archive that is packed already. */
export async function sendArchive(context: Context, sending: Sending, archive: AppArchive): Promise<Sent> {
  return follow(await createAndUpload(context, sending, { archive, files: [], packMs: 0 }));
}

/** Adds the registry login if a base image needs one. */
export async function withLogin({ env, secrets, progress }: Context, body: AppCreation, baseImages: string[]) {
  const login = await findRegistryLogin(baseImages, env);
  secrets.add(login?.secrets);
  if (login) progress.note(`sending the login for ${login.registry} to pull the base image`);
  return { ...body, ...(login && { dockerAuth: login.dockerAuth }) };
}

/** Images that the platform must be able to pull. */
export async function readBaseImages({ root, custom, deployment }: AppConfig): Promise<string[]> {
  if (custom?.dockerfile_path) return baseImages(String(await readRegular(join(root, custom.dockerfile_path))));
  return deployment.docker_base_image_url ? [deployment.docker_base_image_url] : [];
}

/** The error of the file for settings that the platform refuses, with their places, if its message names some that it has. */
async function locateRefusal({ cwd }: Context, config: AppConfig, error: unknown): Promise<never> {
  if (!isReplyWith(error, [400, 422])) throw error;
  const named = listAppSettings(config)
    .filter(({ value }) => value !== undefined)
    .map(({ section, key, field }) => ({ setting: `${section}.${key}`, at: placeIn(error.message, field) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at);
  const file = relative(cwd, config.file);
  const places = await Promise.all(named.map(({ setting }) => locateSetting(config, file, setting)));
  const [location, ...others] = places.filter((place) => place !== undefined);
  if (!location) throw error;
  const { message } = error;
  const also = others.map(({ line }) => `${file}:${line}`).join(', ');
  const why = also && { why: `it is also about ${also}` };
  throw new ProjectError(message, [{ severity: 'error', message, location, ...why }], error.facts);
}

/** A field that is also a common word, such as `name` or `port`, counts at the beginning of a sentence only. */
function placeIn(message: string, field: string): number {
  return message.search(new RegExp(/[A-Z]/.test(field) ? `\\b${field}\\b` : `(?:^|[;.\\n] ?)["'\`]?${field}\\b`));
}

/** What is kept of the live app becomes no setting of the file: its record is that of the build that serves. */
export function withKeptRecord(history: AppHistory, keep: Partial<AppCreation>, record: SentRecord): SentRecord {
  const { sent, shown } = history.fileSettings(history.last('served')?.build);
  const kept = Object.keys(scalingOf(keep));
  const pick = (from: Record<string, unknown> | undefined, otherwise: null | undefined) =>
    Object.fromEntries(kept.map((field) => [field, from?.[field] ?? otherwise]));
  const settings = { ...record.settings, ...pick(sent, undefined) };
  return { ...record, settings, made: { ...record.made, ...pick(shown, null) } };
}

/** Follows the build to its end or, detached, until the next command can. */
async function follow(uploaded: Uploaded): Promise<Sent> {
  const { before, known, live } = uploaded;
  const { signal } = unlimitedOf(uploaded);
  return { deployment: await tellOnFailure(signal, known, async () => live ?? deploymentOf(uploaded)), before };
}

async function deploymentOf(uploaded: Uploaded): Promise<Deployment> {
  const { context, sending, packed, created, known, uploadMs } = uploaded;
  const { archive = { entries: [], bytes: 0 }, packMs } = packed;
  const { app } = known;
  const started = context.elapsed();
  const { buildId: build, internalEndpoint, dashboardUrl: dashboard } = created;
  const { ended, ...end } = await (sending.detach ? leave : untilLive)(uploaded, started);
  // The deploy has succeeded, whatever the app shows.
  const read = () => tryRequest(unlimitedOf(uploaded), (api) => fetchApp(api, { project: context.project, app }));
  return {
    app,
    project: context.project,
    runtime: sending.body.runtime ?? '',
    build,
    status: ownStatus(ended.status),
    notStarted: ended.notStarted ?? null,
    differences: ended.differences ?? [],
    endpoint: internalEndpoint || (await read())?.internalEndpoint || '',
    dashboard,
    files: archive.entries.length,
    bytes: archive.bytes,
    packMs,
    uploadMs,
    changed: true,
    ...end,
  };
}

/** How a build has ended for this command, `serves` another one, and how long it was waited for. */
type BuildEnd = Pick<Deployment, 'buildMs' | 'serves'> & { ended: Build };

async function leave({ context, known, created: { buildId: id, status } }: Uploaded): Promise<BuildEnd> {
  await tryUntilKnown(context, remoteBuild(context.project, known.app, id).readStatus);
  return { ended: { id, status }, buildMs: null };
}

async function untilLive(uploaded: Uploaded, started: number): Promise<BuildEnd> {
  const { context, sending, known, created } = uploaded;
  const ended = await untilEnded(uploaded);
  const buildMs = context.elapsed() - started;
  const serves = await sending.limit.wait((ms) => findServing(unlimitedOf(uploaded), known.app, ended, ms));
  return { ended, buildMs, ...(serves !== created.buildId && { serves }) };
}

async function untilEnded(uploaded: Uploaded): Promise<Build> {
  const { sending, packed, known, created } = uploaded;
  const { limit, pauses, config, seen, logs } = sending;
  const { app } = known;
  const context = unlimitedOf(uploaded);
  const build = created.buildId;
  const followed = { app, build, logs: logs && packed.archive !== undefined, pauses, config, seen };
  try {
    const ended = await limit.wait((timeoutMs) => followBuild(context, { ...followed, timeoutMs }));
    known.status = ownStatus(ended.status);
    context.interruption.message = `stopping; build ${shortBuild(build)} of ${app} has succeeded and stays`;
    return ended;
  } catch (error) {
    if (context.signal.aborted) await cancel(uploaded, created, 'interrupted');
    else await recordFailure(context, app, build, error);
    throw error;
  }
}

/**
 * A build that has succeeded serves once the app shows it, which may take a minute. Returns the build that serves: another
 * one, if that may have replaced it meanwhile. Throws PendingError if one before still serves. Where the app does not show
 * what serves, the status of the build counts.
 */
async function findServing(context: Context, app: string, ownBuild: Build, maxMs: number): Promise<string> {
  const deployed = await tryRequest(context, (api) => fetchApp(api, { project: context.project, app }));
  if (deployed) await recordLook(context, app, deployed);
  const live = deployed && liveBuild(deployed);
  if (live === undefined || live === ownBuild.id) return ownBuild.id;
  // Without an answer, what the app showed last is all that is known.
  const isNone = (error: unknown) => error instanceof GantryError && !context.signal.aborted;
  const reading = await unless(isNone, settle(context, app, { own: ownBuild, maxMs }));
  if (reading?.app) await recordLook(context, app, reading.app);
  const serving = servingFact(reading, ownBuild.id);
  const step = firstRow(readyTable, { serving, verifies: 'no', health: 'healthy', orRollback: 'no' });
  if (step !== 'stop: not shown') return (reading && servingBuild(reading.serving)) ?? ownBuild.id;
  throw notShownError(app, ownBuild.id, reading ? reading.shows : live);
}

function notShownError(app: string, build: string, serves: string | null): PendingError {
  const instead = serves === null ? 'none' : buildsText([serves]);
  return new PendingError(`build ${shortBuild(build)} of ${app} has succeeded, but the app still shows ${instead}`, {
    why: 'it may be late, or the build before still serves',
    fix: gantryCommand`apps get ${app}`,
    details: { app, build, status: 'pending', serves },
  });
}

/** A later build may have replaced the own one. */
function servingFact(reading: AppReading | undefined, ownId: string): ReadyFacts['serving'] {
  if (!reading) return 'not known';
  const { serving } = reading;
  if (serving.is === 'not known') return 'ours';
  if (serving.is !== 'one') return 'one of';
  if (serving.build === ownId) return 'ours';
  return mayReplace(reading, serving.build, ownId) ? 'another' : 'one of';
}
