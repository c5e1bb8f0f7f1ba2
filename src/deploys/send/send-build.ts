import { relative } from 'node:path';
import { type AppArchive, withTemporaryArchive } from '../../app/archive.ts';
import type { AppConfig } from '../../app/config.ts';
import { locateSetting } from '../../app/setting-location.ts';
import { listAppSettings } from '../../app/settings.ts';
import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { newOwnerName } from '../../kernel/disk/index.ts';
import { GantryError, UnexpectedReplyError } from '../../kernel/errors.ts';
import { once } from '../../kernel/once.ts';
import { duration, shortBuild, size } from '../../kernel/output/format.ts';
import { mayHaveHappened } from '../../platform/api/lost-reply.ts';
import type { Context } from '../../platform/context.ts';
import { type AppCreation, type CreatedApp, createApp, createPartnerApp } from '../../platform/contract/apps.ts';
import { type Build, isCanceled, ownStatus } from '../../platform/contract/builds.ts';
import { fetchApp } from '../../platform/replies/index.ts';
import {
  cancelAbandoned,
  completeDespiteInterrupt,
  tryRequest,
  tryUntilKnown,
  waitForChange,
} from '../../platform/waiting/index.ts';
import { UrlExpiredError, uploadArchive } from '../../storage/transfer/upload-archive.ts';
import { keepArchive, shareArchive } from '../archives/index.ts';
import { fetchBuild, followBuild, remoteBuild } from '../builds/index.ts';
import { readCheckedOut } from '../git/index.ts';
import { readHistory, recordEvent, sentSettings } from '../history/index.ts';
import { ownSettings, readBaseImages, withLogin, withoutLogin } from './app-settings.ts';
import { isPending, waitForBuilds } from './busy-builds.ts';
import {
  type Deployment,
  type DeployOptions,
  filesDigestOf,
  type ReadSecrets,
  type SendOptions,
  type SentRecord,
  secretsMark,
  settingsDigestOf,
  trySecretsOf,
  withKeptRecord,
} from './deploy-record.ts';
import type { LocalApp } from './local-app.ts';
import type { SentFile } from './plan-file.ts';
import { findServing, type KnownBuild, recordEnded, recordFailure, tellOnFailure } from './what-serves.ts';

/** Packs the app, creates a build, uploads the archive and follows the build. Cancels the build on any earlier end. */
export async function deploy(context: Context, local: LocalApp, deployOptions: DeployOptions): Promise<Deployment> {
  const { project } = local;
  const options = { ...deployOptions, config: project };
  const baseImages = await readBaseImages(project);
  const body = await withLogin(context, withoutLogin(project, options), baseImages);
  const written = local.entries.flatMap(({ path, reason }) => (reason?.kind === 'generated' ? [] : [path]));
  const { commit, preview } = options;
  const checkedOut = () => readCheckedOut(context, written, { byContent: preview !== undefined });
  const reading = commit === undefined ? checkedOut() : Promise.resolve({ commit, dirty: false });
  // Ctrl-C ends it before anybody waits for it.
  reading.catch(() => {});
  const send = (archive?: AppArchive, packMs = 0) => {
    const files = sentFiles(local, archive);
    const own = ownSettings(project, options);
    const describe = async () => {
      const history = await readHistory(context, project.name);
      const digests = { settingsDigest: settingsDigestOf(own), filesDigest: filesDigestOf(files) };
      const record = { ...digests, settings: sentSettings(own), ...(await reading) };
      return withKeptRecord(history, options.kept ?? options.keep ?? {}, record);
    };
    const sending = new BuildUpload(context, options, { body, baseImages, archive, files, packMs, describe });
    return sending.send().catch((error: unknown) => locateRefusal(context, project, error));
  };
  const finish = await (project.partner ? send() : withArchive(context, local, send));
  return finish();
}

/** Deploys an archive that is packed already. */
export async function deployArchive(
  context: Context,
  sending: Omit<Sending, 'files' | 'packMs'>,
  options: SendOptions,
): Promise<Deployment> {
  const finish = await new BuildUpload(context, options, { ...sending, files: [], packMs: 0 }).send();
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
  { entries, bytes: of, cache }: LocalApp,
  use: (archive: AppArchive, packMs: number) => Promise<T>,
): Promise<T> {
  const { progress, signal, elapsed } = context;
  const started = elapsed();
  const step = progress.step('Packing');
  let fail: (() => void) | undefined = step.fail;
  const options = {
    signal,
    cache,
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

export interface Sending {
  body: AppCreation;
  /** Images that may need a registry login. */
  baseImages: string[];
  /** Absent of a partner's app, which starts once it is created, and whose build has no log. */
  archive?: AppArchive | undefined;
  /** Of an app on disk, as a plan has them. */
  files: readonly SentFile[];
  packMs: number;
  /** What the build is made of, for the record; undefined if that is not known. */
  describe: () => Promise<SentRecord | undefined>;
}

/** One deploy: create, wait for its turn, record, check, upload, follow. */
class BuildUpload {
  readonly #app: string;
  readonly #known: KnownBuild;
  /** Without the time limit: only Ctrl-C ends it. */
  readonly #unlimited: Context;
  #hasArrived = false;
  /** The reply to a request for a build was lost. */
  #hasLost = false;
  /** Replicas may start at any time from the upload on: what changes meanwhile is sent again rather than missed. */
  readonly #readSecrets: ReadSecrets;

  constructor(
    private readonly context: Context,
    private readonly options: SendOptions,
    private readonly sending: Sending,
  ) {
    this.#app = sending.body.name;
    this.#known = { app: this.#app };
    this.#unlimited = options.limit.unlimited;
    this.#readSecrets = options.secrets ?? once(() => trySecretsOf(context, this.#app));
  }

  /** Resolves once the archive is not needed, to what waits for the result: what serves if that is equal now. */
  async send(): Promise<() => Promise<Deployment>> {
    const { signal } = this.#unlimited;
    await this.#check();
    const started = this.context.elapsed();
    const created = await tellOnFailure(signal, this.#known, () => this.#createAndUpload());
    if (!('buildId' in created)) return async () => created;
    const uploadMs = this.context.elapsed() - started;
    return () => tellOnFailure(signal, this.#known, () => this.#finish(created, uploadMs));
  }

  /** An expired upload URL cannot be renewed: cancels the build and creates a new one, once. */
  async #createAndUpload(mayRetry = true): Promise<CreatedApp | Deployment> {
    const { context } = this;
    const creating = this.#create();
    // Beside it, since that is what is waited for.
    void this.#readSecrets();
    const created = await creating;
    const { buildId } = created;
    try {
      context.signal.throwIfAborted();
      const live = await this.#waitForTurn(buildId);
      await (live ? this.#cancel(buildId, 'another deploy has made the app equal') : this.#upload(created));
      return live ?? created;
    } catch (error) {
      await this.#cancel(buildId, (error as Error).message);
      if (!(error instanceof UrlExpiredError) || !mayRetry) throw error;
    }
    context.progress.note('the upload URL has expired; creating a new build');
    return this.#createAndUpload(false);
  }

  /** The live deployment, if another deploy has made it equal meanwhile. What has no upload has no place in the queue. */
  async #waitForTurn(own: string): Promise<Deployment | undefined> {
    const { limit, turn } = this.options;
    if (!turn || !this.sending.archive) return undefined;
    const hasWaited = await waitForBuilds(this.context, this.#app, { limit, stuck: turn.stuck, own });
    return hasWaited ? turn.recheck?.() : undefined;
  }

  async #create(): Promise<CreatedApp> {
    const { context, options } = this;
    const { signal, project, progress } = context;
    const { body, archive } = this.sending;
    signal.throwIfAborted();
    context.interruption.message = `canceling the build of ${this.#app} that is being created`;
    const step = progress.step(`Creating a build of ${this.#app}`);
    const endpoint = archive ? createApp : createPartnerApp;
    const request = completeDespiteInterrupt(options.limit, (api) => api(endpoint, { project, body }));
    const created = await request.catch((error: unknown) => {
      step.fail();
      this.#warnOfLost(error);
    });
    if (!created) return this.#create();
    const { buildId: build, status = 'pending', dashboardUrl: dashboard } = created;
    Object.assign(this.#known, { build, status, dashboard });
    context.interruption.message = `canceling build ${shortBuild(build)} of ${this.#app}`;
    if (archive) await recordEvent(context, this.#app, 'created', { build, process: newOwnerName() });
    step.done(`Created build ${shortBuild(build)}`);
    progress.event('created', { app: this.#app, build, status });
    return { ...created, status };
  }

  /**
   * If the reply of create app was lost, another build is created, once. One that gets no upload never starts, and stays: the
   * platform does not show who created it. A partner's app needs no upload. Throws any other error.
   */
  #warnOfLost(error: unknown): void {
    const isLost = mayHaveHappened(error);
    if (isLost) this.#known.status = 'unknown';
    if (!isLost || this.#hasLost || !this.sending.archive || this.context.signal.aborted) throw error;
    this.#hasLost = true;
    this.context.progress.warn({
      severity: 'warning',
      message: `a build of ${this.#app} may have been created that gets no upload`,
      why: "the platform's reply was lost, and with it the upload URL: creating another build",
      fix: sentence`${gantryCommand`builds list ${this.#app}`}, then ${gantryCommand`builds cancel ${this.#app} BUILD`}`,
    });
  }

  /** All that is needed if nobody sees the end of the upload is on record before it: the platform may have it all then. */
  async #upload(created: CreatedApp): Promise<void> {
    const { context, options } = this;
    const { body, baseImages, archive, describe } = this.sending;
    const { buildId: build, dashboardUrl: dashboard } = created;
    const [described, known] = await Promise.all([describe(), this.#readSecrets()]);
    const secrets = secretsMark(known);
    const common = { build, ...(dashboard && { dashboard }), ...(secrets && { secrets }) };
    const write = async (event: 'sending' | 'sent', archived = {}) => {
      if (described) await recordEvent(context, this.#app, event, { ...described, ...common, ...archived });
    };
    if (!archive) return write('sent');
    const kept = await keepArchive(context, archive, { body, build, baseImages });
    const archived = { bytes: archive.bytes, ...(kept && { archive: kept.sha256 }) };
    await write('sending', archived);
    await this.#check(build);
    await uploadFiles(context, { app: this.#app, created, archive }, () => {
      this.#hasArrived = true;
      if (!options.detach) return;
      const cancel = gantryCommand`builds cancel ${this.#app} ${shortBuild(build)}`;
      context.interruption.message = sentence`stopping; build ${shortBuild(build)} continues; to cancel it: ${cancel}`;
    });
    context.progress.event('uploaded', { build, bytes: archive.bytes });
    await write('sent', archived);
    if (kept) shareArchive(context, kept);
  }

  /** What protects the upload is asked directly before it, however long this deploy has waited until then. */
  async #check(created?: string): Promise<void> {
    const { body, files } = this.sending;
    const willWait = this.options.turn !== undefined && created === undefined;
    await this.options.check?.({ body, files, created, hasLost: this.#hasLost, willWait });
  }

  /** Follows the build to its end or, detached, until the next command can. */
  async #finish(created: CreatedApp, uploadMs: number): Promise<Deployment> {
    const { context, options } = this;
    const { body, archive, packMs } = this.sending;
    const { name: app } = body;
    const started = context.elapsed();
    const { buildId: build, internalEndpoint, pageUrl: page = '', dashboardUrl: dashboard } = created;
    const ended = options.detach ? await this.#leave(created) : await this.#follow(created);
    const buildMs = context.elapsed() - started;
    const serves = options.detach
      ? build
      : await options.limit.wait((ms) => findServing(this.#unlimited, app, ended, ms));
    // The deploy has succeeded, whatever the app shows.
    const read = () => tryRequest(this.#unlimited, (api) => fetchApp(api, { project: context.project, app }));
    const { entries, bytes } = archive ?? { entries: [], bytes: 0 };
    return {
      app,
      project: context.project,
      runtime: body.runtime ?? '',
      build,
      status: ownStatus(ended.status),
      notStarted: ended.notStarted ?? null,
      differences: ended.differences ?? [],
      endpoint: internalEndpoint || (await read())?.internalEndpoint || '',
      page,
      dashboard,
      files: entries.length,
      bytes,
      packMs,
      uploadMs,
      buildMs,
      changed: true,
      ...(serves !== build && { serves }),
    };
  }

  async #leave({ buildId: id, status = '' }: CreatedApp): Promise<Build> {
    await tryUntilKnown(this.context, remoteBuild(this.context.project, this.#app, id).readStatus);
    return { id, status };
  }

  async #follow({ buildId: build }: CreatedApp): Promise<Build> {
    const { limit, pauses, config } = this.options;
    const context = this.#unlimited;
    const logs = this.options.logs && this.sending.archive !== undefined;
    const followed = { app: this.#app, build, logs, pauses, config };
    try {
      const ended = await limit.wait((timeoutMs) => followBuild(context, { ...followed, timeoutMs }));
      this.#known.status = ownStatus(ended.status);
      context.interruption.message = `stopping; build ${shortBuild(build)} of ${this.#app} has succeeded and stays`;
      return ended;
    } catch (error) {
      if (context.signal.aborted) await this.#cancel(build, 'interrupted');
      else await recordFailure(context, this.#app, build, error);
      throw error;
    }
  }

  /** Cancels a build that is not needed any more, except after Ctrl-C with `detach` once it can continue by itself. */
  async #cancel(build: string, reason: string): Promise<void> {
    const context = this.#unlimited;
    const isInterrupted = context.signal.aborted;
    if (isInterrupted && this.options.detach && this.#hasArrived) return;
    const status = await cancelAbandoned(context, remoteBuild(context.project, this.#app, build));
    this.#known.status = status;
    // It may succeed all the same if that is not confirmed.
    if (status !== 'canceled') return;
    context.progress.event('canceled', { build });
    await recordEnded(context, this.#app, build, isInterrupted ? 'interrupted' : reason);
  }
}

/** A build may show some seconds late that its files have arrived. In ms. */
const latePausesMs = [500, 1_000, 2_000];

/**
 * Uploads the files of a build; `onArrived` is called before that is announced. An upload that fails counts if the build has
 * started: a reply that was lost, and a second attempt that was refused because of the first, look like failures.
 */
async function uploadFiles(
  context: Context,
  { app, created, archive }: { app: string; created: CreatedApp; archive: AppArchive },
  onArrived: () => void,
): Promise<void> {
  const { signal, delay, silenceMs, settings, onRetry, progress, now, elapsed, project } = context;
  const { buildId: build, uploadUrl: url } = created;
  const { path: file, bytes } = archive;
  if (!url) throw new UnexpectedReplyError('the platform returned no upload URL');
  const started = elapsed();
  const step = progress.step('Uploading');
  const onProgress = (sent: number) => step.update({ bytes: sent, of: bytes });
  const options = { signal, delay, silenceMs, onRetry, proxy: settings.proxy, now, elapsed, onProgress };
  const end = (text: string) => {
    onArrived();
    step.done(text);
  };
  try {
    await uploadArchive({ url, file, bytes, contentType: 'application/zip' }, options);
    end(`Uploaded in ${duration(elapsed() - started)}`);
  } catch (error) {
    const look = () => tryUntilKnown(context, (api) => fetchBuild(api, { project, app, build }));
    const pausesMs = mayHaveHappened(error) ? latePausesMs : [];
    const hasChanged = (shown?: Build) => !shown || !isPending(shown.status);
    const status = signal.aborted ? undefined : (await waitForChange(look, hasChanged, delay, pausesMs))?.status;
    if (status && !isPending(status) && !isCanceled(status))
      return end('Uploaded: the reply was lost, but the build has started');
    step.fail();
    throw error;
  }
}
