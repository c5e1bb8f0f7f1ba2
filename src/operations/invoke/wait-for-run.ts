import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { maxAsyncSeconds } from '../../contract/invocation.ts';
import type { Run } from '../../contract/runs.ts';
import { AppError, NotFoundError, PendingError } from '../../errors.ts';
import { duration } from '../../output/format.ts';
import { fetchRun, hasEnded, runStatus } from '../runs/index.ts';
import { Deadline, type PollOptions, pollUntil, throwUnlessTransient } from '../waiting/index.ts';
import type { CallTarget } from './call-target.ts';
import { describeGracePeriod } from './grace-period.ts';

/** An asynchronous run, and how long to wait for it, in milliseconds. */
export interface WaitOptions {
  target: Pick<CallTarget, 'project' | 'app'>;
  runId: string;
  timeoutMs: number;
}

/** No run takes longer. */
export const maxRunMs = maxAsyncSeconds * 1_000;

const pauses = { firstMs: 1_000, maxMs: 5_000, growth: 1.3 };
/** The record of a run may come a little after the run. */
const maxRecordDelayMs = 60_000;
/** A record that stays the same for this long may never change (docs/platform.md#runs). */
const staleRecordMs = 10 * 60_000;
/** From here on a failure may be that of a time limit: who fails at once was not stopped by it. */
const minGracePeriodMs = 15_000;

/**
 * Polls a run until it has ended. Throws AppError when it failed, PendingError at the time limit. Under another `signal`
 * it ends with the reason of that.
 */
export async function waitForRun(context: Context, waiting: WaitOptions, signal = context.signal): Promise<Run> {
  const { progress, elapsed } = context;
  const { target, runId, timeoutMs } = waiting;
  const step = progress.step(`Run ${runId} of ${target.app}`);
  let last: Run | undefined;
  let odd = staleRecordMs;
  const deadline: Deadline = new Deadline({ signal, elapsed }, timeoutMs, () =>
    pendingError(waiting, last && runStatus(last), deadline.waitedMs),
  );
  const polling: PollOptions<Run> = {
    poll: (api) => fetchRun(api, { project: target.project, app: target.app, run: runId }),
    deadline,
    pauses,
    onFailure: (error, silentMs) => onPollFailure(error, silentMs, waiting),
  };
  try {
    return await pollUntil(context, polling, async (run) => {
      last = run;
      const waited = deadline.waitedMs;
      step.update({ text: `${runStatus(run) || 'started'}, ${duration(waited)}` });
      if (hasEnded(run)) {
        await throwUnlessSucceeded(context, waiting, run, waited);
        step.done(`Run ${runId} of ${target.app} ended well after ${duration(waited)}`);
        return run;
      }
      if (waited < odd) return;
      progress.warn(staleRecordWarning(waiting, run, waited));
      odd *= 2;
    });
  } catch (error) {
    if (error instanceof AppError) step.fail();
    else step.clear();
    throw error;
  }
}

/** The record of a run may come a little after the run; other failures are treated as everywhere. */
function onPollFailure(error: unknown, silentMs: number, { target: { app }, runId }: WaitOptions): void {
  if (error instanceof NotFoundError && silentMs <= maxRecordDelayMs) return;
  const details = { app, run: runId };
  const fix = gantryCommand`runs follow ${app} ${runId}`;
  throwUnlessTransient(error, silentMs, { name: `run ${runId} of ${app}`, fix, details });
}

async function throwUnlessSucceeded(
  context: Context,
  { target, runId }: WaitOptions,
  run: Run,
  waited: number,
): Promise<void> {
  const state = runStatus(run);
  if (state === 'success') return;
  const took = run.runtimeMs || waited;
  const code = run.statusCode ? ` (HTTP ${run.statusCode})` : '';
  const limited = state === 'failure' && took >= minGracePeriodMs;
  throw new AppError(`run ${runId} of ${target.app} ended as ${state}${code} after ${duration(took)}`, {
    ...(limited ? { why: await describeGracePeriod(context, target) } : {}),
    fix: gantryCommand`runs get ${target.app} ${runId}`,
    details: { app: target.app, run: runId, status: state, statusCode: run.statusCode ?? null },
  });
}

function staleRecordWarning({ target: { app }, runId }: WaitOptions, run: Run, waited: number) {
  return {
    severity: 'warning' as const,
    message: `the record of run ${runId} has said ${runStatus(run) || 'nothing'} for ${duration(waited)}`,
    why: 'the run may go on; but records of asynchronous runs have been seen to stay so after the run had ended',
    fix: `see whether its results are there, or: gantry runs get ${app} ${runId}`,
  };
}

function pendingError(
  { target: { app }, runId }: WaitOptions,
  state: string | undefined,
  waited: number,
): PendingError {
  const says = state ? `its record says ${state}` : 'it has no record yet';
  return new PendingError(`run ${runId} of ${app} has not ended after ${duration(waited)}: ${says}`, {
    ...(waited >= maxRunMs ? { why: 'no run takes longer than 12 hours: its record will hardly change' } : {}),
    fix: gantryCommand`runs follow ${app} ${runId}`,
    details: { app, run: runId, status: state ?? null },
  });
}
