import type { Context } from '../../context.ts';
import { UnavailableError } from '../../errors.ts';
import { timeoutSignal } from '../waiting/index.ts';

/** What is asked beside the call must not take longer, milliseconds. */
const patienceMs = 5_000;

/** Asks something that would be good to know. Whatever comes of it, what is known already is what counts. */
export async function aside<T>(context: Context, ask: (api: Context['api']) => Promise<T>): Promise<T | undefined> {
  const signal = timeoutSignal(patienceMs, () => new UnavailableError('no answer in time'), context.signal);
  try {
    return await ask(context.apiUntil(signal, () => {}));
  } catch {
    return undefined;
  }
}
