import { maxSmallBytes, type TransferResources } from '../../transfer/resources.ts';

/** Maximum time between the start of an upload and the signing of its URLs, in ms. */
const maxSigningMs = 2_000;
/** Times of listings and Date headers have whole seconds. */
const precisionMs = 1_000;

/**
 * Whether a file with this time, by the storage's clock, cannot have existed before the upload. `startedAt` is the start of
 * the upload by the same clock. A time in the future shows that the clocks differ, and then proves nothing.
 */
export function isNewFile(
  time: number | undefined,
  { startedAt, bytes }: { startedAt: number; bytes: number },
  { resources }: { resources: Pick<TransferResources, 'storageClock'> },
): boolean {
  if (time === undefined || time > resources.storageClock.current() + precisionMs) return false;
  // Storage may use the start of the upload, shortly before its URLs were signed, as the file's time. Small files need no
  // tolerance: asking the storage about them is cheap.
  const toleranceMs = bytes > maxSmallBytes ? maxSigningMs : 0;
  return time >= Math.floor((startedAt - toleranceMs) / precisionMs) * precisionMs;
}
