import { InvalidArgumentError } from 'commander';
import type { ServiceLevel } from '../../insight/tune/index.ts';
import { durationFlag } from './values.ts';

/** `p90<6s`. */
export function serviceLevelFlag(text: string): ServiceLevel {
  const [, quantile, limit] = /^(p50|p90|p95|p99) *< *(\S+)$/.exec(text) ?? [];
  if (quantile === undefined || limit === undefined) {
    throw new InvalidArgumentError("Expected a percentile and a duration such as 'p90<6s' (p50, p90, p95 or p99).");
  }
  return { quantile: quantile as ServiceLevel['quantile'], ms: durationFlag(limit) };
}
