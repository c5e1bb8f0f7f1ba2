import type { AppConfig } from '../../app/config.ts';
import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { type GantryError, NotFoundError, ProgramError } from '../../kernel/errors.ts';
import { duration, toMs } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { runOutcome } from '../../platform/contract/run-outcome.ts';
import type { Run } from '../../platform/contract/runs.ts';
import { fetchApp } from '../../platform/replies/index.ts';
import {
  contextUntil,
  Deadline,
  isTooEarly,
  type PollOptions,
  pollUntil,
  shownLateMs,
  throwUnlessTransient,
  tryRequest,
  unfinishedError,
} from '../../platform/waiting/index.ts';
import { appLogSource, endingOf, type FollowedLog, readFailureLog, type WorkLine, WorkLog } from '../logs/index.ts';
import { commandAfter, fetchRun } from './fetch-run.ts';
import { readRunLog } from './run-log.ts';
import { hasEnded, hasSucceeded, readExitCode, runHasFailed, runStatus } from './run-status.ts';

export interface FollowRunOptions extends RunWait {
  /** The app of the run; by default the one in this folder, if that is the app. */
  config?: AppConfig | undefined;
  forwardExitCode?: boolean | undefined;
  /** What the program was given, by name. */
  sent?: unknown;
  /** Takes what the run prints. Without it, the log is read only if the run fails. */
  onLine?: ((line: WorkLine) => unknown) | undefined;
  /** A log that is shown already. */
  shown?: FollowedLog | undefined;
}

/** Short at first: many runs end immediately. */
const pauses = { firstMs: 100, maxMs: 1_000, growth: 1.5 };
/** Records of asynchronous runs have been seen to never change after the run ended. */
const staleRecordMs = 10 * 60_000;
/** A call that fails sooner has not exceeded its grace period. */
const minGracePeriodMs = 15_000;

/**
 * Passes on what the run prints, and returns the run when it has ended. The polled status decides, never the log. Throws
 * ProgramError if the run failed, and at the timeout PendingError, or UnavailableError if nothing is known of the run.
 */
export async function followRun(context: Context, options: FollowRunOptions): Promise<Run> {
  const { progress } = context;
  const { app, run, onLine, shown } = options;
  const details = { app, run };
  /** Nobody takes the lines any more. */
  const unwanted = new AbortController();
  const ownContext = contextUntil(context, AbortSignal.any([context.signal, unwanted.signal]));
  const isShown = (onLine ?? shown) !== undefined;
  const { deadline, end } = startRunWait(ownContext, { ...options, ...(isShown && { pauses }) });
  const newLog = (take: NonNullable<typeof onLine>) =>
    new WorkLog(context, {
      source: (client) => appLogSource(client, app, { runId: run }),
      name: 'log of the run',
      needsStream: true,
      deadline,
      async onLine(line) {
        progress.event('log', { ...details, ...line });
        await Promise.resolve(take(line)).catch((error: unknown) => unwanted.abort(error));
      },
    });
  const log = shown ?? (onLine && newLog(onLine));
  let status = '';
  let nextWarningMs = isShown ? Number.POSITIVE_INFINITY : staleRecordMs;
  const follow = () => log?.follow();
  const onRun = (state: Run) => {
    if (runStatus(state) !== status) progress.event('status', { ...details, status: runStatus(state) });
    status = runStatus(state);
    if (hasEnded(state)) return;
    follow();
    if (deadline.waitedMs < nextWarningMs) return;
    progress.warn(staleRecordWarning(app, state, deadline.waitedMs));
    nextWarningMs *= 2;
  };
  try {
    const item = await end({ onRun, onUnread: follow });
    const ending = endingOf(context, item.completedAt || item.updatedAt);
    await log?.finish(ending, gantryCommand`logs ${app} --run ${run}`);
    ownContext.signal.throwIfAborted();
    if (isFine(item)) return item;
    const leftMs = deadline.remainingMs;
    const readLines = (until: Context) => readRunLog(until, app, item, leftMs).then(({ text }) => text);
    const lines = log?.tail() ?? (await readFailureLog(ownContext, 'log of the run', readLines, leftMs));
    const failure = await runFailure(context, item, options, lines);
    await (await import('../../causes/index.ts')).addCause(context, failure, options.config);
    throw failure;
  } finally {
    await log?.abort();
  }
}

const isFine = (item: Run) => hasSucceeded(item) && !readExitCode(item);

export type FinishedRun = ReturnType<typeof finishedRun>;

/** What is said of a run that has ended. */
export function finishedRun(item: Run, app: string) {
  return {
    run: item.id,
    app,
    status: runStatus(item),
    programExitCode: readExitCode(item),
    durationMs: durationOf(item),
  };
}

async function runFailure(
  context: Context,
  item: Run,
  { app, forwardExitCode = false, onLine, sent }: FollowRunOptions,
  log: string[],
): Promise<ProgramError> {
  const programExitCode = readExitCode(item);
  const mayBeLimited = !onLine && runHasFailed(item) && durationOf(item) >= minGracePeriodMs;
  const facts = {
    why: mayBeLimited ? await describeGracePeriod(context, app) : undefined,
    fix: commandAfter(app, item),
    details: { ...finishedRun(item, app), statusCode: item.statusCode ?? null },
    log,
    sent,
  };
  return new ProgramError(endText(item, app), facts, (forwardExitCode && programExitCode) || undefined);
}

/** How a run ended that is not fine: `run r-1 of web failed (HTTP 500)`. */
export function endText(item: Run, app: string): string {
  if (!hasSucceeded(item) && !runHasFailed(item)) return `run ${item.id} of ${app} was ${runOutcome(item)}`;
  const code = readExitCode(item);
  const { statusCode } = item;
  const how = code ? ` with exit code ${code}${signalOf(code)}` : statusCode ? ` (HTTP ${statusCode})` : '';
  return `run ${item.id} of ${app} failed${how}`;
}

/** Explains how long the platform lets a call take (spec 8), with the app's own limit if it can be read. */
export async function describeGracePeriod(context: Context, app: string): Promise<string> {
  const { project } = context;
  const seconds = (await tryRequest(context, (api) => fetchApp(api, { project, app })))?.responseGracePeriodSeconds;
  const limit = seconds ? `${duration(seconds * 1000)} for ${app}` : '15 minutes by default';
  return `the platform ends a call after the app's response_grace_period: ${limit}, 12 hours at most`;
}

function staleRecordWarning(app: string, run: Run, waitedMs: number) {
  return {
    severity: 'warning' as const,
    message: `run ${run.id} has had status ${runStatus(run) || 'unknown'} for ${duration(waitedMs)}`,
    why: 'the run may still be in progress, or the platform did not update its record when it ended',
    fix: sentence`check whether its results exist, or run: ${gantryCommand`runs get ${app} ${run.id}`}`,
  };
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

export interface RunWait {
  app: string;
  run: string;
  /** Stop waiting after this time; the run continues. */
  timeoutMs: number;
  /** Another command started the run. */
  startedBefore?: true | undefined;
  pauses?: PollOptions<Run>['pauses'] | undefined;
}

interface RunListener {
  /** Takes each state that was read, the last one too. */
  onRun?: (run: Run) => void;
  /** The run may be there, but cannot be read now. */
  onUnread?: () => void;
}

/** For waits that may take hours. */
const longPauses = { firstMs: 1_000, maxMs: 5_000, growth: 1.3 };

/**
 * Begins to wait for a run. `end` returns it when it has ended, well or badly; throws PendingError at the time limit, or
 * UnavailableError if nothing is known of the run then, and the reason of the signal.
 */
export function startRunWait(context: Context, { app, run, timeoutMs, startedBefore, pauses = longPauses }: RunWait) {
  let status = '';
  let unread: GantryError | undefined;
  const fix = gantryCommand`logs ${app} --run ${run} -f`;
  const work = { name: `run ${run} of ${app}`, fix, details: { app, run } };
  const deadline = new Deadline(context, timeoutMs, (saidMs) =>
    unfinishedError(work, { saidMs, status, failure: unread, startedBefore }),
  );
  const end = ({ onRun, onUnread }: RunListener = {}): Promise<Run> => {
    const polling: PollOptions<Run> = {
      poll: (api) => fetchRun(api, { project: context.project, app, run }),
      deadline,
      pauses,
      onFailure(error, silentMs) {
        const { waitedMs } = deadline;
        const mayShow = error instanceof NotFoundError && waitedMs <= shownLateMs;
        const ageMs = startedBefore && !mayShow ? undefined : waitedMs;
        unread = throwUnlessTransient(error, silentMs, { ...work, ageMs, shownMs: status ? silentMs : undefined });
        if (ageMs === undefined || !isTooEarly(error, ageMs)) onUnread?.();
      },
    };
    return pollUntil(context, polling, (state) => {
      unread = undefined;
      status = runStatus(state);
      onRun?.(state);
      return hasEnded(state) ? state : undefined;
    });
  };
  return { deadline, end };
}
