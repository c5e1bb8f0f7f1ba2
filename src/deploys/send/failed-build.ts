import type { Fix } from '../../kernel/command-line.ts';
import { abortError, BuildFailedError, type ExitName, GantryError, NotReadyError } from '../../kernel/errors.ts';
import { shortBuild } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { liveBuild } from '../../platform/contract/apps.ts';
import { fetchApp } from '../../platform/replies/index.ts';
import { tryRequest } from '../../platform/waiting/index.ts';
import { forgetArchives } from '../archives/index.ts';
import { recordEvent } from '../history/index.ts';

/** Writes down that a build will not serve, by default as it was canceled, and forgets what was kept of it. */
export async function recordEnded(context: Context, app: string, build: string, reason: string, status = 'canceled') {
  await forgetArchives(context, app, build);
  await recordEvent(context, app, 'failed', { build, status, reason });
}

/** Writes down that a build has failed, if the error says so, and tells which build the app still shows. */
export async function recordFailure(context: Context, app: string, build: string, error: unknown): Promise<void> {
  if (!(error instanceof BuildFailedError || error instanceof NotReadyError)) return;
  const details = (error.facts.details ?? {}) as { status?: string; explanation?: { title: string } };
  await recordEnded(context, app, build, details.explanation?.title ?? error.message, details.status ?? 'failed');
  const { project, progress } = context;
  const deployed = await tryRequest(context, (api) => fetchApp(api, { project, app }));
  const live = deployed && liveBuild(deployed);
  // It replaced nothing.
  if (!deployed || live === build) return;
  if (live) error.facts.details = { ...error.facts.details, serves: live };
  progress.note(live ? `${app} is still shown with build ${shortBuild(live)}` : `${app} has no live build`);
}

export interface KnownBuild {
  app: string;
  build?: string;
  /** The status as the platform last showed it, or `unknown`. */
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
  knownBuild: KnownBuild,
  work: () => Promise<T>,
  goOn?: Fix,
): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const error = signal.aborted && !(thrown instanceof GantryError) ? abortError(signal) : thrown;
    if (error instanceof GantryError)
      error.facts.details = { ...knownBuild, ...(goOn && { reason }), ...error.facts.details };
    if (error instanceof GantryError && goOn) tellDeployed(error, knownBuild, signal.aborted ? goOn : undefined);
    throw error;
  }
}

function tellDeployed({ facts, exit }: GantryError, { app, build = '' }: KnownBuild, fix: Fix | undefined): void {
  if (fix) facts.fix ??= fix;
  if (ofPlatform.includes(exit)) facts.why ??= `build ${shortBuild(build)} of ${app} is deployed: ${reason}`;
}
