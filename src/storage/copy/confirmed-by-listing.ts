import { maxSmallBytes, type TransferContext } from '../transfer/transfer-context.ts';

/** Maximum time between the start of an upload and the signing of its URLs, in ms. */
const maxSigningMs = 2_000;
/** Times of listings and Date headers have whole seconds. */
const precisionMs = 1_000;

/**
 * Whether a file with this time, by the storage's clock, cannot have existed before the upload. `startedAt` is the start of
 * the upload by the same clock, and `endedAt` its end if that was in an earlier process. A time after the end shows that
 * the clocks differ, and then proves nothing.
 */
export function isNewFile(
  time: number | undefined,
  { startedAt, endedAt, bytes }: { startedAt: number; endedAt?: number | undefined; bytes: number },
  { resources }: { resources: Pick<TransferContext, 'storageClock'> },
): boolean {
  if (time === undefined || time > (endedAt ?? resources.storageClock.current()) + precisionMs) return false;
  // Storage may use the start of the upload, shortly before its URLs were signed, as the file's time. Small files need no
  // tolerance: asking the storage about them is cheap.
  const toleranceMs = bytes > maxSmallBytes ? maxSigningMs : 0;
  return time >= Math.floor((startedAt - toleranceMs) / precisionMs) * precisionMs;
}

/**
 * The start of an upload by the storage's clock. `signed` is the time of its signed URLs and `begun` when they were asked
 * for: an earlier signature was made by another clock, or for an upload that is resumed, and says nothing of files that
 * came between.
 */
export function uploadStart(signed: number | undefined, begun: number): number {
  return signed === undefined || signed < begun - maxSigningMs - precisionMs ? begun : signed;
}
