import { dayMs, hourMs, minuteMs } from '../durations.ts';
import { attempt } from '../errors.ts';
import { byUnits } from '../packed-list.ts';
import { groupDigits, size } from '../sizes.ts';
import type { Page } from './page.ts';

export { groupDigits, size };

/** A size for people; off a terminal its bytes as a number, for scripts. */
export function sizeCell(bytes: number | null | undefined): (page: Page) => string {
  return forPeople(size(bytes), bytes);
}

/** A text for people; off a terminal the value itself, for scripts. */
export function forPeople(text: string, value: unknown): (page: Page) => string {
  const cell = ({ terminal }: Page) => (terminal ? text : String(value ?? ''));
  return typeof value === 'number' ? numberCell(cell) : cell;
}

/** A cell that is a number, or one with its unit: half of it would be another number. */
export function numberCell(text: string | ((page: Page) => string)): (page: Page) => string {
  return Object.assign((page: Page) => (typeof text === 'string' ? text : text(page)), { isNumber: true });
}

/** A measured number for people, as a text; off a terminal with six digits. Empty if it is not known. */
export function figureCell(value: number | null, text: (value: number) => string): '' | ((page: Page) => string) {
  return value === null ? '' : forPeople(text(value), Number(value.toPrecision(6)));
}

/** `12 %`, with two digits. */
export function percent(share: number): string {
  return `${Number((100 * share).toPrecision(2))} %`;
}

/** `1m 35s` for 95000, `5m` for 300000. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 10) return `${(ms / 1000).toFixed(1)} s`;
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return twoUnits(Math.floor(seconds / 60), 'm', seconds % 60, 's');
  if (seconds < 86_400) return twoUnits(Math.floor(seconds / 3600), 'h', Math.floor((seconds % 3600) / 60), 'm');
  return twoUnits(Math.floor(seconds / 86_400), 'd', Math.floor((seconds % 86_400) / 3600), 'h');
}

function twoUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit} ${small}${smallUnit}`;
}

/** A duration for people; off a terminal its milliseconds as a number, for scripts. */
export function durationCell(ms: number | null | undefined): (page: Page) => string {
  return withUnit('ms', forPeople(ms === null || ms === undefined ? '' : duration(ms), ms));
}

/** A cell that is a number off a terminal, where its unit stands beside its name. */
export function withUnit<Rendered extends (page: Page) => string>(unit: string, cell: Rendered): Rendered {
  return Object.assign(cell, { unit });
}

/** `1,200` for people; off a terminal without commas. */
export function countCell(number: number): (page: Page) => string {
  return forPeople(groupDigits(number), number);
}

type AgeUnit = [limitMs: number, unitMs: number, name: string];

const days: AgeUnit = [30 * dayMs, dayMs, 'd'];
const ageUnits: AgeUnit[] = [[minuteMs, 1_000, 's'], [hourMs, minuteMs, 'min'], [dayMs, hourMs, 'h'], days];

/** `3 min ago`; for times of more than 30 days ago, the local date. Off a terminal the time itself, for scripts. */
export function ago(time: string | null | undefined): (page: Page) => string {
  return fromNow(time, (ms) => {
    const age = Math.max(0, -ms);
    if (age < 5_000) return 'just now';
    const unit = ageUnits.find(([limit]) => age < limit);
    return unit ? `${Math.floor(age / unit[1])} ${unit[2]} ago` : localTime(time ?? '').slice(0, 10);
  });
}

/** Off a terminal, and for text that is not a time, such as `never`, the text itself. */
function fromNow(time: string | null | undefined, toText: (ms: number) => string): (page: Page) => string {
  return ({ now, terminal }) => {
    const ms = Date.parse(time ?? '') - now;
    return terminal && !Number.isNaN(ms) ? toText(ms) : (time ?? '');
  };
}

/** `2026-11-20 14:00:05` in the user's time zone. Returns text that is not a time unchanged. */
export function localTime(time: string): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return time;
  const two = (number: number) => String(number).padStart(2, '0');
  const date = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${date} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`;
}

/** `in 12 d`, or `expired`; off a terminal the time itself. */
export function timeLeft(time: string | null | undefined): (page: Page) => string {
  return fromNow(time, (left) => {
    if (left <= 0) return 'expired';
    const [, unitMs, name] = ageUnits.find(([limit]) => left < limit) ?? days;
    return `in ${Math.floor(left / unitMs)} ${name}`;
  });
}

/** `1 file` for `count(1, 'file')`, `1,200 entries` for `count(1200, 'entry', 'entries')`. */
export function count(number: number, singular: string, many = `${singular}s`): string {
  return `${groupDigits(number)} ${number === 1 ? singular : many}`;
}

/** `$12.35` for 1234.5 cents. Amounts below one cent have four decimals. */
export function dollars(cents: number): string {
  const digits = cents !== 0 && Math.abs(cents) < 1 ? 4 : 2;
  const [whole = '', fraction] = (Math.abs(cents) / 100).toFixed(digits).split('.');
  return `${cents < 0 ? '-' : ''}$${groupDigits(Number(whole))}.${fraction}`;
}

/** A number as documents have it: null if it is not known, which is NaN where it is computed with. */
export function nullIfNaN(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** An amount as documents have it, with two decimals at most; null if it is not known. */
export function roundCents(cents: number | null | undefined): number | null {
  return nullIfNaN(Math.round(100 * (cents ?? Number.NaN)) / 100);
}

/** Takes the smallest unit of the currency: `$12.34` for `money(1234, 'usd')`, as costs have it, and `1234 JPY` for yen. */
export function money(amount: number, currency: string): string {
  const code = currency.toUpperCase();
  if (code === 'USD') return dollars(amount);
  const facts = attempt(() => new Intl.NumberFormat('en', { style: 'currency', currency: code }).resolvedOptions());
  const { maximumFractionDigits: digits = 2 } = facts ?? {};
  return `${(amount / 10 ** digits).toFixed(digits)} ${code}`;
}

/** `12 files, 3.4 KiB`. */
export function fileSummary(files: number, bytes: number): string {
  return `${count(files, 'file')}, ${size(bytes)}`;
}

/** `a, b and 3 more`. */
export function shortList(items: readonly string[], most: number): string {
  const more = items.length > most ? ` and ${groupDigits(items.length - most)} more` : '';
  return items.slice(0, most).join(', ') + more;
}

/** Truncates to `maxLength` characters. The ellipsis also tells the redactor that a secret may be cut there. */
export function cutText(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

/** An RFC 3339 time in ms since 1970; NaN without one. */
export function toMs(time: string | null | undefined): number {
  return Date.parse(time ?? '');
}

/** Compares RFC 3339 times in UTC, latest first. Entries without a time come last. */
export function latestFirst<T>(timeOf: (entry: T) => string | null | undefined): (a: T, b: T) => number {
  return (a, b) => byUnits(timeOf(b) ?? '', timeOf(a) ?? '');
}

/** The first part of a UUID, for people: commands take it as well. An id of another form may be told apart by its end. */
export function shortBuild(id: string): string {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id) ? id.slice(0, 8) : id;
}

/** Quotes a path that contains control characters, so that it stays on one line. */
export function printablePath(path: string): string {
  return /[\x00-\x1f\x7f]/.test(path) ? JSON.stringify(path) : path;
}
