import { gantryCommand } from '../../kernel/command-line.ts';
import { GantryError, PendingError } from '../../kernel/errors.ts';
import { shortBuild } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { liveBuild } from '../../platform/contract/apps.ts';
import { type Build, ownStatus } from '../../platform/contract/builds.ts';
import { fetchApp } from '../../platform/replies/index.ts';
import { tryRequest, tryUntilKnown, unless } from '../../platform/waiting/index.ts';
import { followBuild, remoteBuild } from '../builds/index.ts';
import { firstRow, type ReadyFacts, readyTable } from '../decide.ts';
import { recordLook } from '../history/index.ts';
import { type AppReading, buildsText, settle } from '../observe.ts';
import { mayReplace, servingBuild } from '../serving.ts';
import type { Deployment } from './deploy-record.ts';
import { recordFailure, tellOnFailure } from './failed-build.ts';
import { cancel, type Sent, type Uploaded, unlimitedOf } from './send-build.ts';

/** Follows the build to its end or, detached, until the next command can. */
export async function follow(uploaded: Uploaded): Promise<Sent> {
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
  const { limit, pauses, config, logs } = sending;
  const { app } = known;
  const context = unlimitedOf(uploaded);
  const build = created.buildId;
  const followed = { app, build, logs: logs && packed.archive !== undefined, pauses, config };
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
async function findServing(context: Context, app: string, own: Build, maxMs: number): Promise<string> {
  const shown = await tryRequest(context, (api) => fetchApp(api, { project: context.project, app }));
  if (shown) await recordLook(context, app, shown);
  const live = shown && liveBuild(shown);
  if (live === undefined || live === own.id) return own.id;
  // Without an answer, what the app showed last is all that is known.
  const isNone = (error: unknown) => error instanceof GantryError && !context.signal.aborted;
  const seen = await unless(isNone, settle(context, app, { own, maxMs }));
  if (seen?.app) await recordLook(context, app, seen.app);
  const serving = servingFact(seen, own.id);
  const step = firstRow(readyTable, { serving, verifies: 'no', health: 'healthy', orRollback: 'no' });
  if (step !== 'stop: not shown') return (seen && servingBuild(seen.serving)) ?? own.id;
  throw notShownError(app, own.id, seen ? seen.shows : live);
}

function notShownError(app: string, build: string, serves: string | null): PendingError {
  const shown = serves === null ? 'none' : buildsText([serves]);
  return new PendingError(`build ${shortBuild(build)} of ${app} has succeeded, but the app still shows ${shown}`, {
    why: 'it may be late, or the build before still serves',
    fix: gantryCommand`apps get ${app}`,
    details: { app, build, status: 'pending', serves },
  });
}

/** A later build may have replaced the own one. */
function servingFact(seen: AppReading | undefined, own: string): ReadyFacts['serving'] {
  if (!seen) return 'not known';
  const { serving } = seen;
  if (serving.is === 'not known') return 'ours';
  if (serving.is !== 'one') return 'one of';
  if (serving.build === own) return 'ours';
  return mayReplace(seen, serving.build, own) ? 'another' : 'one of';
}
