import { count, size } from '../../output/format.ts';
import { mib, type PartPlan, planParts, preferredPartBytes } from '../../transfer/parts.ts';
import type { CopyOptions } from './copy-options.ts';

/** How a file is divided. A resumed copy keeps the parts of the previous attempt, unless the flag requests others. */
export function planCopy(
  bytes: number,
  { partSize, concurrency }: Pick<CopyOptions, 'partSize' | 'concurrency'>,
  savedPartBytes?: number,
): PartPlan {
  return planParts(bytes, partSize ?? savedPartBytes ?? preferredPartBytes(bytes, concurrency));
}

/** For --debug. */
export function planText({ bytes, partBytes, count: parts }: PartPlan): string {
  return `${size(bytes)} in ${count(parts, 'part')} of ${partBytes / mib} MiB`;
}
