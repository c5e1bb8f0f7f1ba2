import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { PendingError, UnavailableError } from '../../kernel/errors.ts';
import { duration } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { Deadline } from '../../platform/waiting/index.ts';
import type { CallTarget } from './call-target.ts';

/**
 * The `--timeout` of a call: one clock for reading the request body, the response, and the run of an asynchronous call.
 * `target` returns undefined until everything is there to send.
 */
export function callLimit(
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
    why: 'the request timed out locally; the app may still be processing it',
    fix: sentence`${gantryCommand`runs list ${app}`} shows its status; use --async to not wait`,
  });
}

function notSentError(timeoutMs: number): UnavailableError {
  return new UnavailableError(`the call was not sent within ${duration(timeoutMs)}`, {
    why: 'the file or pipe with its body, or with the secret, has not ended',
  });
}
