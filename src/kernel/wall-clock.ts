/** Converts a time to the wall-clock time of a zone, as if it were UTC. In ms since the epoch; NaN if invalid. */
export type WallClock = (time: number) => number;

/** Takes an IANA name; throws RangeError if it is unknown. */
export function wallClock(zone: string): WallClock {
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (time) => {
    if (!(time >= 0 && time < Date.UTC(9999, 11))) return Number.NaN;
    const parts = Object.fromEntries(clock.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second);
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
