import type { Context } from '../../context.ts';
import { UnavailableError } from '../../errors.ts';
import { timeoutSignal } from './deadline.ts';

const timeoutMs = 5_000;

/** Best-effort request for details of an error: returns undefined on failure. */
export async function tryRequest<T>(
  context: Pick<Context, 'apiWithSignal' | 'signal'>,
  request: (api: Context['api']) => Promise<T>,
): Promise<T | undefined> {
  const signal = timeoutSignal(timeoutMs, () => new UnavailableError('request timed out'), context.signal);
  try {
    return await request(context.apiWithSignal(signal, () => {}));
  } catch {
    return undefined;
  }
}
