import type { FoundFile } from './found-entry.ts';

/** Disks keep times with less precision than the platform tells them, in milliseconds. */
export const diskToleranceMs = 1_000;

/** Whether what is there passes for the same: as long, and not older. The content is not looked at. */
export function isUnchanged(
  { bytes, modified }: Pick<FoundFile, 'bytes' | 'modified'>,
  there: { bytes: number | null; modified: number | undefined },
  toleranceMs = 0,
): boolean {
  if (there.bytes !== bytes || there.modified === undefined || modified === undefined) return false;
  return there.modified + toleranceMs >= modified;
}

/** RFC 3339 in milliseconds since 1970; undefined for what is no time, or was never set. */
export function parseTimestamp(text: string | null): number | undefined {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) || time <= 0 ? undefined : time;
}
