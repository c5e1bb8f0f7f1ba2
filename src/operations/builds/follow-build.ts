import type { Context } from '../../context.ts';
import { type Build, buildPhase } from '../../contract/builds.ts';
import { BuildFailedError, type GantryError, NotReadyError, PendingError } from '../../errors.ts';
import { duration } from '../../output/format.ts';
import { Deadline, type PollOptions, pollUntil, throwUnlessTransient } from '../waiting/index.ts';
import { BuildLogPrinter } from './build-log-printer.ts';
import { fetchBuild } from './fetch-build.ts';

export interface FollowBuildOptions {
  app: string;
  build: string;
  /** Show the build's log as it grows. */
  logs: boolean;
  /** Stop waiting after so long; the build goes on. */
  timeoutMs: number;
  /** The build may have been over before we came: what is done at the first look took nobody knows how long. */
  startedBefore?: true;
}

/** Short pauses at first, since many builds fail at once. */
const pauses = { firstMs: 100, maxMs: 1_000, growth: 1.5 };

/**
 * Waits for a build to end and returns it. The polled status decides the result; the log is only shown. Throws
 * BuildFailedError or NotReadyError when it failed, PendingError at the time limit.
 */
export async function followBuild(context: Context, following: FollowBuildOptions): Promise<Build> {
  const { progress, elapsed } = context;
  const { app } = following;
  const started = elapsed();
  const step = progress.step(`Building ${app}`);
  try {
    let polls = 0;
    const build = await waitFor(context, following, (status) => {
      polls++;
      step.update({ text: `${status}, ${duration(elapsed() - started)}` });
    });
    const wasDone = following.startedBefore && polls === 1;
    step.done(wasDone ? `${app} was built already` : `Built ${app} in ${duration(elapsed() - started)}`);
    return build;
  } catch (error) {
    step.fail();
    throw error;
  }
}

async function waitFor(
  context: Context,
  following: FollowBuildOptions,
  onStatus: (status: string) => void,
): Promise<Build> {
  const { app, build, logs, timeoutMs } = following;
  let shown = '';
  const deadline = new Deadline(context, timeoutMs, () => pending(following, shown));
  const log = new BuildLogPrinter(context, app, build, deadline.signal);
  try {
    const state = await ended(context, following, deadline, (status) => {
      shown = status;
      onStatus(status);
      // A build that has ended writes no more.
      if (logs && buildPhase(status) === 'in progress') log.follow();
    });
    const failed = buildPhase(state.status) === 'failed';
    if (logs || failed) await log.finish(failed ? 'failed' : 'succeeded', logs);
    if (failed) throw verdict(state, following, log.tail());
    return state;
  } finally {
    await log.cut();
  }
}

/** Polls a build until it has ended, in success or failure. Throws PendingError at the time limit. */
async function ended(
  context: Context,
  { app, build }: FollowBuildOptions,
  deadline: Deadline,
  onStatus: (status: string) => void,
): Promise<Build> {
  const { project, progress } = context;
  const followed = {
    name: `build ${build} of ${app}`,
    fix: `gantry builds follow ${app} ${build}`,
    details: { app, build },
  };
  let shown = '';
  const polling: PollOptions<Build> = {
    poll: (api) => fetchBuild(api, { project, app, build }),
    deadline,
    pauses,
    onFailure: (error, silentMs) => throwUnlessTransient(error, silentMs, followed),
  };
  return pollUntil(context, polling, (state) => {
    if (state.status !== shown) progress.event('status', { build, status: state.status });
    shown = state.status;
    onStatus(shown);
    return buildPhase(shown) === 'in progress' ? undefined : state;
  });
}

function verdict(build: Build, { app, logs }: FollowBuildOptions, tail: string[]): GantryError {
  const reason = build.initError || undefined;
  const shownAlready = logs || tail.length === 0;
  const why = [reason, shownAlready ? undefined : `the log ends with\n${tail.join('\n')}`].filter(Boolean).join('\n');
  const facts = {
    ...(why ? { why } : {}),
    fix: `gantry builds logs ${app} ${build.id}`,
    details: { app, build: build.id, status: build.status, reason: reason ?? null, log: tail },
  };
  if (/^init_/i.test(build.status)) {
    return new NotReadyError(`${app} was built but did not start (${build.status})`, facts);
  }
  if (/^cancelled$/i.test(build.status))
    return new BuildFailedError(`build ${build.id} of ${app} was cancelled`, facts);
  return new BuildFailedError(`build ${build.id} of ${app} failed (${build.status})`, facts);
}

function pending({ app, build, timeoutMs }: FollowBuildOptions, status: string): PendingError {
  return new PendingError(`build ${build} of ${app} is not done after ${duration(timeoutMs)}; it goes on`, {
    fix: `gantry builds follow ${app} ${build}`,
    details: { app, build, status },
  });
}
