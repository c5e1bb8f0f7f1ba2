import type { Command as Commander, OptionValues } from '@commander-js/extra-typings';
import { InvalidArgumentError } from 'commander';
import type { RunFilters } from '../../calls/runs/index.ts';
import { checkRange, dayMs, minuteMs } from '../../kernel/durations.ts';
import { count, groupDigits } from '../../kernel/output/format.ts';
import type { Progress } from '../../kernel/output/progress.ts';
import { outcomeWords } from '../../platform/contract/run-outcome.ts';
import { type RunStatus, runStatuses } from '../../platform/contract/runs.ts';
import type { FlagsOf, NoFlags } from '../command.ts';
import type { ChartRange } from '../views/timeline.ts';
import { durationFlag, type TimeFromNow, timeFlag, wholeNumberFlag } from './values.ts';

type ListFlags = FlagsOf<typeof listFlags<[], NoFlags>>;

export function listFlags<Inputs extends unknown[], Flags extends OptionValues>(command: Commander<Inputs, Flags>) {
  const flagged = command
    .option('-n, --limit <number>', 'maximum number of entries to show', wholeNumberFlag(1), 100)
    .option('--all', 'show all entries');
  flagged.options.at(-1)?.conflicts('limit');
  return flagged;
}

export function applyLimit<Entry>(
  entries: Entry[],
  { limit, all }: ListFlags,
  progress: Progress,
  noun: string,
): Entry[] {
  if (all || entries.length <= limit) return entries;
  progress.footnote(`showing ${groupDigits(limit)} of ${count(entries.length, noun)}; pass --all to show the rest`);
  return entries.slice(0, limit);
}

export function rangeFlags<Inputs extends unknown[], Flags extends OptionValues>(command: Commander<Inputs, Flags>) {
  return command
    .option('--since <time>', 'start at this time, or this long ago (default: 24h before --until)', timeFlag)
    .option('--until <time>', 'end at this time, or this long ago (default: now)', timeFlag);
}

type Bounds = { [bound in 'since' | 'until']?: TimeFromNow | undefined };

/** Until now, and the last day, unless the flags say otherwise. */
export function lastDay({ since, until }: Bounds, now: number): ChartRange {
  const end = Math.min(now, until?.(now) ?? now);
  return { since: since?.(now) ?? end - dayMs, until: end };
}

/** Whole minutes, with the one in progress. Throws UsageError if the range ends before it begins (spec 4.7). */
export function resolveRange(flags: Bounds, time: number): ChartRange {
  const now = Math.ceil(time / minuteMs) * minuteMs;
  const until = Math.min(now, flags.until?.(now) ?? now);
  const since = flags.since?.(Math.floor(time / minuteMs) * minuteMs) ?? until - dayMs;
  checkRange({ since, until });
  return { since, until };
}

/** In ms. */
interface Span {
  min?: number;
  max?: number;
}

type FilterFlags = FlagsOf<typeof runFilterFlags<[], NoFlags>>;

export function runFilterFlags<Inputs extends unknown[], Flags extends OptionValues>(
  command: Commander<Inputs, Flags>,
) {
  return command
    .addOption(
      command
        .createOption('--status <status>', 'only show runs with this status')
        .choices([...runStatuses, 'succeeded', 'failed', 'canceled', 'in-progress'] as const),
    )
    .option('--status-code <number>', 'only show runs with this HTTP status', statusCodeFlag)
    .option('--startup <range>', 'only show runs that started in 2s.. or ..500ms', spanFlag)
    .option('--response <range>', 'only show runs that responded in 2s.. or 100ms..500ms', spanFlag);
}

export function runFilters(flags: FilterFlags): RunFilters {
  return {
    status: platformWord(flags.status),
    statusCode: flags.statusCode,
    minStartupTime: flags.startup?.min,
    maxStartupTime: flags.startup?.max,
    minResponseTime: flags.response?.min,
    maxResponseTime: flags.response?.max,
  };
}

function platformWord(status: FilterFlags['status']): RunStatus | undefined {
  if (status === 'in-progress') return 'processing';
  return status !== undefined && status in outcomeWords
    ? outcomeWords[status as keyof typeof outcomeWords]
    : (status as RunStatus | undefined);
}

/** `2s..`, `..500ms`, `100ms..2s`. */
function spanFlag(text: string): Span {
  const [, from, to] = /^(.*?)\.\.(.*)$/.exec(text) ?? [];
  if (!from && !to) throw new InvalidArgumentError('Expected a range such as 2s.. or ..500ms.');
  return { ...(from && { min: durationFlag(from) }), ...(to && { max: durationFlag(to) }) };
}

/** The platform filters by one status. 0 is a canceled run, -1 one that its caller closed. */
function statusCodeFlag(text: string): number {
  if (/^(-1|0|[1-5]\d\d)$/.test(text)) return Number(text);
  throw new InvalidArgumentError(
    /^[45](xx|\*)$/i.test(text)
      ? 'Expected one HTTP status such as 500; for all that failed: --status failure.'
      : 'Expected an HTTP status such as 500.',
  );
}
statusCodeFlag.valueKind = 'integer';
