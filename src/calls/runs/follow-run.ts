import type { AppConfig } from '../../app/config.ts';
import { gantryCommand } from '../../kernel/command-line.ts';
import { type GantryError, NotFoundError, ProgramError } from '../../kernel/errors.ts';
import { toMs } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { runOutcome } from '../../platform/contract/run-outcome.ts';
import type { Run } from '../../platform/contract/runs.ts';
import {
  Deadline,
  isTooEarly,
  pollUntil,
  shownLateMs,
  throwUnlessTransient,
  unfinishedError,
} from '../../platform/waiting/index.ts';
import { appLogSource, endingOf, type FollowedLog, type WorkLine, WorkLog } from '../logs/index.ts';
import { commandAfter, fetchRun, runEnding } from './fetch-run.ts';
import { hasEnded, hasSucceeded, readExitCode, runHasFailed, runStatus } from './run-status.ts';

export type FinishedRun = Awaited<ReturnType<typeof followRun>>;

export interface FollowRunOptions {
  app: string;
  run: string;
  /** Stop waiting after this time; the run continues. */
  timeoutMs: number;
  /** The app of the run; by default the one in this folder, if that is the app. */
  config?: AppConfig | undefined;
  /** Another command started the run. */
  startedBefore?: true;
  forwardExitCode?: boolean | undefined;
}

/** Short at first: many runs end immediately. */
const pauses = { firstMs: 100, maxMs: 1_000, growth: 1.5 };

/**
 * Passes on what the run prints (unless its log is `shown` already), and returns when the run has ended. The polled status decides, never the log. Throws
 * ProgramError if the run failed, and at the timeout PendingError, or UnavailableError if nothing is known of the run.
 */
export async function followRun(
  context: Context,
  { app, run, timeoutMs, config, startedBefore, forwardExitCode = false }: FollowRunOptions,
  onLine: (line: WorkLine) => unknown,
  shown?: FollowedLog,
) {
  const { project, progress, elapsed } = context;
  const details = { app, run };
  let status = '';
  let unread: GantryError | undefined;
  const work = { name: `run ${run} of ${app}`, fix: gantryCommand`logs ${app} --run ${run} -f`, details };
  /** Nobody takes the lines any more. */
  const unwanted = new AbortController();
  const signal = AbortSignal.any([context.signal, unwanted.signal]);
  const deadline = new Deadline({ elapsed, signal }, timeoutMs, () =>
    unfinishedError(work, { timeoutMs, status, failure: unread, startedBefore }),
  );
  const newLog = () =>
    new WorkLog(context, {
      source: (client) => appLogSource(client, app, { runId: run }),
      name: 'log of the run',
      needsStream: true,
      deadline,
      async onLine(line) {
        progress.event('log', { ...details, ...line });
        await Promise.resolve(onLine(line)).catch((error: unknown) => unwanted.abort(error));
      },
    });
  const log = shown ?? newLog();
  let wasSeen = !startedBefore;
  const polling = {
    poll: (api: Context['api']) => fetchRun(api, { project, app, run }),
    deadline,
    pauses,
    onFailure(error: unknown, silentMs: number) {
      const { waitedMs } = deadline;
      const mayShow = error instanceof NotFoundError && waitedMs <= shownLateMs;
      const ageMs = startedBefore && !mayShow ? undefined : waitedMs;
      unread = throwUnlessTransient(error, silentMs, { ...work, ageMs });
      if (ageMs === undefined || !isTooEarly(error, ageMs)) log.follow();
    },
  };
  try {
    const item = await pollUntil(context, polling, (state) => {
      unread = undefined;
      if (runStatus(state) !== status) progress.event('status', { ...details, status: runStatus(state) });
      status = runStatus(state);
      if (hasEnded(state)) return state;
      wasSeen = true;
      log.follow();
    });
    const ending = (wasSeen ? undefined : runEnding(context, item)) ?? endingOf(context);
    await log.finish(ending, gantryCommand`logs ${app} --run ${run}`);
    signal.throwIfAborted();
    const finished = toFinishedRun(item, app, log.tail(), forwardExitCode);
    if (!(finished instanceof ProgramError)) return finished;
    await (await import('../../causes/index.ts')).addCause(context, finished, config);
    throw finished;
  } finally {
    await log.abort();
  }
}

function toFinishedRun(item: Run, app: string, log: string[], forwards: boolean) {
  const status = runStatus(item);
  const programExitCode = readExitCode(item);
  const finished = { run: item.id, app, status, programExitCode, durationMs: durationOf(item) };
  if (hasSucceeded(item) && !programExitCode) return finished;
  const withCode = programExitCode ? ` with exit code ${programExitCode}${signalOf(programExitCode)}` : '';
  const isFailure = hasSucceeded(item) || runHasFailed(item);
  return new ProgramError(
    `run ${item.id} of ${app} ${isFailure ? `failed${withCode}` : `was ${runOutcome(item)}`}`,
    { fix: commandAfter(app, item), details: finished, log },
    (forwards && programExitCode) || undefined,
  );
}

/** A shell and a container add 128 to the signal that ended a program. */
function signalOf(code: number): string {
  const signals = Object.entries(process.getBuiltinModule('node:os').constants.signals);
  const [name] = signals.find(([, number]) => number === code - 128) ?? [];
  return name ? ` (${name})` : '';
}

/** The duration in ms; 0 if unknown. */
function durationOf({ createdAt, completedAt, updatedAt, runtimeMs, executionTimeMs }: Run): number {
  const ms = runtimeMs || executionTimeMs || toMs(completedAt || updatedAt) - toMs(createdAt);
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}
