import { count, size } from '../../kernel/output/format.ts';
import { mib, type PartPlan, planParts, preferredPartBytes } from '../transfer/parts.ts';
import type { CopyOptions } from './copy-options.ts';

/**
 * How a file is divided: a resumed copy keeps the parts of the previous attempt, unless the flag requests others. Parts
 * that are held in memory are shorter.
 */
export function planCopy(
  { bytes, maxPartBytes = Number.POSITIVE_INFINITY }: { bytes: number; maxPartBytes?: number },
  { partSize, concurrency }: Pick<CopyOptions, 'partSize' | 'concurrency'>,
  savedPartBytes?: number,
): PartPlan {
  const preferred = Math.min(maxPartBytes, preferredPartBytes(bytes, concurrency));
  return planParts(bytes, partSize ?? savedPartBytes ?? preferred);
}

/** For --debug. */
export function planText({ bytes, partBytes, count: parts }: PartPlan): string {
  return `${size(bytes)} in ${count(parts, 'part')} of ${partBytes / mib} MiB`;
}
