import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { PendingError, UnavailableError } from '../../kernel/errors.ts';
import { duration } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { contextWith, Deadline } from '../../platform/waiting/index.ts';
import { callOrThrow } from './call.ts';
import type { CallTarget } from './call-target.ts';
import { type InvokeOptions, prepareCall } from './prepare-call.ts';

/**
 * Calls an app. Returns its response, of which no body was read, or an asynchronous run. Throws responses other than 2xx: AppError for the app's, by status for the platform's. Throws UsageError
 * for invalid options, before anything is sent.
 */
export async function invokeApp(context: Context, options: InvokeOptions) {
  const { timeout } = options;
  let target: CallTarget | undefined;
  const limit = timeout === undefined ? undefined : callLimit(context, timeout, () => target);
  const call = await prepareCall(limit ? contextWith(context, { signal: limit.signal }) : context, options, limit);
  target = call.target;
  const { app } = target;
  context.interruption.message = sentence`stopped waiting; the call of ${app} may still be in progress: ${gantryCommand`runs list ${app}`} shows it`;
  if (!options.async && !options.wait && !options.awaitWebhook) {
    return { response: await callOrThrow(context, call) };
  }
  const { callAndAwaitDelivery, startAsyncRun } = await import('./async-call.ts');
  if (options.awaitWebhook) return { response: await callAndAwaitDelivery(context, options, call) };
  return { run: await startAsyncRun(context, options, call) };
}

/**
 * The `--timeout` of a call: one clock for reading the request body, the response, and the run of an asynchronous call.
 * `target` returns undefined until everything is there to send.
 */
function callLimit(
  context: Pick<Context, 'signal' | 'elapsed'>,
  timeoutMs: number,
  target: () => CallTarget | undefined,
): Deadline {
  return new Deadline(context, timeoutMs, () => {
    const called = target();
    return called ? noResponseYetError(called, timeoutMs) : notSentError(timeoutMs);
  });
}

function noResponseYetError({ app, name }: CallTarget, timeoutMs: number): PendingError {
  return new PendingError(`${name} did not respond within ${duration(timeoutMs)}`, {
    why: 'the request timed out locally; the call may still be in progress',
    fix: gantryCommand`runs list ${app}`,
    details: { app },
  });
}

function notSentError(timeoutMs: number): UnavailableError {
  return new UnavailableError(`the call was not sent within ${duration(timeoutMs)}`, {
    why: 'the file or pipe with its body, or with the secret, has not ended',
  });
}
