/** `2026-11-20 14:00`; empty if invalid. */
export function formatWallClock(wall: number): string {
  return Number.isNaN(wall) ? '' : new Date(wall).toISOString().slice(0, 16).replace('T', ' ');
}

export function localTimeZone(): string {
  const zone: string | undefined = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zone && zone !== 'Etc/Unknown' ? zone : 'UTC';
}
