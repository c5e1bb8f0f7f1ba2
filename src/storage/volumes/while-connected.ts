import type { Context } from '../../platform/context.ts';
import { type TransferContext, type TransferOptions, withTransferContext } from '../transfer/transfer-context.ts';

export type ConnectingContext = Pick<
  Context,
  'settings' | 'signal' | 'now' | 'elapsed' | 'delay' | 'onRetry' | 'silenceMs' | 'trace'
>;

/** Does work that makes requests to storage or to the web, and shows no progress. */
export function whileConnected<T>(
  { settings, signal, now, elapsed, delay, onRetry, silenceMs, trace }: ConnectingContext,
  work: (resources: TransferContext) => Promise<T>,
  { concurrency, check = true }: Partial<Pick<TransferOptions, 'concurrency' | 'check'>> = {},
): Promise<T> {
  const options = {
    proxy: settings.proxy,
    signal,
    now,
    elapsed,
    delay,
    onRetry,
    silenceMs,
    trace,
    onBytes: () => {},
    concurrency,
    check,
    limitRate: undefined,
  };
  return withTransferContext(options, work);
}
