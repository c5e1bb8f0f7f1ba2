import { safeParse } from 'valibot';
import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { AppError, PendingError } from '../../kernel/errors.ts';
import { duration } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { FunctionReply, maxAsyncSeconds } from '../../platform/contract/invocation.ts';
import type { Run } from '../../platform/contract/runs.ts';
import { decodeBody } from '../../platform/replies/index.ts';
import {
  Deadline,
  type PolledWork,
  type PollOptions,
  pollUntil,
  throwUnlessTransient,
  tryRequest,
  waitForChange,
} from '../../platform/waiting/index.ts';
import { readFailureLog } from '../logs/index.ts';
import type { ReceivedRequest } from '../receiver/index.ts';
import { commandAfter, fetchRun, hasEnded, hasSucceeded, runHasFailed, runStatus } from '../runs/index.ts';
import type { RunDelivery } from '../webhooks/index.ts';
import type { CallTarget } from './call-target.ts';
import { describeGracePeriod } from './response-error.ts';

export interface WaitOptions {
  target: Pick<CallTarget, 'project' | 'app'>;
  runId: string;
  timeoutMs: number;
}

/** No run takes longer. */
export const maxRunMs = maxAsyncSeconds * 1_000;

const pauses = { firstMs: 1_000, maxMs: 5_000, growth: 1.3 };
/** Records of asynchronous runs have been seen to never change after the run ended. */
const staleRecordMs = 10 * 60_000;
/** A run that fails sooner has not exceeded its grace period. */
const minGracePeriodMs = 15_000;

/**
 * Waits for a run until it has ended. Throws AppError if it failed, PendingError at the time limit, and the reason of
 * `signal` when that is aborted.
 */
export async function waitForRun(context: Context, options: WaitOptions, signal = context.signal): Promise<Run> {
  const { progress } = context;
  const { target, runId } = options;
  const step = progress.step(`Run ${runId} of ${target.app}`);
  let nextWarningMs = staleRecordMs;
  const onState = (run: Run, waitedMs: number) => {
    step.update({ text: `${runStatus(run) || 'started'}, ${duration(waitedMs)}` });
    if (hasEnded(run) || waitedMs < nextWarningMs) return;
    progress.warn(staleRecordWarning(options, run, waitedMs));
    nextWarningMs *= 2;
  };
  try {
    const { run, waitedMs } = await pollRun(context, options, { signal, onState });
    await throwUnlessSucceeded(context, options, run, waitedMs);
    step.done(`Run ${runId} of ${target.app} succeeded in ${duration(waitedMs)}`);
    return run;
  } catch (error) {
    if (error instanceof AppError) step.fail();
    else step.clear();
    throw error;
  }
}

interface RunPolling {
  signal: AbortSignal;
  onState?: (run: Run, waitedMs: number) => void;
}

/** Polls a run until it has ended, well or badly. Throws PendingError at the time limit, and the reason of the signal. */
export async function pollRun(context: Context, options: WaitOptions, { signal, onState }: RunPolling) {
  const { target, runId, timeoutMs } = options;
  let last: Run | undefined;
  const deadline: Deadline = new Deadline({ signal, elapsed: context.elapsed }, timeoutMs, () =>
    pendingError(options, last && runStatus(last), deadline.waitedMs),
  );
  const polling: PollOptions<Run> = {
    poll: (api) => fetchRun(api, { project: target.project, app: target.app, run: runId }),
    deadline,
    pauses,
    onFailure: (error, silentMs) => void throwUnlessTransient(error, silentMs, workOf(options, deadline.waitedMs)),
  };
  return pollUntil(context, polling, (run) => {
    last = run;
    const { waitedMs } = deadline;
    onState?.(run, waitedMs);
    return hasEnded(run) ? { run, waitedMs } : undefined;
  });
}

export type EndedRun = Awaited<ReturnType<typeof awaitDelivery>>;

interface DeliveryWait extends Omit<WaitOptions, 'timeoutMs'> {
  delivery: Pick<RunDelivery, 'arrived'> | undefined;
  wait: (signal: AbortSignal) => Promise<Run>;
  waitForDelivery: (signal: AbortSignal) => Promise<ReceivedRequest | undefined>;
}

/** The record of a run may be late that has delivered something else than a result. In ms. */
const latePausesMs = [500, 1_000, 2_000, 4_000, 8_000];

/**
 * Waits for the end of a run and for what it delivers: the delivery may never come, and the record may be late. Then the run
 * is undefined, or one that goes on. A delivery does not say whether the run has failed, unless it is the result of a function.
 */
export async function awaitDelivery(
  context: Context,
  { target: { project, app }, runId, delivery, wait, waitForDelivery }: DeliveryWait,
) {
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const waited = wait(signal);
  try {
    const run = await Promise.race([waited, ...(delivery ? [delivery.arrived.then(() => undefined)] : [])]);
    if (run) return { run, received: delivery && (await waitForDelivery(signal)) };
    const received = await delivery?.arrived;
    if (received && isResult(received)) return { run: undefined, received };
    const look = () => tryRequest(context, (api) => fetchRun(api, { project, app, run: runId }));
    const isKnown = (shown?: Run) => shown !== undefined && hasEnded(shown);
    return { run: await waitForChange(look, isKnown, context.delay, latePausesMs), received };
  } finally {
    waited.catch(() => {});
    stop.abort();
  }
}

const isResult = ({ body }: ReceivedRequest) => safeParse(FunctionReply, decodeBody(body).body).success;

function workOf({ target: { app }, runId }: WaitOptions, ageMs: number): PolledWork {
  const fix = gantryCommand`logs ${app} --run ${runId} -f`;
  return { name: `run ${runId} of ${app}`, fix, details: { app, run: runId }, ageMs };
}

async function throwUnlessSucceeded(context: Context, { target, runId }: WaitOptions, run: Run, waitedMs: number) {
  if (hasSucceeded(run)) return;
  const status = runStatus(run);
  const tookMs = run.runtimeMs || waitedMs;
  const code = run.statusCode ? ` (HTTP ${run.statusCode})` : '';
  const mayHaveTimedOut = runHasFailed(run) && tookMs >= minGracePeriodMs;
  const error = new AppError(
    `run ${runId} of ${target.app} ended with status ${status}${code} after ${duration(tookMs)}`,
    {
      why: mayHaveTimedOut ? await describeGracePeriod(context, target) : undefined,
      fix: commandAfter(target.app, run),
      details: { app: target.app, run: runId, status, statusCode: run.statusCode ?? null },
      log: await readFailureLog(context, target.app, { runId }),
    },
  );
  await (await import('../../causes/index.ts')).addCause(context, error);
  throw error;
}

function staleRecordWarning({ target: { app }, runId }: WaitOptions, run: Run, waitedMs: number) {
  return {
    severity: 'warning' as const,
    message: `run ${runId} has had status ${runStatus(run) || 'unknown'} for ${duration(waitedMs)}`,
    why: 'the run may still be in progress, or the platform did not update its record when it ended',
    fix: sentence`check whether its results exist, or run: ${gantryCommand`runs get ${app} ${runId}`}`,
  };
}

function pendingError({ target: { app }, runId }: WaitOptions, status: string | undefined, waitedMs: number) {
  const lastStatus = status ? `last status: ${status}` : 'it has no record yet';
  return new PendingError(`run ${runId} of ${app} has not ended after ${duration(waitedMs)}: ${lastStatus}`, {
    why: waitedMs >= maxRunMs ? 'no run takes longer than 12 hours, so its record may never change' : undefined,
    fix: gantryCommand`logs ${app} --run ${runId} -f`,
    details: { app, run: runId, status: status ?? null },
  });
}
