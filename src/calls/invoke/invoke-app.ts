import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import type { Context } from '../../platform/context.ts';
import { contextWith } from '../../platform/waiting/index.ts';
import type { AsyncRun } from './async-call.ts';
import { callOrThrow } from './call.ts';
import { callLimit } from './call-limit.ts';
import type { CallTarget } from './call-target.ts';
import type { InvokeOptions } from './invoke-options.ts';
import { prepareCall } from './prepare-call.ts';
import type { AppResponse } from './response.ts';

/** A response whose body has not been read yet, or an asynchronous run. */
export type InvokeResult = { response: AppResponse } | { run: AsyncRun };

/**
 * Calls an app. Throws responses other than 2xx: AppError for the app's, by status for the platform's. Throws UsageError
 * for invalid options, before anything is sent.
 */
export async function invokeApp(context: Context, options: InvokeOptions): Promise<InvokeResult> {
  const { timeout } = options;
  let target: CallTarget | undefined;
  const limit = timeout === undefined ? undefined : callLimit(context, timeout, () => target);
  const { call, auth } = await prepareCall(
    limit ? contextWith(context, { signal: limit.signal }) : context,
    options,
    limit,
  );
  target = call.target;
  const { app } = target;
  context.interruption.message = sentence`stopped waiting; ${app} may still be processing the call: ${gantryCommand`runs list ${app}`} shows it`;
  if (!options.async && !options.wait && !options.awaitWebhook) {
    return { response: await callOrThrow(context, call, auth) };
  }
  const { callAndAwaitDelivery, startAsyncRun } = await import('./async-call.ts');
  if (options.awaitWebhook) return { response: await callAndAwaitDelivery(context, options, call, auth) };
  return { run: await startAsyncRun(context, options, call, auth) };
}
