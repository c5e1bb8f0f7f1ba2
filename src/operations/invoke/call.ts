import { withRetries } from '../../api/retry.ts';
import type { OutgoingBody, StreamedReply } from '../../api/streamed.ts';
import { ConnectionError } from '../../api/transport.ts';
import type { Context } from '../../context.ts';
import { PendingError, UnavailableError } from '../../errors.ts';
import { duration, size } from '../../output/format.ts';
import { timeoutSignal } from '../waiting/index.ts';
import type { CallAuth, CallHeaders } from './call-headers.ts';
import type { CallTarget } from './call-target.ts';

export interface AppCall {
  target: CallTarget;
  method: string;
  url: URL;
  headers: CallHeaders;
  body: OutgoingBody | undefined;
  /** Stop waiting after so long, milliseconds. */
  timeoutMs: number | undefined;
}

/** What an app answered. Its body is still to come. */
export interface AppResponse {
  target: CallTarget;
  status: number;
  statusText: string;
  headers: StreamedReply['headers'];
  /** Of the body, in lower case, without parameters. */
  type: string;
  /** By `Context.elapsed`. */
  startedAt: number;
  /** Milliseconds until the first byte. */
  firstByteMs: number;
  /** To be read to its end, or closed. Throws UnavailableError when it is cut off, PendingError at the time limit. */
  chunks: AsyncGenerator<Buffer>;
  close: () => Promise<void>;
}

/**
 * Calls an app, once: what may have arrived is not sent again. Any status is an answer. Throws PendingError at the time
 * limit, UnavailableError when there is no answer.
 */
export async function callApp(context: Context, call: AppCall): Promise<AppResponse> {
  const { progress, settings, silenceMs, elapsed, trace, delay, onRetry } = context;
  const { target, method, url, headers, body, timeoutMs } = call;
  const signal =
    timeoutMs === undefined
      ? context.signal
      : timeoutSignal(timeoutMs, () => timeoutError(target, timeoutMs), context.signal);
  const startedAt = elapsed();
  const step = progress.step(`Waiting for ${target.name} to answer`);
  const failure = (error: unknown, arrived?: number) => {
    if (signal.aborted) return signal.reason;
    if (!(error instanceof ConnectionError)) return error;
    return arrived === undefined ? noResponseError(target, error) : truncatedError(target, error, arrived);
  };
  try {
    const { sendStreamed } = await import('../../api/streamed.ts');
    const request = { method, url, headers, body, proxy: settings.proxy, signal, silenceMs };
    const reply = await withRetries(
      () => sendStreamed(request),
      (error) => error instanceof ConnectionError && !error.mayHaveArrived && error.facts.retryable === true,
      { signal, delay, onRetry },
    );
    trace(`${method} ${url.pathname} ${reply.status} ${elapsed() - startedAt} ms`);
    const type = String(reply.headers['content-type'] ?? '').split(';', 1)[0] ?? '';
    return {
      ...{ target, status: reply.status, statusText: reply.statusText, headers: reply.headers, startedAt },
      type: type.trim().toLowerCase(),
      firstByteMs: elapsed() - startedAt,
      chunks: readUntilEnd(reply, failure),
      close: reply.close,
    };
  } catch (error) {
    throw failure(error);
  } finally {
    step.clear();
  }
}

/**
 * The same, for who wants no other answer than a success: every other is thrown. AppError when it is the app's, the
 * class of its status when it is the platform's.
 */
export async function callOrThrow(context: Context, call: AppCall, pass: CallAuth): Promise<AppResponse> {
  const answer = await callApp(context, call);
  if (answer.status >= 200 && answer.status <= 299) return answer;
  const { responseError } = await import('./response-error.ts');
  throw await responseError(context, answer, pass);
}

async function* readUntilEnd(
  { chunks, close }: StreamedReply,
  failure: (error: unknown, arrived: number) => unknown,
): AsyncGenerator<Buffer> {
  let arrived = 0;
  try {
    for await (const chunk of chunks) {
      arrived += chunk.length;
      yield chunk;
    }
  } catch (error) {
    throw failure(error, arrived);
  } finally {
    await close();
  }
}

function timeoutError({ app, name }: CallTarget, timeoutMs: number): PendingError {
  return new PendingError(`${name} did not end within ${duration(timeoutMs)}`, {
    why: 'the call was given up here; the app may go on with it',
    fix: `gantry runs list ${app} shows what became of it; --async waits for nothing`,
  });
}

/** It is told whether the call may have had an effect: then it was not sent again. */
function noResponseError({ app }: CallTarget, error: ConnectionError): UnavailableError {
  if (!error.mayHaveArrived) return error;
  return new UnavailableError(error.message, {
    ...error.facts,
    why: 'the call may have reached the app, so it was not sent again',
    fix: `gantry runs list ${app} shows whether it did`,
  });
}

function truncatedError(
  { app, name }: CallTarget,
  { cause, message }: ConnectionError,
  arrived: number,
): UnavailableError {
  const reason = message.replace(/^(cannot connect to \S+|the connection to \S+ failed): /, '');
  return new UnavailableError(`the answer of ${name} broke off after ${size(arrived)}: ${reason}`, {
    why: 'what came of it is not all',
    fix: `gantry runs list ${app} shows how the call ended`,
    retryable: true,
    cause,
  });
}
