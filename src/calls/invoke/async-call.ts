import { safeParse } from 'valibot';
import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { AppError, PendingError, UnavailableError, UnexpectedReplyError } from '../../kernel/errors.ts';
import { cutText, duration } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { maxAsyncSeconds, RunAcknowledgement } from '../../platform/contract/invocation.ts';
import type { Run } from '../../platform/contract/runs.ts';
import { contextUntil } from '../../platform/waiting/index.ts';
import { commandAfter, endText, followRun, hasEnded, hasSucceeded, type RunWait, runStatus } from '../runs/index.ts';
import { Deliveries, maxDeliveryDelayMs } from '../webhooks/index.ts';
import { awaitDelivery } from './await-delivery.ts';
import { type AppCall, callOrThrow, requestTo } from './call.ts';
import { type CallTarget, platformIsHere } from './call-target.ts';
import type { InvokeOptions } from './prepare-call.ts';
import { deliveredResponse, readResponse, readRunId } from './response.ts';

export type AsyncRun = Awaited<ReturnType<typeof startAsyncRun>>;

/** Starts a run and, with `wait`, waits until it ends. Throws like `callOrThrow` and `followRun`. */
export async function startAsyncRun(context: Context, { wait, webhook }: InvokeOptions, call: AppCall) {
  const { target } = call;
  const runId = await requestAsyncRun(context, call);
  setInterruptionNote(context, target, runId);
  // Spec 4.18: the caller gets no result.
  context.progress.note(
    webhook
      ? 'its response goes to the webhook only'
      : 'the platform keeps no response of an asynchronous call: --await-webhook prints it, --webhook sends it to a URL',
  );
  const { app } = target;
  const record = wait ? await waitForEnd(context, { app, run: runId, timeoutMs: remainingMs(call) }) : null;
  return { run: runId, app, statusCode: 202, record };
}

/** Starts a run and returns what its webhook delivers to this machine, as if the call had been synchronous. */
export async function callAndAwaitDelivery(context: Context, options: InvokeOptions, call: AppCall) {
  const { target } = call;
  const deliveries = await Deliveries.open(context, options);
  if (options.publicUrl === undefined && !platformIsHere(context)) warnOfUnreachable(context, deliveries.url);
  const startedAt = context.elapsed();
  try {
    const { url, headers } = requestTo(target, { isAsync: true, webhook: deliveries });
    const runId = await requestAsyncRun(context, { ...call, url, headers: { ...call.headers, ...headers } });
    setInterruptionNote(context, target, runId);
    const received = await waitForDelivery(context, deliveries, {
      app: target.app,
      run: runId,
      timeoutMs: remainingMs(call),
    });
    return deliveredResponse(received, target, startedAt, context.elapsed() - startedAt);
  } finally {
    await deliveries.close();
  }
}

/** Waits for a run until it has ended. Throws like `followRun`, and the reason of `signal` when that is aborted. */
async function waitForEnd(context: Context, wait: RunWait, signal = context.signal): Promise<Run> {
  const { progress, elapsed } = context;
  const name = `run ${wait.run} of ${wait.app}`;
  const step = progress.step(`Waiting for ${name}`);
  const since = elapsed();
  try {
    const run = await followRun(contextUntil(context, signal, { progress: { ...progress, event() {} } }), wait);
    step.done(`${name} succeeded in ${duration(elapsed() - since)}`);
    return run;
  } catch (error) {
    if (error instanceof AppError) step.fail();
    else step.clear();
    throw error;
  }
}

/** No run takes longer. */
const maxRunMs = maxAsyncSeconds * 1_000;

/** How long the run may take. The limit hands over to the wait for it, which says how to go on. */
function remainingMs({ limit }: AppCall): number {
  limit?.close();
  return limit?.remainingMs ?? maxRunMs;
}

/** Starts the run and returns its id (spec 2.15). */
async function requestAsyncRun(context: Context, call: AppCall): Promise<string> {
  const response = await callOrThrow(context, call);
  const { statusCode, body, headers } = await readResponse(response, context.elapsed);
  const acknowledged = safeParse(RunAcknowledgement, body);
  const runId = acknowledged.success ? acknowledged.output.run_id : statusCode === 202 && readRunId({ headers });
  if (runId) return runId;
  throw new UnexpectedReplyError(`the response of ${call.target.name} has no run id`, {
    status: statusCode,
    why: 'an asynchronous call returns HTTP 202 and the id of its run',
    details: { body },
  });
}

function setInterruptionNote({ interruption }: Context, { app }: CallTarget, runId: string): void {
  interruption.message = sentence`stopped watching; run ${runId} continues: ${gantryCommand`logs ${app} --run ${runId} -f`} waits for it, ${gantryCommand`runs cancel ${app} ${runId}`} cancels it`;
}

function warnOfUnreachable({ progress }: Context, url: string): void {
  progress.warn({
    severity: 'warning',
    message: `the platform cannot reach ${url.replace(/\/$/, '')}`,
    why: 'it is an address of this machine',
    fix: 'pass the URL of a tunnel to it as --public-url, and its port as --port',
  });
}

/** Throws AppError if the run fails, which a delivery does not say, and PendingError at the time limit. */
async function waitForDelivery(context: Context, deliveries: Deliveries, wait: RunWait) {
  const { app, run: id, timeoutMs } = wait;
  const delivery = deliveries.expectOnly(id);
  void delivery.arrived.then(() => delivery.acknowledge(true));
  const startedAt = context.elapsed();
  let leftMs = timeoutMs;
  const { run, received } = await awaitDelivery(context, {
    app,
    run: id,
    delivery,
    wait: (signal) => waitForEnd(context, wait, signal),
    waitForDelivery(signal) {
      leftMs = Math.max(0, timeoutMs - (context.elapsed() - startedAt));
      return deliveries.wait(delivery, signal, leftMs);
    },
  });
  if (!received) throw undelivered(wait, leftMs, deliveries);
  if (!run || !hasEnded(run) || hasSucceeded(run)) return received;
  throw new AppError(endText(run, app), {
    why: `it delivered ${cutText(received.body.toString('utf8'), 2_000)}`,
    fix: commandAfter(app, run),
    details: { app, run: id, status: runStatus(run), statusCode: run.statusCode ?? null },
  });
}

function undelivered({ app, run }: RunWait, leftMs: number, { rejected }: Deliveries) {
  const message = `run ${run} of ${app} succeeded, but its webhook was not delivered`;
  const details = { app, run };
  if (leftMs < maxDeliveryDelayMs) {
    const why = `the platform delivers up to ${duration(maxDeliveryDelayMs)} after the run, and --timeout ended before`;
    const fix = gantryCommand`runs get ${app} ${run}`;
    return new PendingError(`${message} in time`, { why: rejected ?? why, fix, details });
  }
  const why = rejected ?? 'the platform made three attempts and cannot reach the webhook URL';
  const fix = `pass a URL that the platform can reach${rejected ? ' without a change of what it sends' : ''} as --public-url`;
  return new UnavailableError(message, { why, fix, details });
}
