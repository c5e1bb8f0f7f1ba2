import type { Context } from '../../context.ts';
import { DeniedError, GantryError, NotFoundError } from '../../errors.ts';

/** What the platform shows, or its refusal to show anything. */
export type Shown<State> = { state: State } | { refusal: GantryError };

/**
 * Reads what a change will be compared with. A platform, or the rights of a token, may allow a change and not a look at what
 * it changes: that is no reason not to make it.
 */
export async function readEvidence<State>(read: () => Promise<State>): Promise<Shown<State>> {
  try {
    return { state: await read() };
  } catch (error) {
    if (isRefusal(error)) return { refusal: error };
    throw error;
  }
}

/** Whether the platform replied that there is nothing to look at (404, 405), or that it may not be looked at (403). */
export function isRefusal(error: unknown): error is GantryError {
  if (!(error instanceof GantryError)) return false;
  const { status } = error.facts;
  return status === 405 || (status !== undefined && (error instanceof DeniedError || error instanceof NotFoundError));
}

/** Says that a change was accepted, and that nothing shows it. */
export function warnUnconfirmed({ progress }: Pick<Context, 'progress'>, what: string, refusal: GantryError): void {
  progress.warn({
    severity: 'warning',
    message: `the platform accepted the change, but does not show whether ${what}`,
    why: refusal.message,
  });
}

/** The refusal of a look that was allowed before the change: a failure, as the change may have had no effect. */
export function unconfirmedError<E extends GantryError>(what: string, refusal: E): E {
  refusal.message = `could not confirm that ${what}: ${refusal.message}`;
  return refusal;
}
