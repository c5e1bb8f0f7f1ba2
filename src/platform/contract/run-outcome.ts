/** How a run ended. `unknown`: with a code that no document names. */
export type RunOutcome =
  | 'in progress'
  | 'succeeded'
  | 'failed'
  | 'failed by the caller'
  | 'canceled'
  | 'closed'
  | 'unknown';

/** What tells the result of a run. */
export interface RunFacts {
  status?: string | null | undefined;
  /** An HTTP status, 0 if canceled, -1 if its caller closed the connection. */
  statusCode?: number | null | undefined;
}

/**
 * The one reading of a run's result, of client and emulator (docs/platform.md#runs). The code decides; the status only
 * where there is no code. An undocumented status is not evidence: the run is in progress.
 */
export function runOutcome({ status, statusCode: code }: RunFacts): RunOutcome {
  if (code === null || code === undefined) return outcomes[status?.toLowerCase() ?? ''] ?? 'in progress';
  if (code === 0) return 'canceled';
  if (code === -1) return 'closed';
  // 101 is a WebSocket that was closed properly.
  if (code === 101 || (code >= 200 && code <= 399)) return 'succeeded';
  if (code >= 400 && code <= 499) return 'failed by the caller';
  return code >= 500 && code <= 599 ? 'failed' : 'unknown';
}

const outcomes: Record<string, RunOutcome> = {
  success: 'succeeded',
  ...({ failure: 'failed', failed: 'failed', fail: 'failed' } as const),
  ...({ cancelled: 'canceled', canceled: 'canceled', closed: 'closed' } as const),
};

/** The platform's word for a result. `closed` has none of its own among the statuses of runs (spec 3). */
export const outcomeWords = {
  succeeded: 'success',
  ...({ failed: 'failure', 'failed by the caller': 'failure' } as const),
  ...({ canceled: 'cancelled', closed: 'cancelled' } as const),
} as const satisfies Partial<Record<RunOutcome, string>>;

/** The statuses with which the official client stops waiting for a one-off run (docs/platform.md#one-off-runs), as for a build. */
export type EndedRunStatus = 'success' | 'failed' | 'fail';
