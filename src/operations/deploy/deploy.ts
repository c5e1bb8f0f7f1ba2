import type { Context } from '../../context.ts';
import { type AppCreation, type CreatedApp, createApp, createPartnerApp, getApp } from '../../contract/apps.ts';
import { GantryError, UnexpectedReplyError } from '../../errors.ts';
import { duration, size } from '../../output/format.ts';
import { type AppArchive, withTemporaryArchive } from '../../project/archive.ts';
import { LinkExpiredError, putFile } from '../../transfer/put-archive.ts';
import { followBuild, remoteBuild } from '../builds/index.ts';
import { cancelAbandoned, completeDespiteInterrupt, explainLostReply } from '../waiting/index.ts';
import { type CreateAppOptions, createAppBody } from './create-app-body.ts';
import type { LocalApp } from './local-app.ts';

export interface DeployOptions extends CreateAppOptions {
  /** Return as soon as the platform has everything; the build goes on, and Ctrl-C never cancels it. */
  detach: boolean;
  logs: boolean;
  timeoutMs: number;
}

/** A deploy that succeeded, or, detached, one that is under way. */
export interface Deployment {
  app: string;
  project: string;
  runtime: string;
  build: string;
  status: string;
  endpoint: string;
  dashboard: string;
  /** Zero for a partner's app: nothing is uploaded. */
  files: number;
  /** Of the archive. */
  bytes: number;
  durationsMs: { pack: number; upload: number; build: number };
}

/** Archive -> create -> upload -> follow -> result. Whatever ends it early cancels the build it has begun. */
export async function deploy(context: Context, local: LocalApp, options: DeployOptions): Promise<Deployment> {
  const body = await createAppBody(context, local.project, options);
  const deploying = new Deploying(context, local, options, body);
  const sent = local.project.partner
    ? await deploying.createOnly()
    : await packed(context, local, (archive, packMs) => deploying.send(archive, packMs));
  return deploying.finish(sent);
}

/** Gives `use` the archive of the app and the time it took. The archive is gone when `use` is done. */
async function packed<T>(
  { progress, signal, elapsed }: Context,
  { entries, bytes: whole }: LocalApp,
  use: (archive: AppArchive, packMs: number) => Promise<T>,
): Promise<T> {
  const started = elapsed();
  const step = progress.step('Packing');
  let done = false;
  try {
    return await withTemporaryArchive(
      entries,
      (archive) => {
        done = true;
        const packMs = elapsed() - started;
        step.done(`Packed ${size(archive.bytes)} in ${duration(packMs)}`);
        for (const path of archive.changed) progress.warn(`${path} changed while it was being packed`);
        return use(archive, packMs);
      },
      { signal, onProgress: (bytes) => step.update({ bytes, of: whole }) },
    );
  } catch (error) {
    if (!done) step.fail();
    throw error;
  }
}

/** A build that has all it needs. */
interface Sent {
  created: CreatedApp;
  files: number;
  /** Of the archive. */
  bytes: number;
  packMs: number;
  uploadMs: number;
}

/** One deploy, from the first call that begins remote work to the verdict. */
class Deploying {
  constructor(
    private readonly context: Context,
    private readonly local: LocalApp,
    private readonly options: DeployOptions,
    private readonly body: AppCreation,
  ) {}

  async send(archive: AppArchive, packMs: number): Promise<Sent> {
    const started = this.context.elapsed();
    const created = await this.createAndUpload(archive);
    const uploadMs = this.context.elapsed() - started;
    return { created, files: archive.entries.length, bytes: archive.bytes, packMs, uploadMs };
  }

  /** A partner brings the app: there is nothing to upload. */
  async createOnly(): Promise<Sent> {
    return { created: await this.create(), files: 0, bytes: 0, packMs: 0, uploadMs: 0 };
  }

  /** Follows the build to its verdict, unless detached. */
  async finish({ created, files, bytes, packMs, uploadMs }: Sent): Promise<Deployment> {
    const { context, options, local } = this;
    const started = context.elapsed();
    const status = options.detach ? (created.status ?? 'pending') : await this.follow(created);
    return {
      app: local.project.name,
      project: context.project,
      runtime: local.project.runtime,
      build: created.buildId,
      status,
      endpoint: created.internalEndpoint || (await this.endpoint()),
      dashboard: created.dashboardUrl ?? '',
      files,
      bytes,
      durationsMs: { pack: packMs, upload: uploadMs, build: context.elapsed() - started },
    };
  }

  /** The address of the app where its creation did not tell it; empty when it cannot be had. */
  private async endpoint(): Promise<string> {
    const { api, project } = this.context;
    try {
      return (await api(getApp, { project, app: this.body.name })).internalEndpoint ?? '';
    } catch (error) {
      if (error instanceof GantryError && !this.context.signal.aborted) return '';
      throw error;
    }
  }

  /** A link that ended before it was used gets one new build; the first is cancelled, so that it does not linger. */
  private async createAndUpload(archive: AppArchive, mayTryAgain = true): Promise<CreatedApp> {
    const created = await this.create();
    try {
      await this.upload(created, archive);
      return created;
    } catch (error) {
      await this.abandon(created);
      if (!(error instanceof LinkExpiredError) || !mayTryAgain) throw error;
    }
    this.context.progress.note('the upload link has expired; asking for a new build');
    return this.createAndUpload(archive, false);
  }

  /** Ctrl-C does not cut this call off at once: a build that has begun must be known to be cancelled. */
  private async create(): Promise<CreatedApp> {
    const { signal, project, progress } = this.context;
    signal.throwIfAborted();
    const { body } = this;
    const step = progress.step(`Creating a build of ${body.name}`);
    const endpoint = this.local.project.partner ? createPartnerApp : createApp;
    const created = await completeDespiteInterrupt(this.context, (api) => api(endpoint, { project, body })).catch(
      (error: unknown) => {
        step.fail();
        const why = 'the platform may have begun a build all the same';
        throw explainLostReply(error, { why, fix: `gantry builds list ${body.name}` });
      },
    );
    this.announce(created);
    step.done(`Created build ${created.buildId}`);
    progress.event('created', { app: this.body.name, build: created.buildId, status: created.status });
    if (!signal.aborted) return created;
    await this.abandon(created);
    throw signal.reason;
  }

  private async upload(created: CreatedApp, archive: AppArchive): Promise<void> {
    const { signal, delay, silenceMs, settings, onRetry, progress, now, elapsed } = this.context;
    if (!created.uploadUrl) throw new UnexpectedReplyError('the platform gave no address to upload to');
    const started = elapsed();
    const step = progress.step('Uploading');
    try {
      await putFile(
        { url: created.uploadUrl, file: archive.path, bytes: archive.bytes, contentType: 'application/zip' },
        {
          signal,
          delay,
          silenceMs,
          onRetry,
          proxy: settings.proxy,
          now,
          elapsed,
          onProgress: (bytes) => step.update({ bytes, of: archive.bytes }),
        },
      );
      step.done(`Uploaded ${size(archive.bytes)} in ${duration(elapsed() - started)}`);
      progress.event('uploaded', { build: created.buildId, bytes: archive.bytes });
    } catch (error) {
      step.fail();
      throw error;
    }
  }

  private async follow(created: CreatedApp): Promise<string> {
    const { context, options, local } = this;
    const { logs, timeoutMs } = options;
    try {
      const build = { app: local.project.name, build: created.buildId, logs, timeoutMs };
      return (await followBuild(context, build)).status;
    } catch (error) {
      if (context.signal.aborted) await this.abandon(created);
      throw error;
    }
  }

  /** What Ctrl-C says at once. */
  private announce({ buildId }: CreatedApp): void {
    const { name } = this.body;
    this.context.interruption.message = this.options.detach
      ? `stopping; build ${buildId} is left as it is: gantry builds cancel ${name} ${buildId}`
      : `cancelling build ${buildId} of ${name}`;
  }

  /** Cancels a build that is of no use any more. Detached, it is the user's affair. Never hides the error it follows. */
  private async abandon({ buildId }: CreatedApp): Promise<void> {
    const { context, options, body } = this;
    if (options.detach && context.signal.aborted) return;
    const isCancelled = await cancelAbandoned(context, remoteBuild(context.project, body.name, buildId));
    if (isCancelled) context.progress.event('cancelled', { build: buildId });
  }
}
