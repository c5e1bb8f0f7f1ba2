/** Converts a time to the wall-clock time of a zone, as if it were UTC. In ms since the epoch; NaN if invalid. */
export type WallClock = (time: number) => number;

/** Takes an IANA name; throws RangeError if it is unknown. */
export function wallClock(zone: string): WallClock {
  // Swedish times are those of ISO 8601.
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  return (time) => {
    const isDated = time >= 0 && time < Date.UTC(9999, 11);
    return isDated ? Date.parse(`${clock.format(time).replace(' ', 'T')}Z`) : Number.NaN;
  };
}

/** `2026-11-20 14:00`, or `2026-11-20 14:00:30`, in the user's time zone; empty if invalid. */
export function localMinute(time: number): string {
  const wall = time - 60_000 * new Date(time).getTimezoneOffset();
  const length = wall % 60_000 === 0 ? 16 : 19;
  return Number.isNaN(wall) ? '' : new Date(wall).toISOString().slice(0, length).replace('T', ' ');
}

export function localTimeZone(): string {
  const zone: string | undefined = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zone && zone !== 'Etc/Unknown' ? zone : 'UTC';
}
