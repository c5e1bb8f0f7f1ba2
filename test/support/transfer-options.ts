import type { TransferOptions } from '../../src/storage/transfer/transfer-context.ts';

/** Transfers one part at a time, without pauses and checksums. */
export function transferOptions(different: Partial<TransferOptions> = {}): TransferOptions {
  return {
    signal: new AbortController().signal,
    now: Date.now,
    elapsed: () => performance.now(),
    delay: async () => {},
    onRetry: () => {},
    onBytes: () => {},
    proxy: undefined,
    silenceMs: 60_000,
    concurrency: 1,
    limitRate: undefined,
    check: false,
    ...different,
  };
}
