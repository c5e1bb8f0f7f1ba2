import type { Api } from '../api/client.ts';
import type { Context } from '../context.ts';
import { type Build, buildPhase, getBuild } from '../contract/builds.ts';
import { BuildFailedError, type GantryError, NotReadyError, PendingError } from '../errors.ts';
import { duration } from '../output/words.ts';
import { bearWith } from './patience.ts';
import { ShownLog } from './shown-log.ts';

export interface Following {
  app: string;
  build: string;
  /** Show the build's log as it grows. */
  logs: boolean;
  /** Stop waiting after so long; the build goes on. */
  timeoutMs: number;
  /** The build may have been over before we came: what is done at the first look took nobody knows how long. */
  begunBefore?: true;
}

/** Between two looks: short at first, since many builds fail at once, then a second (in milliseconds). */
const firstPauseMs = 100;
const longestPauseMs = 1_000;
/** A timer cannot be set for longer (in milliseconds, some 24 days). */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Waits for a build to end and returns it. The verdict is the polled status; the log is only shown (conventions §2).
 * Throws BuildFailedError or NotReadyError when it ended badly, PendingError at the time limit.
 */
export async function followBuild(context: Context, following: Following): Promise<Build> {
  const { progress, now } = context;
  const { app } = following;
  const started = now();
  const step = progress.step(`Building ${app}`);
  try {
    let looks = 0;
    const build = await waitFor(context, following, (status) => {
      looks++;
      step.update({ text: `${status}, ${duration(now() - started)}` });
    });
    const wasDone = following.begunBefore && looks === 1;
    step.done(wasDone ? `${app} was built already` : `Built ${app} in ${duration(now() - started)}`);
    return build;
  } catch (error) {
    step.fail();
    throw error;
  }
}

async function waitFor(context: Context, following: Following, onStatus: (status: string) => void): Promise<Build> {
  const { signal } = context;
  const { app, build, logs, timeoutMs } = following;
  const limit = AbortSignal.timeout(Math.min(timeoutMs, longestTimerMs));
  // A call that hangs, or is tried again and again, must not outlast the time limit either.
  const until = AbortSignal.any([signal, limit]);
  const log = new ShownLog(context, app, build, until);
  try {
    const state = await watch(context, following, { limit, api: context.apiUntil(until) }, (status) => {
      onStatus(status);
      // Of a build that is over there is nothing to wait for.
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

interface Looking {
  api: Api;
  limit: AbortSignal;
}

/** Looks at a build until it has ended, well or badly. Throws PendingError at the time limit. */
async function watch(
  context: Context,
  following: Following,
  { api, limit }: Looking,
  onStatus: (status: string) => void,
): Promise<Build> {
  const { project, progress, now, delay } = context;
  const { app, build, timeoutMs } = following;
  const followed = {
    name: `build ${build} of ${app}`,
    fix: `gantry builds follow ${app} ${build}`,
    details: { app, build },
  };
  const started = now();
  let answered = started;
  let shown = '';
  for (let pause = firstPauseMs; ; pause = Math.min(longestPauseMs, pause * 1.5)) {
    const state = await api(getBuild, { project, app, build }).catch((error: unknown) =>
      error === limit.reason ? undefined : bearWith(error, now() - answered, followed),
    );
    if (state) {
      answered = now();
      if (state.status !== shown) progress.event('status', { build, status: state.status });
      shown = state.status;
      onStatus(shown);
      if (buildPhase(shown) !== 'in progress') return state;
    }
    if (limit.aborted || now() - started >= timeoutMs) throw pending(following, shown);
    await delay(pause);
  }
}

function verdict(build: Build, { app, logs }: Following, tail: string[]): GantryError {
  const reason = build.initError || undefined;
  const shownAlready = logs || tail.length === 0;
  const why = [reason, shownAlready ? undefined : `the log ends with\n${tail.join('\n')}`].filter(Boolean).join('\n');
  const facts = {
    ...(why ? { why } : {}),
    fix: `gantry builds logs ${app} ${build.id}`,
    details: { app, build: build.id, status: build.status, reason: reason ?? null, log: tail },
  };
  if (/^init_/.test(build.status)) {
    return new NotReadyError(`${app} was built but did not start (${build.status})`, facts);
  }
  if (build.status === 'cancelled') return new BuildFailedError(`build ${build.id} of ${app} was cancelled`, facts);
  return new BuildFailedError(`build ${build.id} of ${app} failed (${build.status})`, facts);
}

function pending({ app, build, timeoutMs }: Following, status: string): PendingError {
  return new PendingError(`build ${build} of ${app} is not done after ${duration(timeoutMs)}; it goes on`, {
    fix: `gantry builds follow ${app} ${build}`,
    details: { app, build, status },
  });
}
