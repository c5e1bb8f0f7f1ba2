import type { Context } from '../../context.ts';
import { UnavailableError } from '../../errors.ts';
import { timeoutSignal } from '../waiting/index.ts';

/** What is asked beside the call must not take longer, milliseconds. */
const timeoutMs = 5_000;

/** Asks something that would be good to know. Whatever comes of it, what is known already is what counts. */
export async function tryRequest<T>(
  context: Context,
  ask: (api: Context['api']) => Promise<T>,
): Promise<T | undefined> {
  const signal = timeoutSignal(timeoutMs, () => new UnavailableError('no answer in time'), context.signal);
  try {
    return await ask(context.apiWithSignal(signal, () => {}));
  } catch {
    return undefined;
  }
}
