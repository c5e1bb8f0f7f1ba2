import type { resolutions } from '../../platform/contract/metrics.ts';
import { refuse } from '../http/reply.ts';

/** Both ends included. Milliseconds since 1970. */
export interface TimeRange {
  start: number;
  end: number;
}

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

/** The range of a query; by default the 24 hours up to its end, or up to now. Refuses an invalid one with 400. */
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

/** Refuses what is not RFC 3339 with 400. */
export function readMoment(name: string, text: unknown): number | undefined {
  if (text === undefined) return undefined;
  const [, date = '', time = ''] = rfc3339Time.exec(String(text)) ?? [];
  const moment = Date.parse(String(text));
  // JavaScript parses February 30 as March 2.
  const exists = new Date(`${date}T${time}Z`).toJSON()?.startsWith(`${date}T${time}`);
  return exists && !Number.isNaN(moment) ? moment : refuse(400, `${name} must be an RFC 3339 time: ${text}`);
}

const rfc3339Time = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** RFC 3339 in UTC, as all times of the API (spec 2). */
export function formatTime(time: number): string {
  return new Date(time).toISOString();
}

/** A range in steps of the same length. Milliseconds since 1970. */
export interface TimeSteps extends TimeRange {
  /** The start of each. */
  times: readonly number[];
  /** The step of a time in the range; the last one also has the end. */
  indexOf(time: number): number;
}

/** A higher resolution has more steps (spec 4.7). */
export function splitIntoSteps(range: TimeRange, resolution?: (typeof resolutions)[number]): TimeSteps {
  const count = stepCounts[resolution ?? 'standard'];
  const stepMs = Math.max(1, range.end - range.start) / count;
  return {
    ...range,
    times: Array.from({ length: count }, (_, index) => range.start + index * stepMs),
    indexOf: (time) => Math.min(count - 1, Math.floor((time - range.start) / stepMs)),
  };
}

const stepCounts = { standard: 60, medium: 120, high: 240 };
