import { mayHaveHappened } from '../../api/lost-reply.ts';
import { gantryCommand, sentence } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { type App, type AppCreation, type CreatedApp, createApp, createPartnerApp } from '../../contract/apps.ts';
import type { Build } from '../../contract/builds.ts';
import { newOwnerName } from '../../disk/index.ts';
import { BuildFailedError, ConflictError, GantryError, NotReadyError } from '../../errors.ts';
import { shortBuild } from '../../output/format.ts';
import type { AppArchive } from '../../project/archive.ts';
import { UrlExpiredError } from '../../transfer/upload-archive.ts';
import { followBuild, remoteBuild } from '../builds/index.ts';
import { recordEvent } from '../history/index.ts';
import { fetchApp } from '../replies/index.ts';
import { cancelAbandoned, completeDespiteInterrupt } from '../waiting/index.ts';
import { isSuperseded, waitForEarlierBuilds } from './busy-builds.ts';
import type { Deployment, SendOptions } from './deploy-options.ts';
import { announceCreation } from './killed-creation.ts';
import { KnownBuild } from './known-build.ts';
import { nameLostCreation } from './lost-creation.ts';
import { recordCanceled } from './record-canceled.ts';
import { recordFailure } from './record-failure.ts';
import { StuckBuilds } from './stuck-builds.ts';
import { uploadFiles } from './upload-files.ts';
import { findServing } from './what-serves.ts';

/** One deploy, from the request that creates the build to its result. */
export class BuildUpload {
  #isUploaded = false;
  /** The upload has failed, and nobody knows whether it arrived. */
  #isInDoubt = false;
  readonly #known: KnownBuild;
  /** Builds that may be this deploy's own: the reply that would tell was lost. */
  #lost: readonly string[] = [];

  constructor(
    private readonly context: Context,
    private readonly options: SendOptions,
    private readonly body: AppCreation,
  ) {
    this.#known = new KnownBuild(options.limit.unlimited.signal, { app: body.name });
  }

  /**
   * Creates and uploads a build. Resolves when the archive is not needed any more, to what waits for the result: that is
   * the live deployment if another deploy has made it equal meanwhile.
   */
  async send({ archive, packMs }: { archive: AppArchive; packMs: number }): Promise<() => Promise<Deployment>> {
    await this.#check({ archive });
    const started = this.context.elapsed();
    const created = await this.#known.during(() => this.#createAndUpload(archive));
    if (!('buildId' in created)) return async () => created;
    const uploadMs = this.context.elapsed() - started;
    const { entries, bytes } = archive;
    const uploaded = { created, files: entries.length, bytes, packMs, uploadMs };
    return () => this.#known.during(() => this.#finish(uploaded));
  }

  /** A partner's app has no files to upload, and its build no log. */
  async createOnly(): Promise<Deployment> {
    await this.#check({});
    const facts = { files: 0, bytes: 0, packMs: 0, uploadMs: 0 };
    return this.#known.during(async () => this.#finish({ created: await this.#create(), ...facts }));
  }

  /** Follows the build to its end, unless detached. */
  async #finish({ created, ...facts }: UploadedBuild): Promise<Deployment> {
    const { context, options, body } = this;
    const started = context.elapsed();
    const { buildId: build } = created;
    const ended = options.detach ? undefined : await this.#follow(created);
    const buildMs = context.elapsed() - started;
    const { limit } = options;
    const serves = ended ? await limit.wait((ms) => findServing(limit.unlimited, body.name, ended, ms)) : build;
    const app = created.internalEndpoint ? undefined : await this.#readApp();
    return {
      app: body.name,
      project: context.project,
      runtime: body.runtime ?? '',
      build,
      status: ended?.status ?? created.status ?? 'pending',
      notStarted: ended?.notStarted ?? null,
      differences: ended?.differences ?? [],
      endpoint: created.internalEndpoint || app?.internalEndpoint || '',
      page: created.pageUrl ?? '',
      dashboard: created.dashboardUrl ?? '',
      ...facts,
      buildMs,
      changed: true,
      ...(serves !== build && { serves }),
    };
  }

  /** For a reply of create app without an endpoint. Undefined if it cannot be read: the deploy has succeeded. */
  async #readApp(): Promise<App | undefined> {
    const { context, options, body } = this;
    try {
      return await fetchApp(context.api, { project: context.project, app: body.name });
    } catch (error) {
      if (error instanceof GantryError && !options.limit.unlimited.signal.aborted) return undefined;
      throw error;
    }
  }

  /** An expired upload URL cannot be renewed: cancels the build and creates a new one, once. */
  async #createAndUpload(archive: AppArchive, mayRetry = true): Promise<CreatedApp | Deployment> {
    const { context, options, body } = this;
    const created = await this.#create();
    try {
      const live = options.ifBusy === 'wait' ? await this.#waitForTurn(created) : undefined;
      if (live) await this.#abandon(created);
      else {
        await options.onSending?.(created);
        await this.#check({ archive, created: created.buildId });
        await this.#upload(created, archive);
        await options.onUploaded?.(created, archive);
      }
      return live ?? created;
    } catch (error) {
      const status = await this.#endUnneeded(created, error);
      if (this.#isInDoubt && status !== 'cancelled') await options.onInDoubt?.(created);
      if (!(error instanceof UrlExpiredError) || !mayRetry) throw error;
    }
    if (options.ifBusy === 'wait' && (await isSuperseded(context, body.name, created.buildId))) {
      throw new ConflictError(`a later deploy of ${body.name} replaces this one`, {
        why: 'the upload URL expired while other builds were in progress',
        fix: gantryCommand`builds list ${body.name}`,
      });
    }
    context.progress.note('the upload URL has expired; creating a new build');
    return this.#createAndUpload(archive, false);
  }

  /** What protects the upload is asked directly before it, however long this deploy has waited until then. */
  async #check({ archive, created }: { archive?: AppArchive; created?: string }): Promise<void> {
    const { body, options } = this;
    const willWait = options.ifBusy === 'wait' && created === undefined;
    await options.check?.({ body, archive, created, lost: this.#lost, willWait });
  }

  /** Returns the live deployment if it is equal once the earlier builds have ended. */
  async #waitForTurn({ buildId }: CreatedApp): Promise<Deployment | undefined> {
    const { context, options, body } = this;
    const stuck = options.stuck ?? new StuckBuilds(context, body.name);
    stuck.learnLost(this.#lost);
    const hasWaited = await waitForEarlierBuilds(context, body.name, buildId, { limit: options.limit, stuck });
    return hasWaited ? options.recheck?.() : undefined;
  }

  /** Repeated once if the reply was lost, and a build is there that may be its own. */
  async #create(mayRetry = true): Promise<CreatedApp> {
    const { signal, project, progress } = this.context;
    signal.throwIfAborted();
    const { body } = this;
    const sentAt = this.context.now();
    this.context.interruption.message = `canceling the build of ${body.name} that is being created`;
    const withdraw = announceCreation(this.context, body.name);
    const step = progress.step(`Creating a build of ${body.name}`);
    const endpoint = body.partnerService ? createPartnerApp : createApp;
    const request = () => completeDespiteInterrupt(this.options.limit, (api) => api(endpoint, { project, body }));
    const created = await request().catch(async (error: unknown) => {
      step.fail();
      if (mayHaveHappened(error)) this.#known.learn({ status: 'unknown' });
      else withdraw();
      if (body.partnerService || !mayRetry) throw error;
      this.#lost = await nameLostCreation(this.context, body.name, { error, sentAt });
      if (this.#lost.length > 0) return undefined;
      throw error;
    });
    if (!created) return this.#create(false);
    this.#known.learnCreated(created);
    this.#announceInterruption(created);
    const waiting = { build: created.buildId, process: newOwnerName() };
    if (created.uploadUrl) await recordEvent(this.context, body.name, 'created', waiting);
    withdraw();
    step.done(`Created build ${shortBuild(created.buildId)}`);
    progress.event('created', { app: this.body.name, build: created.buildId, status: created.status });
    if (!signal.aborted) return created;
    await this.#abandon(created);
    throw signal.reason;
  }

  async #upload(created: CreatedApp, archive: AppArchive): Promise<void> {
    const onArrived = () => {
      this.#isUploaded = true;
      this.#announceInterruption(created);
    };
    const onDoubt = () => {
      this.#isInDoubt = true;
    };
    await uploadFiles(this.context, { app: this.body.name, created, archive, onArrived, onDoubt });
    this.context.progress.event('uploaded', { build: created.buildId, bytes: archive.bytes });
  }

  async #follow(created: CreatedApp): Promise<Build> {
    const { options, body } = this;
    const { limit, logs, pauses, config } = options;
    const context = limit.unlimited;
    try {
      const build = { app: body.name, build: created.buildId, logs: logs && !body.partnerService, pauses, config };
      const ended = await limit.wait((timeoutMs) => followBuild(context, { ...build, timeoutMs }));
      this.#known.learn({ status: ended.status });
      context.interruption.message = `stopping; build ${shortBuild(ended.id)} of ${body.name} has succeeded and stays`;
      return ended;
    } catch (error) {
      const hasFailed = error instanceof BuildFailedError || error instanceof NotReadyError;
      if (context.signal.aborted) await this.#endUnneeded(created, error);
      else if (hasFailed) await recordFailure(context, body.name, created.buildId, error);
      throw error;
    }
  }

  /** What was canceled has not failed, and may succeed all the same if that is not confirmed. */
  async #endUnneeded(created: CreatedApp, error: unknown): Promise<string | undefined> {
    const context = this.options.limit.unlimited;
    const status = await this.#abandon(created);
    const reason = context.signal.aborted ? 'interrupted' : (error as Error).message;
    if (status === 'cancelled') await recordCanceled(context, this.body.name, created.buildId, reason);
    return status;
  }

  /** Sets what Ctrl-C prints. A build without an upload cannot continue. */
  #announceInterruption({ buildId }: CreatedApp): void {
    const { name } = this.body;
    const build = shortBuild(buildId);
    this.context.interruption.message =
      this.options.detach && this.#isUploaded
        ? sentence`stopping; build ${build} continues; to cancel it: ${gantryCommand`builds cancel ${name} ${build}`}`
        : `canceling build ${build} of ${name}`;
  }

  /** Cancels a build that is not needed any more, except after Ctrl-C with `detach` once it can continue by itself. */
  async #abandon({ buildId }: CreatedApp): Promise<string | undefined> {
    const { options, body } = this;
    const context = options.limit.unlimited;
    if (options.detach && this.#isUploaded && context.signal.aborted) return undefined;
    const status = await cancelAbandoned(context, remoteBuild(context.project, body.name, buildId));
    this.#known.learn({ status });
    if (status === 'cancelled') context.progress.event('cancelled', { build: buildId });
    return status;
  }
}

/** A build whose archive is uploaded. */
interface UploadedBuild {
  created: CreatedApp;
  files: number;
  bytes: number;
  packMs: number;
  uploadMs: number;
}
