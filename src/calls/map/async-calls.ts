import { safeParse } from 'valibot';
import { NotFoundError, PendingError, throwUnexpected } from '../../kernel/errors.ts';
import { isRefusedStatus } from '../../platform/api/transient-failures.ts';
import type { Context } from '../../platform/context.ts';
import { RunAcknowledgement } from '../../platform/contract/invocation.ts';
import type { Run } from '../../platform/contract/runs.ts';
import { contextUntil } from '../../platform/waiting/index.ts';
import {
  type BufferedResponse,
  type CallTarget,
  deliveredResponse,
  type EndedRun,
  loadDeliveryWait,
  loadResponseErrors,
  platformIsHere,
  readResponse,
  requestTo,
} from '../invoke/index.ts';
import { endText, hasEnded, hasSucceeded, startRunWait } from '../runs/index.ts';
import type { Deliveries, DeliveryOptions, RunDelivery } from '../webhooks/index.ts';
import { type CalledInput, type CallSettings, callInput } from './call-input.ts';
import type { MapInput } from './input-file.ts';
import { judgeResponse, MapStopped } from './judge-response.ts';
import type { MapLog } from './map-log.ts';
import type { MapOutcome, MapResult } from './results-file.ts';

/**
 * Calls that outlast a connection: a run is started, and asked until it has ended; its result is what its webhook delivers.
 * A run that an earlier command has started is asked instead of another call.
 */
export class AsyncCalls {
  private constructor(
    private readonly log: MapLog,
    private readonly isAsync: boolean,
    private readonly deliveries: Deliveries | undefined,
  ) {}

  /** Without `deliver`, only runs that were started before are asked. */
  static async open(context: Context, log: MapLog, deliver: DeliveryOptions | undefined): Promise<AsyncCalls> {
    return new AsyncCalls(log, deliver !== undefined, deliver && (await openDeliveries(context, deliver)));
  }

  async call(context: Context, settings: CallSettings, input: MapInput): Promise<CalledInput> {
    const { index } = input;
    const startedAt = context.elapsed();
    const earlierRun = this.log.runOf(index);
    if (earlierRun) return this.#result(context, settings, earlierRun, { startedAt, isOld: true });
    if (!this.isAsync) return callInput(context, settings, input);
    const request = requestTo(settings.target, { isAsync: true, webhook: this.deliveries });
    const called = await callInput(context, { ...settings, request }, input);
    const run = called.result.status === 'succeeded' ? startedRun(called.result) : undefined;
    // It was refused, or answered at once.
    if (run === undefined) return called;
    await this.log.addRun(index, run);
    return this.#result(context, settings, run, { startedAt, isOld: false });
  }

  async close(): Promise<void> {
    await this.deliveries?.close();
  }

  /** `isOld`: an earlier command has started the run. */
  async #result(
    context: Context,
    settings: CallSettings,
    run: string,
    { startedAt, isOld }: { startedAt: number; isOld: boolean },
  ): Promise<CalledInput> {
    const delivery = isOld && !this.deliveries?.hasOldAddress ? undefined : this.deliveries?.expect(run);
    try {
      const outcome = await this.#outcome(context, settings, run, delivery);
      const recorded = () => delivery?.acknowledge(true);
      return { result: { ...outcome, run, ms: Math.round(context.elapsed() - startedAt) }, recorded };
    } catch (error) {
      delivery?.acknowledge(false);
      throw error;
    }
  }

  async #outcome(
    context: Context,
    settings: CallSettings,
    runId: string,
    delivery: RunDelivery | undefined,
  ): Promise<MapOutcome> {
    const { timeoutMs } = settings;
    const { app } = settings.target;
    const { awaitDelivery } = await loadDeliveryWait();
    try {
      const ended = await awaitDelivery(context, {
        app,
        run: runId,
        delivery,
        wait: (signal) => startRunWait(contextUntil(context, signal), { app, run: runId, timeoutMs }).end(),
        waitForDelivery: async (signal) => delivery && this.deliveries?.wait(delivery, signal),
      });
      return await judgeRun(context, settings, ended);
    } catch (error) {
      throwUnexpected(error, context.signal);
      if (!(error instanceof PendingError || error instanceof NotFoundError)) throw new MapStopped(error);
      return { status: 'failed', error: { code: error.exit, message: error.message } };
    }
  }
}

/** Undefined, with a warning, if the platform cannot reach this machine. */
export async function openDeliveries(context: Context, options: DeliveryOptions): Promise<Deliveries | undefined> {
  if (options.publicUrl === undefined && !platformIsHere(context)) {
    context.progress.warn({
      severity: 'warning',
      message: 'the results will be null: only the status of each run is known',
      why: 'the platform sends the result of an asynchronous call to a webhook, and cannot reach this machine',
      fix: 'pass the URL of a tunnel to this machine as --public-url, and its port as --port',
    });
    return undefined;
  }
  const { Deliveries } = await import('../webhooks/index.ts');
  return Deliveries.open(context, options);
}

/** The id of the run that a call has started. Undefined if the app answered the call itself. */
function startedRun({ result, run }: MapResult & { status: 'succeeded' }): string | undefined {
  const acknowledged = safeParse(RunAcknowledgement, result);
  if (acknowledged.success) return acknowledged.output.run_id;
  return result === '' || result === null ? (run ?? undefined) : undefined;
}

async function judgeRun(context: Context, settings: CallSettings, { run, received }: EndedRun): Promise<MapOutcome> {
  const { target } = settings;
  const response = received && deliveredResponse(received, target, context.elapsed(), 0);
  const read = response && (await readResponse(response, context.elapsed));
  if (run && hasEnded(run) && !hasSucceeded(run)) return failureOf(context, target, run, read);
  if (!read) return { status: 'succeeded', result: null };
  const judgment = await judgeResponse(context, settings, response, read);
  if ('refused' in judgment) throw judgment.refused;
  return judgment.result;
}

/** The failure in the words of the app, if it has delivered any. */
async function failureOf(context: Context, target: CallTarget, run: Run, read: BufferedResponse | undefined) {
  const { responseMessage, whyDown } = await loadResponseErrors();
  const { statusCode = 0 } = run;
  const message = (read && responseMessage(read).why) ?? endText(run, target.app);
  const down = isRefusedStatus(statusCode) ? await whyDown(context, target) : undefined;
  if (down?.neverServed) throw new MapStopped(new down.Why(message, down.facts));
  const error = { code: 'app-error', message, ...(statusCode && { statusCode }) };
  return { status: 'failed' as const, error };
}
