import { refuse } from './server/reply.ts';

/** A stretch of time, both ends included. Milliseconds since 1970. */
export interface TimeRange {
  start: number;
  end: number;
}

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

/** The range a query names; what it leaves open makes it the 24 hours up to its end, or up to now. Refuses nonsense. */
export function parseTimeRange(
  query: Record<string, unknown>,
  [from, to]: readonly [string, string],
  now: number,
): TimeRange {
  const end = readMoment(to, query[to]) ?? now;
  const start = readMoment(from, query[from]) ?? end - day;
  if (start > end) refuse(400, `${to} must not be before ${from}`);
  return { start, end };
}

function readMoment(name: string, text: unknown): number | undefined {
  if (text === undefined) return undefined;
  const [, date = '', time = ''] = rfc3339Time.exec(String(text)) ?? [];
  const moment = Date.parse(String(text));
  // JavaScript takes the 30th of February for the 2nd of March.
  const exists = new Date(`${date}T${time}Z`).toJSON()?.startsWith(`${date}T${time}`);
  return exists && !Number.isNaN(moment) ? moment : refuse(400, `${name} must be a time in RFC 3339: ${text}`);
}

const rfc3339Time = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** How times are written on the wire (spec 2). */
export function formatTime(time: number): string {
  return new Date(time).toISOString();
}

/** What a timer of Node can wait; beyond it, it would end at once. Milliseconds. */
const maxTimerMs = 2 ** 31 - 1;

/** Calls back after some seconds, of any number. */
export function afterSeconds(seconds: number, callback: () => void): NodeJS.Timeout {
  return setTimeout(callback, Math.min(seconds * 1000, maxTimerMs));
}
