import { type Fix, gantryCommand } from '../../kernel/command-line.ts';
import {
  abortError,
  BuildFailedError,
  type ExitName,
  GantryError,
  NotReadyError,
  PendingError,
} from '../../kernel/errors.ts';
import { shortBuild } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { liveBuild } from '../../platform/contract/apps.ts';
import type { Build } from '../../platform/contract/builds.ts';
import { fetchApp } from '../../platform/replies/index.ts';
import { tryRequest } from '../../platform/waiting/index.ts';
import { forgetArchives } from '../archives/index.ts';
import { firstRow, type ReadyFacts, readyTable } from '../decide.ts';
import { recordEvent, recordLook } from '../history/index.ts';
import { type AppReading, buildsText, settle } from '../observe.ts';
import { mayReplace, servingBuild } from '../serving.ts';

/**
 * A build that has succeeded serves once the app shows it, which may take a minute. Returns the build that serves: another
 * one, if that may have replaced it meanwhile. Throws PendingError if one before still serves. Where the app does not show
 * what serves, the status of the build counts.
 */
export async function findServing(context: Context, app: string, own: Build, maxMs: number): Promise<string> {
  const live = await lookOnce(context, app);
  if (live === undefined || live === own.id) return own.id;
  const seen = await trySettle(context, app, own, maxMs);
  if (seen?.app) await recordLook(context, app, seen.app);
  const serving = servingFact(seen, own.id);
  const step = firstRow(readyTable, { serving, verifies: 'no', health: 'healthy', orRollback: 'no' });
  if (step !== 'stop: not shown') return (seen && servingBuild(seen.serving)) ?? own.id;
  const { shows } = seen ?? { shows: live };
  throw new PendingError(
    `build ${shortBuild(own.id)} of ${app} has succeeded, but the app still shows ${shows === null ? 'none' : buildsText([shows])}`,
    {
      why: 'it may be late, or the build before still serves',
      fix: gantryCommand`apps get ${app}`,
      details: { app, build: own.id, status: 'pending', serves: shows },
    },
  );
}

/** The build that the app shows now. */
async function lookOnce(context: Context, app: string): Promise<string | undefined> {
  const shown = await tryRequest(context, (api) => fetchApp(api, { project: context.project, app }));
  if (shown) await recordLook(context, app, shown);
  return shown && liveBuild(shown);
}

/** A later build may have replaced the own one. */
function servingFact(seen: AppReading | undefined, own: string): ReadyFacts['serving'] {
  if (!seen) return 'not known';
  const { serving } = seen;
  if (serving.is === 'unknown') return 'ours';
  if (serving.is !== 'one') return 'one of';
  if (serving.build === own) return 'ours';
  return mayReplace(seen, serving.build, own) ? 'another' : 'one of';
}

/** Undefined if the platform does not answer: what the app showed last is all that is known then. */
async function trySettle(context: Context, app: string, own: Build, maxMs: number): Promise<AppReading | undefined> {
  try {
    return await settle(context, app, { own, maxMs });
  } catch (error) {
    if (!(error instanceof GantryError) || context.signal.aborted) throw error;
    context.trace(`cannot look at ${app}: ${error.message}`);
    return undefined;
  }
}

/** Writes down that a build will not serve, by default as it was canceled, and forgets what was kept of it. */
export async function recordEnded(context: Context, app: string, build: string, reason: string, status = 'canceled') {
  await forgetArchives(context, app, build);
  await recordEvent(context, app, 'failed', { build, status, reason });
}

/** Writes down that a build has failed, if the error says so, and tells what serves. */
export async function recordFailure(context: Context, app: string, build: string, error: unknown): Promise<void> {
  if (!(error instanceof BuildFailedError || error instanceof NotReadyError)) return;
  const details = (error.facts.details ?? {}) as { status?: string; explanation?: { title: string } };
  await recordEnded(context, app, build, details.explanation?.title ?? error.message, details.status ?? 'failed');
  const { project, progress } = context;
  const shown = await tryRequest(context, (api) => fetchApp(api, { project, app }));
  const live = shown && liveBuild(shown);
  // It replaced nothing.
  if (!shown || live === build) return;
  if (live) error.facts.details = { ...error.facts.details, serves: live };
  progress.note(live ? `${app} still serves build ${shortBuild(live)}` : `${app} has no live build`);
}

export interface KnownBuild {
  app: string;
  build?: string;
  /** As the platform last showed it, or `unknown`. */
  status?: string;
  dashboard?: string;
}

/** Errors of what is between here and the platform: they say nothing of the build. */
const ofPlatform: readonly ExitName[] = ['auth', 'denied', 'unavailable', 'limit', 'rate-limited'];

/** What is not known of a build that is deployed. */
const reason = 'whether it is healthy was not seen to the end';

/**
 * Does a part of a deploy. Whatever ends it has what is known of the build among its details: `--json` and the outputs of a
 * pipeline step tell it from there. `goOn`: of a build that serves, the command that goes on.
 */
export async function tellOnFailure<T>(
  signal: AbortSignal,
  known: KnownBuild,
  work: () => Promise<T>,
  goOn?: Fix,
): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const error = signal.aborted && !(thrown instanceof GantryError) ? abortError(signal) : thrown;
    if (error instanceof GantryError)
      error.facts.details = { ...known, ...(goOn && { reason }), ...error.facts.details };
    if (error instanceof GantryError && goOn) tellDeployed(error, known, signal.aborted ? goOn : undefined);
    throw error;
  }
}

function tellDeployed({ facts, exit }: GantryError, { app, build = '' }: KnownBuild, fix: Fix | undefined): void {
  if (fix) facts.fix ??= fix;
  if (ofPlatform.includes(exit)) facts.why ??= `build ${shortBuild(build)} of ${app} is deployed: ${reason}`;
}
