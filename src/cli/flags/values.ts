import { resolve } from 'node:path';
import type { Option, OptionValues } from '@commander-js/extra-typings';
import { InvalidArgumentError } from 'commander';
import { dayMs, hourMs, minuteMs } from '../../kernel/durations.ts';
import type { OutputKind } from '../../storage/output-files.ts';

/** Parsers for the values of flags. Their `valueKind` is what `gantry help --json` says of the value. */

/** A duration is written in these, the largest first; weeks are read only. */
const unitMs: Record<string, number> = { d: dayMs, h: hourMs, m: minuteMs, s: 1_000, ms: 1, w: 7 * dayMs };

/** A century: added to a date, it is a date. */
const maxDurationMs = 36_500 * dayMs;

/** `30s`, `5m`, `1h30m`, `2d`, `2w`, in ms. */
export function durationFlag(text: string): number {
  const ms = parseDuration(text);
  if (ms > maxDurationMs) throw new InvalidArgumentError('Expected a duration of at most 36500d.');
  return ms;
}
durationFlag.valueKind = 'duration';

export function positiveDurationFlag(text: string): number {
  const ms = durationFlag(text);
  if (ms === 0) throw new InvalidArgumentError('Expected a duration longer than 0.');
  return ms;
}
positiveDurationFlag.valueKind = 'duration';

function parseDuration(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d|w)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) {
    throw new InvalidArgumentError('Expected a duration such as 30s, 5m, 1h30m or 7d.');
  }
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * (unitMs[unit ?? ''] ?? 0), 0);
}

/** In any case, with or without the prefix that some publishers write. */
export function sha256Flag(text: string): string {
  const [, hex] = /^(?:sha256:)?([0-9a-f]{64})$/i.exec(text) ?? [];
  if (hex === undefined) throw new InvalidArgumentError('Expected 64 hexadecimal digits.');
  return hex.toLowerCase();
}

/** `2`, `0.50` or `$2` in US dollars. */
export function dollarFlag(text: string): number {
  if (!/^\$?\d+(\.\d+)?$/.test(text))
    throw new InvalidArgumentError('Expected an amount in US dollars, such as 2 or 0.50.');
  return Number(text.replace('$', ''));
}
dollarFlag.valueKind = 'number';

/** A time that may be relative to `now`. Both in ms since 1970. */
export type TimeFromNow = (now: number) => number;

/** `2026-11-20T09:30:00Z`, `2026-11-20 09:30:00` (local time), `2026-11-20`, `yesterday`, or a duration ago: `30m`, `2w`. */
export function timeFlag(text: string): TimeFromNow {
  const [, year = 0, month = 0, day] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).map(Number);
  if (day !== undefined) {
    const midnight = new Date(year, month - 1, day);
    if (midnight.getMonth() === month - 1 && midnight.getDate() === day) return () => midnight.getTime();
  } else if (/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text)) {
    const time = Date.parse(text.replace(' ', 'T'));
    if (!Number.isNaN(time)) return () => time;
  } else if (Object.hasOwn(daysAgo, text)) {
    return (now) => {
      const today = new Date(now);
      return new Date(today.getFullYear(), today.getMonth(), today.getDate() - Number(daysAgo[text])).getTime();
    };
  } else if (/^\d+(\.\d+)?(ms|s|m|h|d|w)/.test(text)) {
    const ms = parseDuration(text);
    // Nothing is older.
    return (now) => Math.max(0, now - ms);
  }
  throw new InvalidArgumentError(
    'Expected a time such as 2026-11-20, yesterday or 2026-11-20T09:30:00Z, or how long ago: 30m, 7d.',
  );
}
timeFlag.valueKind = 'time';

/** A time that names a day, where the platform counts in days only: an hour of one would cover all of it. */
export function dayFlag(text: string): TimeFromNow {
  const time = timeFlag(text);
  if (/^([a-z]+|\d{4}-\d\d-\d\d)$/.test(text) || (!text.includes(':') && parseDuration(text) % dayMs === 0))
    return time;
  throw new InvalidArgumentError('Expected a day such as 2026-11-20, yesterday or 7d: bills have whole days only.');
}
dayFlag.valueKind = 'time';

const daysAgo: Readonly<Record<string, number>> = { today: 0, yesterday: 1 };

/** A file that a command writes. It is checked before the command does anything. */
export function outputFlag(writes: OutputKind) {
  return Object.assign((text: string) => text, { writes });
}

export function wholeNumberFlag(min: number, max = Number.MAX_SAFE_INTEGER): (text: string) => number {
  const parse = (text: string) => {
    const number = Number(text);
    if (!/^-?\d+$/.test(text) || number < min || number > max) {
      const range = max === Number.MAX_SAFE_INTEGER ? `from ${min} up` : `from ${min} to ${max}`;
      throw new InvalidArgumentError(`Expected a whole number ${range}.`);
    }
    return number;
  };
  return Object.assign(parse, { valueKind: 'integer' });
}

/** `500MiB`, `20MB`, `1048576` in bytes: units with an i are powers of 1024, the others of 1000. */
export function sizeFlag(min: number, max = Number.MAX_SAFE_INTEGER): (text: string) => number {
  const parse = (text: string) => {
    const [, number, unit = '', binary] = /^(\d+(?:\.\d+)?) ?([kmgt]?)(i?)b?$/i.exec(text) ?? [];
    const bytes = Math.round(Number(number) * (binary ? 1024 : 1000) ** ' kmgt'.indexOf(unit.toLowerCase() || ' '));
    if (number === undefined || (binary && !unit))
      throw new InvalidArgumentError('Expected a size such as 20MB or 16MiB.');
    if (bytes < min || bytes > max)
      throw new InvalidArgumentError(`Expected a size from ${inMib(min)} to ${inMib(max)}.`);
    return bytes;
  };
  return Object.assign(parse, { valueKind: 'size' });
}

function inMib(bytes: number): string {
  return bytes < 2 ** 20 ? `${bytes}B` : `${Math.floor(bytes / 2 ** 20)}MiB`;
}

/** A path on this machine, which only the folder that the command works in (`-C`) makes one that can be used. */
export type PathInFolder = (cwd: string) => string;

/** Absolute before it goes further: processes that gantry starts work in other folders. */
export function pathFlag(text: string): PathInFolder {
  return (cwd) => resolve(cwd, text);
}

export function repeatableFlag(text: string, all: string[] = []): string[] {
  return [...all, text];
}
repeatableFlag.valueKind = 'list';

/** `name=value`, repeatable. */
export function repeatablePairFlag(
  text: string,
  all: [name: string, value: string][] = [],
): [name: string, value: string][] {
  const equals = text.indexOf('=');
  if (equals < 1) throw new InvalidArgumentError('Write name=value.');
  return [...all, [text.slice(0, equals), text.slice(equals + 1)]];
}
repeatablePairFlag.valueKind = 'list';

type DeclaredFlag = Pick<Option, 'attributeName' | 'defaultValue' | 'long' | 'negate' | 'parseArg'>;

/** Flags as they are typed, from what they were parsed to: `--watch 2m`. Those with their default are omitted. */
export function typedFlags(flags: readonly DeclaredFlag[], options: OptionValues): string[] {
  return flags.flatMap((flag) => {
    const value = options[flag.attributeName()];
    if (value === undefined || value === flag.negate || value === flag.defaultValue) return [];
    return [value].flat().flatMap((each) => typedFlag(flag, each));
  });
}

function typedFlag({ long, parseArg }: DeclaredFlag, value: unknown): string[] {
  const name = long ?? '';
  if (typeof value === 'boolean') return [name];
  const isDuration = parseArg !== undefined && 'valueKind' in parseArg && parseArg.valueKind === 'duration';
  const text = isDuration ? typedDuration(Number(value)) : String(value);
  // A value that looks like a flag, or like none, has to be part of the word.
  return text === '' || text.startsWith('-') ? [`${name}=${text}`] : [name, text];
}

/** `1h30m`, as `durationFlag` reads it. */
function typedDuration(ms: number): string {
  let rest = ms;
  const parts = Object.entries(unitMs).flatMap(([unit, size]) => {
    const number = Math.floor(rest / size);
    rest -= number * size;
    return number > 0 ? [`${number}${unit}`] : [];
  });
  return parts.join('') || '0s';
}
