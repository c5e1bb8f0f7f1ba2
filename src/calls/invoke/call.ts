import { gantryCommand } from '../../kernel/command-line.ts';
import { UnavailableError } from '../../kernel/errors.ts';
import { withRetries } from '../../platform/api/retry.ts';
import type { OutgoingBody, StreamedReply, StreamedRequest } from '../../platform/api/streamed.ts';
import { isSuccessStatus } from '../../platform/api/transient-failures.ts';
import { ConnectionError } from '../../platform/api/transport.ts';
import type { Context } from '../../platform/context.ts';
import { webhookSecretHeader } from '../../platform/contract/invocation.ts';
import type { Deadline } from '../../platform/waiting/index.ts';
import type { CallAuth, CallHeaders, CallTarget } from './call-target.ts';
import { type AppResponse, mediaType, readRunId } from './response.ts';

export interface AppCall extends Pick<StreamedRequest, 'agent'> {
  target: CallTarget;
  method: string;
  url: URL;
  headers: CallHeaders;
  /** Whose call it is: among the headers, and named where it is refused. */
  auth: CallAuth;
  body: OutgoingBody | undefined;
  limit?: Deadline | undefined;
}

/**
 * Calls an app. Retries only a request that cannot have arrived. Returns responses of any status. Throws the limit's error
 * when that is over, and UnavailableError if there is no response.
 */
export async function callApp(context: Context, call: AppCall): Promise<AppResponse> {
  const { progress, settings, silenceMs, elapsed, trace, delay, onRetry } = context;
  const { target, method, url, headers, body, agent, limit } = call;
  const { signal } = limit ?? context;
  const startedAt = elapsed();
  const step = progress.step(`Waiting for ${target.name} to respond`);
  const isSafe = method === 'GET' || method === 'HEAD';
  const toError = async (error: unknown, head?: StreamedReply, receivedBytes = 0) => {
    if (signal.aborted) return signal.reason;
    if (!(error instanceof ConnectionError)) return error;
    if (!head) return noResponseError(target, error, isSafe);
    const { cutOffError } = await import('./cut-off.ts');
    return cutOffError(context, error, { target, run: readRunId(head), receivedBytes, isSafe });
  };
  try {
    const { sendStreamed } = await import('../../platform/api/streamed.ts');
    const request = { method, url, headers, body, agent, proxy: settings.proxy, signal, silenceMs };
    const reply = await withRetries(
      () => sendStreamed(request),
      (error) => error instanceof ConnectionError && !error.mayHaveArrived && error.facts.retryable === true,
      { signal, delay, onRetry },
    );
    trace(`${method} ${url.pathname} ${reply.status} ${elapsed() - startedAt} ms`);
    return {
      target,
      sent: body,
      status: reply.status,
      statusText: reply.statusText,
      headers: reply.headers,
      type: mediaType(reply.headers),
      startedAt,
      firstByteMs: elapsed() - startedAt,
      chunks: readUntilEnd(reply, toError),
      close: reply.close,
    };
  } catch (error) {
    throw await toError(error);
  } finally {
    step.clear();
  }
}

/** Like {@link callApp}, but throws responses other than 2xx: AppError for the app's, by status for the platform's. */
export async function callOrThrow(context: Context, call: AppCall): Promise<AppResponse> {
  const response = await callApp(context, call);
  if (isSuccessStatus(response.status)) return response;
  const { responseError } = await import('./response-error.ts');
  throw await responseError(context, response, call.auth);
}

/** The address of a call and its headers for the platform: whether it starts a run, and where its response goes. */
export function requestTo(
  { url }: Pick<CallTarget, 'url'>,
  { isAsync, webhook }: { isAsync: boolean; webhook: { url: string; secret: string | undefined } | undefined },
): Pick<AppCall, 'url' | 'headers'> {
  const callUrl = new URL(url);
  if (isAsync) callUrl.searchParams.set('async', 'true');
  if (webhook) callUrl.searchParams.set('webhookEndpoint', webhook.url);
  return { url: callUrl, headers: webhook?.secret ? { [webhookSecretHeader.toLowerCase()]: webhook.secret } : {} };
}

async function* readUntilEnd(
  reply: StreamedReply,
  toError: (error: unknown, head: StreamedReply, receivedBytes: number) => Promise<unknown>,
): AsyncGenerator<Buffer> {
  let receivedBytes = 0;
  try {
    for await (const chunk of reply.chunks) {
      receivedBytes += chunk.length;
      yield chunk;
    }
  } catch (error) {
    throw await toError(error, reply, receivedBytes);
  } finally {
    await reply.close();
  }
}

/** Says so if the call may have had an effect, because it was not retried then. */
function noResponseError({ app }: CallTarget, error: ConnectionError, isSafe: boolean): UnavailableError {
  if (!error.mayHaveArrived) return error;
  return new UnavailableError(error.message, {
    ...error.facts,
    retryable: isSafe,
    why: 'the call may have reached the app, so it was not retried',
    fix: gantryCommand`runs list ${app}`,
  });
}
