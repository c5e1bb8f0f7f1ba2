import type { Run } from '../../contract/runs.ts';
import { count } from '../../output/format.ts';
import type { ErrorCount } from '../difference/index.ts';
import { runHasFailed, runStatus } from '../runs/index.ts';

/** A canceled or closed run says nothing about a build. */
export function countErrors(runs: readonly Run[]): ErrorCount {
  const said = runs.filter((run) => !/^(cancelled|closed)$/.test(runStatus(run)));
  const failed = said.filter(runHasFailed);
  const byCaller = failed.filter(({ statusCode }) => statusCode && statusCode >= 400 && statusCode <= 499);
  return { calls: said.length, failed: failed.length, byCaller: byCaller.length };
}

export function ratesText(now: ErrorCount, before: ErrorCount): string {
  const earlier = before.calls === 0 ? 'none before to compare with' : `${before.failed} of ${before.calls} before`;
  return `${now.failed} of ${count(now.calls, 'call')} failed, ${earlier}`;
}
