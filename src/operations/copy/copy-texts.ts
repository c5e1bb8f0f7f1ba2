import type { GantryError } from '../../errors.ts';
import { duration, fileSummary, size } from '../../output/format.ts';

/** Maximum number of paths listed before a question or in a dry run. */
export const maxListedPaths = 20;

/** Prefix of errors that leave open whether the file was uploaded. */
export const unconfirmedPrefix = 'uploaded, but not confirmed: ';

/** The message for a failed file. */
export function fileFailureText(path: string, { message }: GantryError): string {
  if (!message.startsWith(unconfirmedPrefix)) return `${printablePath(path)} was not copied: ${message}`;
  return `${printablePath(path)} was uploaded, but not confirmed: ${message.slice(unconfirmedPrefix.length)}`;
}

/** Quotes a path that contains control characters, so that it stays on one line. */
export function printablePath(path: string): string {
  return /[\x00-\x1f\x7f]/.test(path) ? JSON.stringify(path) : path;
}

/** Formats a summary: `340 files, 1.2 GiB to default:/x in 4.0 s (300 MiB/s); 3 skipped`. */
export function copySummaryText(sum: {
  to: string;
  files: number;
  bytes: number;
  skipped: number;
  failed: readonly unknown[];
  resumedBytes: number;
  seconds: number;
}): string {
  const transferredBytes = sum.bytes - sum.resumedBytes;
  const rate = sum.seconds > 0 && transferredBytes > 0 ? ` (${size(transferredBytes / sum.seconds)}/s)` : '';
  return [
    `${fileSummary(sum.files, sum.bytes)} to ${sum.to} in ${duration(sum.seconds * 1000)}${rate}`,
    sum.resumedBytes > 0 ? `${size(sum.resumedBytes)} resumed` : '',
    sum.skipped > 0 ? `${sum.skipped} skipped` : '',
    sum.failed.length > 0 ? `${sum.failed.length} failed` : '',
  ]
    .filter(Boolean)
    .join('; ');
}
