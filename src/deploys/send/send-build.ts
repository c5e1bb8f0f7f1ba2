import type { AppArchive } from '../../app/archive.ts';
import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { newOwnerName } from '../../kernel/disk/index.ts';
import { UnexpectedReplyError } from '../../kernel/errors.ts';
import { defined } from '../../kernel/json-text.ts';
import { begun, once } from '../../kernel/once.ts';
import { duration, shortBuild } from '../../kernel/output/format.ts';
import type { Step } from '../../kernel/output/progress.ts';
import { mayHaveHappened } from '../../platform/api/lost-reply.ts';
import type { Context } from '../../platform/context.ts';
import { type AppCreation, type CreatedApp, createApp, createPartnerApp } from '../../platform/contract/apps.ts';
import { type Build, isCanceled } from '../../platform/contract/builds.ts';
import {
  cancelAbandoned,
  completeDespiteInterrupt,
  type TimeLimit,
  tryUntilKnown,
  waitForChange,
} from '../../platform/waiting/index.ts';
import { UrlExpiredError, uploadArchive } from '../../storage/transfer/upload-archive.ts';
import { keepArchive, shareArchive } from '../archives/index.ts';
import { type FollowBuildOptions, fetchBuild, remoteBuild } from '../builds/index.ts';
import { type EventOf, recordEvent } from '../history/index.ts';
import { type Before, lookBefore } from '../observed-build.ts';
import { type ReadSecrets, trySecretsOf } from './app-secrets.ts';
import { isPending, waitForBuilds } from './busy-builds.ts';
import { type Deployment, type SentFile, type SentRecord, secretsMark } from './deploy-record.ts';
import { type KnownBuild, recordEnded, tellOnFailure } from './failed-build.ts';
import type { Guard } from './guard.ts';

/** What is sent, of an app on disk or of an archive that is kept: the same from the plan to the last sentence. */
export interface Sending extends SendOptions {
  body: AppCreation;
  /** Images that may need a registry login. */
  baseImages: string[];
  /** What the build is made of, for the record; undefined if that is not known. */
  record: Promise<SentRecord | undefined>;
}

/** An app in a temporary archive. Absent of a partner's app, which has no files, and whose build has no log. */
export interface PackedApp {
  archive?: AppArchive | undefined;
  /** Files as a plan has them. */
  files: readonly SentFile[];
  packMs: number;
}

/** How. `config`: the app, to explain a failure. */
export interface SendOptions extends Pick<FollowBuildOptions, 'config' | 'pauses' | 'seen'> {
  /** Return once everything is uploaded. The build continues, and Ctrl-C does not cancel it. */
  detach?: boolean | undefined;
  logs: boolean;
  /** The limit of the preparation, the wait for other builds, and the wait for this one. */
  limit: TimeLimit;
  /** It waits for the builds before its own one. What serves then, if that is equal. */
  turn?: (() => Promise<Deployment | undefined>) | undefined;
  guard?: Guard | undefined;
  /** What there is before the upload is looked at, for a verdict about the new build. */
  isVerified?: boolean | undefined;
  /** The rollback that this is, which is on record before the upload: nobody may be there any more when its build serves. */
  rollback?: Omit<EventOf<'rolling-back'>, 'at' | 'by' | 'event' | 'as'> | undefined;
  /** What the app gets, as it was before the upload; read if it is absent. */
  secrets?: ReadSecrets | undefined;
}

/** `deployment`: what serves, where another deploy has made that equal. `before`: what there was before the upload. */
export interface Sent {
  deployment: Deployment;
  before?: Before | undefined;
}

/** One deploy that is being sent. What a step has found out is in what it returns, and in `known`. */
interface Ongoing {
  context: Context;
  sending: Sending;
  packed: PackedApp;
  /** What is told of its build, however it ends. */
  known: KnownBuild;
  /** Replicas may start at any time from the upload on: what changes meanwhile is sent again rather than missed. */
  secrets: ReadSecrets;
}

/** `hasLost`: the reply to another request for a build was lost. `at`: when it was confirmed, by what has elapsed, in ms. */
type Created = CreatedApp & { status: string; hasLost: boolean; at: number };

/** A build that has its files, or does not need them: `live` serves, and is equal by now. */
export interface Uploaded extends Ongoing, Pick<Sent, 'before'> {
  created: Created;
  live?: Deployment | undefined;
  uploadMs: number;
}

/** Creates a build, waits for its turn, looks again, and uploads. Resolves once the archive is not needed. */
export async function createAndUpload(context: Context, sending: Sending, packed: PackedApp): Promise<Uploaded> {
  const app = sending.body.name;
  const knownBuild: KnownBuild = { app };
  const { secrets = once(() => trySecretsOf(context, app)) } = sending;
  const ongoing = { context, sending, packed, known: knownBuild, secrets };
  await check(ongoing);
  const started = context.elapsed();
  const sent = await tellOnFailure(unlimitedOf(ongoing).signal, knownBuild, () => withUpload(ongoing));
  return { ...sent, uploadMs: context.elapsed() - started };
}

/** The context without the time limit: only Ctrl-C ends it. */
export const unlimitedOf = ({ sending }: Ongoing): Context => sending.limit.unlimited;

/** An expired upload URL cannot be renewed: cancels the build and creates a new one, once. */
async function withUpload(ongoing: Ongoing, expired?: Created): Promise<Omit<Uploaded, 'uploadMs'>> {
  const { context } = ongoing;
  const creating = create(ongoing, expired?.hasLost);
  // Beside it, since that is what is waited for.
  begun(ongoing.secrets());
  const created = await creating;
  try {
    context.signal.throwIfAborted();
    const live = await waitForTurn(ongoing, created);
    if (!live) return { ...ongoing, created, before: await upload(ongoing, created) };
    await cancel(ongoing, created, 'another deploy has made the app equal');
    return { ...ongoing, created, live };
  } catch (error) {
    await cancel(ongoing, created, (error as Error).message);
    if (!(error instanceof UrlExpiredError) || expired) throw error;
  }
  context.progress.note('the upload URL has expired; creating a new build');
  return withUpload(ongoing, created);
}

async function create(ongoing: Ongoing, hasLost = false): Promise<Created> {
  const { context, sending, packed, known } = ongoing;
  const { signal, project, progress } = context;
  const { body, limit } = sending;
  const { app } = known;
  signal.throwIfAborted();
  context.interruption.message = `canceling the build of ${app} that is being created`;
  const step = progress.step(`Creating a build of ${app}`);
  const endpoint = packed.archive ? createApp : createPartnerApp;
  const request = completeDespiteInterrupt(limit, (api) => api(endpoint, { project, body }));
  const created = await request.catch((error: unknown) => {
    step.fail();
    warnOfLost(ongoing, error, hasLost);
  });
  if (!created) return create(ongoing, true);
  const at = context.elapsed();
  const { buildId: build, status = 'pending', dashboardUrl: dashboard } = created;
  Object.assign(known, { build, status, dashboard });
  context.interruption.message = `canceling build ${shortBuild(build)} of ${app}`;
  if (packed.archive) await recordEvent(context, app, 'created', { build, process: newOwnerName() });
  step.done(`Created build ${shortBuild(build)}`);
  progress.event('created', { app, build, status });
  return { ...created, status, hasLost, at };
}

/**
 * If the reply of create app was lost, another build is created, once. One that gets no upload never starts, and stays: the
 * platform does not show who created it. A partner's app needs no upload. Throws any other error.
 */
function warnOfLost({ context, packed, known }: Ongoing, error: unknown, hasLost: boolean): void {
  const { app } = known;
  const isLost = mayHaveHappened(error);
  if (isLost) known.status = 'unknown';
  if (!isLost || hasLost || !packed.archive || context.signal.aborted) throw error;
  context.progress.warn({
    severity: 'warning',
    message: `a build of ${app} may have been created that gets no upload`,
    why: "the platform's reply was lost, and with it the upload URL: creating another build",
    fix: sentence`${gantryCommand`builds list ${app}`}, then ${gantryCommand`builds cancel ${app} BUILD`}`,
  });
}

/** The live deployment, if another deploy has made it equal meanwhile. What has no upload has no place in the queue. */
async function waitForTurn({ context, sending, packed, known }: Ongoing, created: Created) {
  const { limit, turn } = sending;
  if (!turn || !packed.archive) return undefined;
  const hasWaited = await waitForBuilds(context, limit, known.app, created);
  return hasWaited ? turn() : undefined;
}

/** What protects the upload is asked directly before it, however long this deploy has waited until then. */
async function check({ sending, packed }: Ongoing, created?: Created): Promise<void> {
  const { body, turn, guard } = sending;
  // Other builds in progress are waited for, and what they change is seen afterwards.
  const willWait = turn !== undefined && created === undefined;
  const error = await guard?.({ body, files: packed.files, created, willWait });
  if (error) throw error;
}

/**
 * Returns what there was before the upload. All that is needed if nobody sees its end is on record before it: the platform
 * may have it all then.
 */
async function upload(ongoing: Ongoing, created: Created): Promise<Before | undefined> {
  const { context, sending, packed, known } = ongoing;
  const { app } = known;
  const { body, baseImages, record, detach, rollback, isVerified } = sending;
  const { archive } = packed;
  const { buildId: build, dashboardUrl: dashboard } = created;
  const [described, read] = await Promise.all([record, ongoing.secrets()]);
  const common = { build, ...defined({ dashboard: dashboard || undefined, secrets: secretsMark(read) }) };
  const write = async (event: 'sending' | 'sent', archived = {}) => {
    if (described) await recordEvent(context, app, event, { ...described, ...common, ...archived });
  };
  if (!archive) return void (await write('sent'));
  const kept = await keepArchive(context, archive, { body, build, baseImages });
  const archived = { bytes: archive.bytes, ...defined({ archive: kept?.sha256 }) };
  await write('sending', archived);
  await check(ongoing, created);
  const before = isVerified ? await lookBefore(context, app) : undefined;
  if (rollback) await recordEvent(unlimitedOf(ongoing), app, 'rolling-back', { ...rollback, as: build });
  const { step, text } = await uploadFiles(context, { app, created, archive });
  const end = gantryCommand`builds cancel ${app} ${shortBuild(build)}`;
  const leaving = sentence`stopping; build ${shortBuild(build)} continues; to cancel it: ${end}`;
  if (detach) context.interruption.message = leaving;
  step.done(text);
  context.progress.event('uploaded', { build, bytes: archive.bytes });
  await write('sent', archived);
  if (kept) shareArchive(context, kept);
  return before;
}

/** Cancels a build that is not needed any more. */
export async function cancel(ongoing: Ongoing, { buildId: build }: Created, reason: string): Promise<void> {
  const { known } = ongoing;
  const context = unlimitedOf(ongoing);
  const status = await cancelAbandoned(context, remoteBuild(context.project, known.app, build));
  known.status = status;
  // It may succeed all the same if that is not confirmed.
  if (status !== 'canceled') return;
  context.progress.event('canceled', { build });
  await recordEnded(context, known.app, build, context.signal.aborted ? 'interrupted' : reason);
}

/** A build may show some seconds late that its files have arrived. In ms. */
const latePausesMs = [500, 1_000, 2_000];

/**
 * Uploads the files of a build. Returns the step, whose end is announced once nothing cancels the build any more. An upload
 * that fails counts if the build has started: a reply that was lost, and a second attempt that was refused because of the
 * first, look like failures.
 */
async function uploadFiles(
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
    const hasChanged = (listed?: Build) => !listed || !isPending(listed.status);
    const status = signal.aborted ? undefined : (await waitForChange(look, hasChanged, delay, pausesMs))?.status;
    if (status && !isPending(status) && !isCanceled(status))
      return { step, text: 'Uploaded: the reply was lost, but the build has started' };
    step.fail();
    throw error;
  }
}
