import type { FoundFile } from './found-entry.ts';

/** Disks store times with less precision than the platform. */
export const diskToleranceMs = 1_000;

/** Whether the existing copy has the same size and is not older. Does not compare contents. */
export function isUnchanged(
  { bytes, modified }: Pick<FoundFile, 'bytes' | 'modified'>,
  existing: { bytes: number | null; modified: number | undefined },
  toleranceMs = 0,
): boolean {
  if (existing.bytes !== bytes || existing.modified === undefined || modified === undefined) return false;
  return existing.modified + toleranceMs >= modified;
}

/** Parses RFC 3339 to ms since 1970; undefined for an invalid or zero time. */
export function parseTimestamp(text: string | null): number | undefined {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) || time <= 0 ? undefined : time;
}
