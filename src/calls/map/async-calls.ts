import { safeParse } from 'valibot';
import { GantryError, NotFoundError, PendingError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { RunAcknowledgement, webhookSecretHeader } from '../../platform/contract/invocation.ts';
import type { Run } from '../../platform/contract/runs.ts';
import { tryRequest } from '../../platform/waiting/index.ts';
import {
  deliveredResponse,
  loadResponseErrors,
  loadRunPolling,
  platformIsHere,
  readResponse,
} from '../invoke/index.ts';
import type { ReceivedRequest } from '../receiver/index.ts';
import { fetchRun, hasEnded, hasSucceeded, runStatus } from '../runs/index.ts';
import type { Deliveries, DeliveryOptions, RunDelivery } from '../webhooks/index.ts';
import { type CalledInput, type CallSettings, callInput } from './call-input.ts';
import type { MapInput } from './input-file.ts';
import { type Judgment, judgeResponse } from './judge-response.ts';
import type { MapLog } from './map-log.ts';
import { MapStopped } from './map-stopped.ts';
import type { MapOutcome, MapResult } from './result-line.ts';

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
    const known = this.log.runOf(index);
    if (known) return this.#result(context, settings, { index, run: known, startedAt, isOld: true });
    if (!this.isAsync) return callInput(context, settings, input);
    const called = await callInput(context, { ...settings, request: this.#request(settings) }, input);
    const run = called.result.status === 'succeeded' ? startedRun(called.result) : undefined;
    // It was refused, or answered at once.
    if (run === undefined) return called;
    await this.log.addRun(index, run);
    return this.#result(context, settings, { index, run, startedAt, isOld: false });
  }

  async close(): Promise<void> {
    await this.deliveries?.close();
  }

  #request({ target }: CallSettings): CallSettings['request'] {
    const url = new URL(target.url);
    url.searchParams.set('async', 'true');
    if (!this.deliveries) return { url, headers: {} };
    url.searchParams.set('webhookEndpoint', this.deliveries.url);
    return { url, headers: { [webhookSecretHeader.toLowerCase()]: this.deliveries.secret } };
  }

  async #result(context: Context, settings: CallSettings, started: StartedRun): Promise<CalledInput> {
    const { index, run, startedAt, isOld } = started;
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
    const { target, timeoutMs } = settings;
    const { pollRun } = await loadRunPolling();
    const stop = new AbortController();
    const signal = AbortSignal.any([context.signal, stop.signal]);
    const polled = pollRun(context, { target, runId, timeoutMs }, { signal });
    let received: ReceivedRequest | undefined;
    const arrived = delivery?.arrived.then(async (request) => {
      received = request;
      const { project, app } = target;
      return tryRequest(context, (api) => fetchRun(api, { project, app, run: runId }));
    });
    try {
      const run = await Promise.race([polled.then(({ run }) => run), ...(arrived ? [arrived] : [])]);
      if (!received && delivery) received = await this.deliveries?.wait(delivery, signal);
      return await judgeRun(context, settings, { run, runId, received });
    } catch (error) {
      if (!(error instanceof GantryError) || context.signal.aborted) throw error;
      if (!(error instanceof PendingError || error instanceof NotFoundError)) throw new MapStopped(error);
      return { status: 'failed', error: { code: error.exit, message: error.message } };
    } finally {
      polled.catch(() => {});
      stop.abort();
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

interface StartedRun {
  index: number;
  run: string;
  /** When this command called it, or began to ask for it. */
  startedAt: number;
  /** Of an earlier command. */
  isOld: boolean;
}

/** The id of the run that a call has started. Undefined if the app answered the call itself. */
function startedRun({ result, run }: MapResult & { status: 'succeeded' }): string | undefined {
  const acknowledged = safeParse(RunAcknowledgement, result);
  if (acknowledged.success) return acknowledged.output.run_id;
  return result === '' || result === null ? (run ?? undefined) : undefined;
}

interface EndedRun {
  /** Undefined, or one that goes on, if its record is behind. */
  run: Run | undefined;
  runId: string;
  received: ReceivedRequest | undefined;
}

function judgeDelivered(judgment: Judgment): MapOutcome {
  if ('refused' in judgment) throw judgment.refused;
  const { run: _, concernsAll: __, ...outcome } = judgment;
  return outcome;
}

/** What a response says about a failure. */
async function messageOf(read: Awaited<ReturnType<typeof readResponse>> | undefined): Promise<string | undefined> {
  const { responseMessage } = await loadResponseErrors();
  const { message, why } = read ? responseMessage(read) : {};
  return message ?? why;
}

async function judgeRun(
  context: Context,
  settings: CallSettings,
  { run, runId, received }: EndedRun,
): Promise<MapOutcome> {
  const { target } = settings;
  const response = received && deliveredResponse(received, target, context.elapsed(), 0);
  const read = response && (await readResponse(response, context.elapsed));
  if (run && hasEnded(run) && !hasSucceeded(run)) {
    const { statusCode } = run;
    const message = (await messageOf(read)) ?? `run ${runId} of ${target.app} ended with status ${runStatus(run)}`;
    return { status: 'failed', error: { code: 'app-error', message, ...(statusCode && { statusCode }) } };
  }
  if (!read) return { status: 'succeeded', result: null };
  return judgeDelivered(await judgeResponse(context, settings, response, read));
}
