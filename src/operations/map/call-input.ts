import { safeParse } from 'valibot';
import { retryDelayMs } from '../../api/retry.ts';
import type { StreamedRequest } from '../../api/streamed.ts';
import { isGatewayStatus, isRefusedStatus } from '../../api/transient-failures.ts';
import { ConnectionError } from '../../api/transport.ts';
import { after } from '../../clock.ts';
import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { FunctionReply } from '../../contract/invocation.ts';
import { GantryError, PendingError } from '../../errors.ts';
import { duration } from '../../output/format.ts';
import {
  type AppResponse,
  type BufferedResponse,
  type CallAuth,
  type CallTarget,
  callApp,
  defaultHeaders,
  loadResponseErrors,
  readResponse,
} from '../invoke/index.ts';
import type { CallSignals } from './call-signals.ts';
import type { MapInput } from './input-file.ts';
import type { MapError, MapOutcome, MapResult } from './result-line.ts';

export interface CallSettings {
  target: CallTarget;
  auth: CallAuth;
  signals: CallSignals;
  /** Keeps the connections between calls. */
  agent: StreamedRequest['agent'];
  /** How long one call may take. */
  timeoutMs: number;
  /** Whether the app has a server of its own, which may use any status for a single input. */
  hasOwnServer: boolean;
  /** Whether a call has succeeded. */
  hasSucceeded: () => boolean;
  /** The call was refused (429, 503) or did not arrive: it will be repeated. */
  onRefused: (error: GantryError) => void;
}

/** A call that was refused for so long is given up. Only its own pauses count. */
const maxRefusedMs = 10 * 60_000;
const maxPauseMs = 60_000;

/** That would happen to all calls: the map ends, and the input keeps no result. */
export class MapStopped extends Error {
  constructor(readonly reason: GantryError) {
    super(reason.message);
  }
}

/**
 * Calls the app with one input. A call that had no effect, because it was refused or did not arrive, is repeated. Any
 * other has a result, or a failure that may not be repeated without asking. Throws MapStopped, and the reason of the signal.
 */
export function callInput(context: Context, settings: CallSettings, input: MapInput): Promise<MapResult> {
  return settings.signals.run((call) => {
    const own: Context = Object.create(context, { signal: { value: call.signal } });
    return callUntilAccepted(own, settings, input, call);
  });
}

async function callUntilAccepted(
  context: Context,
  settings: CallSettings,
  input: MapInput,
  call: AbortController,
): Promise<MapResult> {
  const { signals, hasSucceeded, onRefused } = settings;
  const startedAt = context.elapsed();
  let pausedMs = 0;
  for (let attempt = 2; ; attempt++) {
    const outcome = await tryCall(context, settings, input, call);
    if (!('refused' in outcome)) return { ...outcome, ms: Math.round(context.elapsed() - startedAt) };
    const { refused } = outcome;
    onRefused(refused);
    if (pausedMs >= maxRefusedMs) {
      if (!hasSucceeded()) throw new MapStopped(refused);
      return { ...failure(refused), run: null, ms: Math.round(context.elapsed() - startedAt) };
    }
    const pauseMs = Math.min(maxPauseMs, retryDelayMs(attempt, refused.facts.retryAfterMs) ?? maxPauseMs);
    pausedMs += pauseMs;
    await signals.pause(call, () => context.delay(pauseMs, call.signal));
  }
}

type Attempt = (MapOutcome & { run: string | null }) | { refused: GantryError };

async function tryCall(
  context: Context,
  settings: CallSettings,
  { body }: MapInput,
  call: AbortController,
): Promise<Attempt> {
  const { target, auth, agent, timeoutMs } = settings;
  let timeout: PendingError | undefined;
  const end = () => {
    timeout = timeoutError(target, timeoutMs);
    call.abort(timeout);
  };
  const stopTimer = after(timeoutMs, end, { background: true });
  try {
    const headers = { ...defaultHeaders('application/json'), ...auth.headers };
    const response = await callApp(context, {
      target,
      method: 'POST',
      url: target.url,
      headers,
      body,
      agent,
      limit: undefined,
    });
    return await toOutcome(context, settings, response, await readResponse(response, context.elapsed));
  } catch (error) {
    if (timeout && error === timeout) return { ...failure(timeout), run: null };
    if (!(error instanceof GantryError) || call.signal.aborted) throw error;
    if (!(error instanceof ConnectionError) || error.mayHaveArrived) return { ...failure(error), run: null };
    if (error.facts.retryable === false) throw new MapStopped(error);
    return { refused: error };
  } finally {
    stopTimer();
  }
}

async function toOutcome(
  context: Context,
  settings: CallSettings,
  response: AppResponse,
  read: BufferedResponse,
): Promise<Attempt> {
  const { status } = response;
  const { body, encoding, run } = read;
  const isFromFunction = safeParse(FunctionReply, body).success;
  if (status >= 200 && status <= 299) {
    const result = isFromFunction ? (body as { result: unknown }).result : body;
    return { status: 'success', result: result ?? null, ...(encoding === 'base64' && { encoding }), run };
  }
  const { responseError, responseMessage } = await loadResponseErrors();
  const asError = () => responseError(context, { ...response, chunks: again(read) }, settings.auth);
  if (!isFromFunction) {
    if (isRefusedStatus(status)) return { refused: await asError() };
    const concernsAll = (status >= 300 && status < 400) || [401, 402, 403, 404].includes(status);
    if (concernsAll && !(settings.hasOwnServer && settings.hasSucceeded())) throw new MapStopped(await asError());
  }
  const { message, why } = responseMessage(read);
  const code = !isFromFunction && isGatewayStatus(status) ? 'unavailable' : 'app-error';
  const error: MapError = { code, message: message ?? why ?? `HTTP ${status}`, statusCode: status };
  return { status: 'failed', error, run };
}

/** The body, for what reads it from the response. */
async function* again({ body, encoding }: BufferedResponse): AppResponse['chunks'] {
  const { stringifyJson } = await import('../../json-text.ts');
  yield encoding === 'base64'
    ? Buffer.from(String(body), 'base64')
    : Buffer.from(encoding === 'json' ? stringifyJson(body) : String(body));
}

function failure({ exit, message, facts }: GantryError): MapOutcome & { status: 'failed' } {
  const { status } = facts;
  return { status: 'failed', error: { code: exit, message, ...(status !== undefined && { statusCode: status }) } };
}

function timeoutError({ app, name }: CallTarget, timeoutMs: number): PendingError {
  return new PendingError(`${name} did not respond within ${duration(timeoutMs)}`, {
    fix: gantryCommand`runs list ${app}`,
  });
}
