import type { Page } from './page.ts';

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** `1536` reads `1.5 KiB`. Powers of 1024, named as such. */
export function size(bytes: number | null | undefined): string {
  if (bytes === null || bytes === undefined) return '';
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** At most so many characters. The mark also tells the cleaner that a secret may have been cut there. */
export function cutText(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** `95000` ms reads `1m 35s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 10) return `${(ms / 1000).toFixed(1)} s`;
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h ${Math.floor((seconds % 3600) / 60)}m`;
  return `${Math.floor(seconds / 86_400)}d ${Math.floor((seconds % 86_400) / 3600)}h`;
}

type Step = [limitMs: number, unitMs: number, name: string];

const days: Step = [30 * 86_400_000, 86_400_000, 'd'];
const steps: Step[] = [[60_000, 1_000, 's'], [3_600_000, 60_000, 'min'], [86_400_000, 3_600_000, 'h'], days];

/** The age of a time, `3 min ago`; older than a month, its local date. Off a terminal the time as it is, for scripts. */
export function ago(time: string | null | undefined): (page: Page) => string {
  return ({ now, terminal }) => {
    if (!time) return '';
    if (!terminal) return time;
    const age = Math.max(0, now - Date.parse(time));
    if (Number.isNaN(age)) return time;
    if (age < 5_000) return 'just now';
    const step = steps.find(([limit]) => age < limit);
    return step ? `${Math.floor(age / step[1])} ${step[2]} ago` : localTime(time).slice(0, 10);
  };
}

/** `2026-11-20 14:00:05`, by the clocks where the user is. What is no time stays as it is. */
export function localTime(time: string): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return time;
  const two = (number: number) => String(number).padStart(2, '0');
  const date = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${date} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`;
}

/** What is left until a time: `in 12 d`, or `expired`. Words such as `never` stay as they are, and times off a terminal. */
export function timeLeft(time: string | null | undefined): (page: Page) => string {
  return ({ now, terminal }) => {
    if (!time) return '';
    if (!terminal) return time;
    const left = Date.parse(time) - now;
    if (Number.isNaN(left)) return time;
    if (left <= 0) return 'expired';
    const [, unitMs, name] = steps.find(([limit]) => left < limit) ?? days;
    return `in ${Math.floor(left / unitMs)} ${name}`;
  };
}

/** `count(1, 'file')` reads `1 file`, `count(1200, 'entry', 'entries')` reads `1,200 entries`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${groupDigits(number)} ${number === 1 ? one : many}`;
}

/** `1200` reads `1,200`. Intl does the same, but takes its time to wake up. */
export function groupDigits(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Cents as dollars: `1234.5` reads `$12.35`. What is less than a cent keeps what it is. */
export function dollars(cents: number): string {
  const digits = cents !== 0 && Math.abs(cents) < 1 ? 4 : 2;
  const [whole = '', fraction] = (Math.abs(cents) / 100).toFixed(digits).split('.');
  return `${cents < 0 ? '-' : ''}$${groupDigits(Number(whole))}.${fraction}`;
}

/** An amount in the smallest unit of its currency: `money(1234, 'usd')` reads `12.34 USD`, yen have no smaller unit. */
export function money(amount: number, currency: string): string {
  const code = currency.toUpperCase();
  const digits = withoutCents.has(code) ? 0 : inThousandths.has(code) ? 3 : 2;
  return `${(amount / 10 ** digits).toFixed(digits)} ${code}`;
}

const withoutCents = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '));
const inThousandths = new Set('BHD JOD KWD OMR TND'.split(' '));

/** `12 files, 3.4 KiB`: how a set of files is named. */
export function fileSummary(files: number, bytes: number): string {
  return `${count(files, 'file')}, ${size(bytes)}`;
}

/** An order for RFC 3339 times in UTC, which sort as text; what has no time comes last. */
export function latestFirst<T>(timeOf: (entry: T) => string | null | undefined): (a: T, b: T) => number {
  return (a, b) => {
    const [one, other] = [timeOf(a) ?? '', timeOf(b) ?? ''];
    return one === other ? 0 : one < other ? 1 : -1;
  };
}

/** An order for text, capital letters like small ones; what has none comes last. */
export function alphabetically<T>(textOf: (entry: T) => string | null | undefined): (a: T, b: T) => number {
  return (a, b) => {
    const [one, other] = [textOf(a)?.toLowerCase() || '\uffff', textOf(b)?.toLowerCase() || '\uffff'];
    return one === other ? 0 : one < other ? -1 : 1;
  };
}

/** An order for numbers, also those sent as text; what is no number comes last. */
export function largestFirst<T>(numberOf: (entry: T) => number | string | null | undefined): (a: T, b: T) => number {
  const value = (entry: T) => Number(numberOf(entry) ?? Number.NaN);
  return (a, b) => {
    const [one, other] = [value(a), value(b)];
    if (Number.isNaN(one) || Number.isNaN(other)) return Number(Number.isNaN(one)) - Number(Number.isNaN(other));
    return other - one;
  };
}
