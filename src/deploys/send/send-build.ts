import { relative } from 'node:path';
import type { AppArchive } from '../../app/archive.ts';
import type { AppConfig } from '../../app/config.ts';
import { locateSetting } from '../../app/setting-location.ts';
import { listAppSettings } from '../../app/settings.ts';
import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { newOwnerName } from '../../kernel/disk/index.ts';
import { GantryError } from '../../kernel/errors.ts';
import { once } from '../../kernel/once.ts';
import { shortBuild } from '../../kernel/output/format.ts';
import { mayHaveHappened } from '../../platform/api/lost-reply.ts';
import type { Context } from '../../platform/context.ts';
import { type AppCreation, type CreatedApp, createApp, createPartnerApp } from '../../platform/contract/apps.ts';
import { type Build, ownStatus } from '../../platform/contract/builds.ts';
import { fetchApp } from '../../platform/replies/index.ts';
import {
  cancelAbandoned,
  completeDespiteInterrupt,
  type TimeLimit,
  tryRequest,
  tryUntilKnown,
} from '../../platform/waiting/index.ts';
import { UrlExpiredError } from '../../storage/transfer/upload-archive.ts';
import { keepArchive, shareArchive } from '../archives/index.ts';
import { type FollowBuildOptions, followBuild, remoteBuild } from '../builds/index.ts';
import { readCheckedOut } from '../git/index.ts';
import { type EventOf, readHistory, recordEvent, sentSettings } from '../history/index.ts';
import { type Before, lookBefore } from '../observed.ts';
import { type CreateAppOptions, ownSettings, readBaseImages, withLogin, withoutLogin } from './app-settings.ts';
import { type Guard, whyNotSend } from './before-upload.ts';
import { waitForBuilds } from './busy-builds.ts';
import {
  type Deployment,
  filesDigestOf,
  type ReadSecrets,
  type SentRecord,
  secretsMark,
  settingsDigestOf,
  trySecretsOf,
  withKeptRecord,
} from './deploy-record.ts';
import type { LocalApp } from './local-app.ts';
import { type PackedApp, withPackedApp } from './pack-app.ts';
import { decideInTurn, type Intent } from './prepare-deploy.ts';
import { uploadFiles } from './upload-files.ts';
import { findServing, type KnownBuild, recordEnded, recordFailure, tellOnFailure } from './what-serves.ts';

/** What is sent, of an app on disk or of an archive that is kept: the same from the plan to the last sentence. */
export interface Sending extends SendOptions {
  body: AppCreation;
  /** Images that may need a registry login. */
  baseImages: string[];
  /** What the build is made of, for the record; undefined if that is not known. */
  describe: (files: PackedApp['files']) => Promise<SentRecord | undefined>;
}

/** How. `config`: the app, to explain a failure. */
export interface SendOptions extends Pick<FollowBuildOptions, 'config' | 'pauses'> {
  /** Return once everything is uploaded. The build continues, and Ctrl-C does not cancel it. */
  detach?: boolean | undefined;
  logs: boolean;
  limit: TimeLimit;
  /** It waits for the builds before its own one. */
  turn?: Intent | undefined;
  guard?: Guard | undefined;
  /** What there is before the upload is looked at, for a verdict about the new build. */
  isVerified?: boolean | undefined;
  /** The rollback that this is, which is on record before the upload: nobody may be there any more when its build serves. */
  rollback?: Omit<EventOf<'rolling-back'>, 'at' | 'by' | 'event' | 'as'> | undefined;
  /** What the app gets, as it was before the upload; read if it is absent. */
  secrets?: ReadSecrets | undefined;
}

/** Of an app on disk. */
export interface DeployOptions extends SendOptions, CreateAppOptions {
  /** Set for the app of a branch: it may be deleted if the commit has all of its files, by their content. */
  preview?: string | true | undefined;
  /** What is kept of the live app, if that is not all that is. */
  kept?: Partial<AppCreation>;
  /** Whose files these are, if not those of the working directory. */
  commit?: string;
}

/** `deployment`: what serves, where another deploy has made that equal. `before`: what there was before the upload. */
export interface Sent {
  deployment: Deployment;
  before?: Before | undefined;
}

/** Packs the app, creates a build, uploads the archive and follows the build. Cancels the build on any earlier end. */
export async function sendApp(context: Context, local: LocalApp, options: DeployOptions): Promise<Sent> {
  const { project } = local;
  const upload = new BuildUpload(context, await sendingOf(context, local, options));
  const sent = withPackedApp(context, local, (packed) => upload.send(packed));
  await sent.catch((error: unknown) => locateRefusal(context, project, error));
  return upload.finish();
}

/** The same, of an archive that is packed already. */
export async function sendArchive(context: Context, sending: Sending, archive: AppArchive): Promise<Sent> {
  const upload = new BuildUpload(context, sending);
  await upload.send({ archive, files: [], packMs: 0 });
  return upload.finish();
}

async function sendingOf(context: Context, local: LocalApp, options: DeployOptions): Promise<Sending> {
  const { project, entries } = local;
  const { commit, preview, kept = options.keep ?? {} } = options;
  const baseImages = await readBaseImages(project);
  const body = await withLogin(context, withoutLogin(project, options), baseImages);
  const written = entries.flatMap(({ path, reason }) => (reason?.kind === 'generated' ? [] : [path]));
  const checkedOut = () => readCheckedOut(context, written, { byContent: preview !== undefined });
  const reading = commit === undefined ? checkedOut() : Promise.resolve({ commit, dirty: false });
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

/** One deploy: create, wait for its turn, record, check, upload, follow. */
class BuildUpload {
  readonly #app: string;
  readonly #known: KnownBuild;
  /** Without the time limit: only Ctrl-C ends it. */
  readonly #unlimited: Context;
  #packed: PackedApp = { files: [], packMs: 0 };
  #created: CreatedApp | undefined;
  /** What serves, and is equal by now. */
  #live: Deployment | undefined;
  #before: Before | undefined;
  #hasArrived = false;
  /** The reply to a request for a build was lost. */
  #hasLost = false;
  #uploadMs = 0;
  /** Replicas may start at any time from the upload on: what changes meanwhile is sent again rather than missed. */
  readonly #readSecrets: ReadSecrets;

  constructor(
    private readonly context: Context,
    private readonly sending: Sending,
  ) {
    this.#app = sending.body.name;
    this.#known = { app: this.#app };
    this.#unlimited = sending.limit.unlimited;
    this.#readSecrets = sending.secrets ?? once(() => trySecretsOf(context, this.#app));
  }

  /** Resolves once the archive is not needed. */
  async send(packed: PackedApp): Promise<void> {
    this.#packed = packed;
    const { elapsed } = this.context;
    await this.#check();
    const started = elapsed();
    await tellOnFailure(this.#unlimited.signal, this.#known, () => this.#createAndUpload());
    this.#uploadMs = elapsed() - started;
  }

  /** Waits for the result. */
  async finish(): Promise<Sent> {
    const follow = async () => this.#live ?? (await this.#finish(this.#created as CreatedApp));
    return { deployment: await tellOnFailure(this.#unlimited.signal, this.#known, follow), before: this.#before };
  }

  /** An expired upload URL cannot be renewed: cancels the build and creates a new one, once. */
  async #createAndUpload(mayRetry = true): Promise<void> {
    const { context } = this;
    const creating = this.#create();
    // Beside it, since that is what is waited for.
    void this.#readSecrets();
    const created = await creating;
    this.#created = created;
    const { buildId } = created;
    try {
      context.signal.throwIfAborted();
      this.#live = await this.#waitForTurn(buildId);
      await (this.#live ? this.#cancel(buildId, 'another deploy has made the app equal') : this.#upload(created));
      return;
    } catch (error) {
      await this.#cancel(buildId, (error as Error).message);
      if (!(error instanceof UrlExpiredError) || !mayRetry) throw error;
    }
    context.progress.note('the upload URL has expired; creating a new build');
    return this.#createAndUpload(false);
  }

  /** The live deployment, if another deploy has made it equal meanwhile. What has no upload has no place in the queue. */
  async #waitForTurn(own: string): Promise<Deployment | undefined> {
    const { limit, turn } = this.sending;
    if (!turn || !this.#packed.archive) return undefined;
    const hasWaited = await waitForBuilds(this.context, this.#app, { limit, stuck: turn.stuck, own });
    return hasWaited ? decideInTurn(this.context, turn) : undefined;
  }

  async #create(): Promise<CreatedApp> {
    const { context } = this;
    const { signal, project, progress } = context;
    const { body, limit } = this.sending;
    const { archive } = this.#packed;
    signal.throwIfAborted();
    context.interruption.message = `canceling the build of ${this.#app} that is being created`;
    const step = progress.step(`Creating a build of ${this.#app}`);
    const endpoint = archive ? createApp : createPartnerApp;
    const request = completeDespiteInterrupt(limit, (api) => api(endpoint, { project, body }));
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
    if (!isLost || this.#hasLost || !this.#packed.archive || this.context.signal.aborted) throw error;
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
    const { context } = this;
    const { body, baseImages, describe, detach, rollback } = this.sending;
    const { archive, files } = this.#packed;
    const { buildId: build, dashboardUrl: dashboard } = created;
    const [described, known] = await Promise.all([describe(files), this.#readSecrets()]);
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
    if (rollback) await recordEvent(this.#unlimited, this.#app, 'rolling-back', { ...rollback, as: build });
    const { step, text } = await uploadFiles(context, { app: this.#app, created, archive });
    this.#hasArrived = true;
    const cancel = gantryCommand`builds cancel ${this.#app} ${shortBuild(build)}`;
    const leaving = sentence`stopping; build ${shortBuild(build)} continues; to cancel it: ${cancel}`;
    if (detach) context.interruption.message = leaving;
    step.done(text);
    context.progress.event('uploaded', { build, bytes: archive.bytes });
    await write('sent', archived);
    if (kept) shareArchive(context, kept);
  }

  /** What protects the upload is asked directly before it, however long this deploy has waited until then. */
  async #check(created?: string): Promise<void> {
    const { body, turn, guard = {}, isVerified } = this.sending;
    const { files } = this.#packed;
    // Other builds in progress are waited for, and what they change is seen afterwards.
    const willWait = turn !== undefined && created === undefined;
    const error = await whyNotSend(this.context, guard, { body, files, created, hasLost: this.#hasLost, willWait });
    if (error) throw error;
    if (isVerified) this.#before = await lookBefore(this.context, this.#app, this.#before);
  }

  /** Follows the build to its end or, detached, until the next command can. */
  async #finish(created: CreatedApp): Promise<Deployment> {
    const { context } = this;
    const { body, detach, limit } = this.sending;
    const { archive = { entries: [], bytes: 0 }, packMs } = this.#packed;
    const { name: app, runtime = '' } = body;
    const started = context.elapsed();
    const { buildId: build, internalEndpoint, pageUrl: page = '', dashboardUrl: dashboard } = created;
    const ended = detach ? await this.#leave(created) : await this.#follow(created);
    const buildMs = detach ? null : context.elapsed() - started;
    const serves = detach ? build : await limit.wait((ms) => findServing(this.#unlimited, app, ended, ms));
    // The deploy has succeeded, whatever the app shows.
    const read = () => tryRequest(this.#unlimited, (api) => fetchApp(api, { project: context.project, app }));
    return {
      app,
      project: context.project,
      runtime,
      build,
      status: ownStatus(ended.status),
      notStarted: ended.notStarted ?? null,
      differences: ended.differences ?? [],
      endpoint: internalEndpoint || (await read())?.internalEndpoint || '',
      page,
      dashboard,
      files: archive.entries.length,
      bytes: archive.bytes,
      packMs,
      uploadMs: this.#uploadMs,
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
    const { limit, pauses, config } = this.sending;
    const context = this.#unlimited;
    const logs = this.sending.logs && this.#packed.archive !== undefined;
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
    if (isInterrupted && this.sending.detach && this.#hasArrived) return;
    const status = await cancelAbandoned(context, remoteBuild(context.project, this.#app, build));
    this.#known.status = status;
    // It may succeed all the same if that is not confirmed.
    if (status !== 'canceled') return;
    context.progress.event('canceled', { build });
    await recordEnded(context, this.#app, build, isInterrupted ? 'interrupted' : reason);
  }
}
