import { dayMs } from '../../kernel/durations.ts';
import { type AppCost, dayCostOf } from '../../platform/contract/billing.ts';
import type { RunRange } from '../run-mirror/index.ts';

/** A replay of the past is believed if it is off by this share at most: of the bill, of cold starts, of a percentile. */
export const maxReplayError = 1 / 3;

/** What an app cost in a period, in US cents. Bills have whole days: one that the period has a part of counts in `most` only. */
export interface Bill {
  least: number;
  most: number;
}

/** Undefined if the platform does not tell it, or it is nothing. The end is not in the period: midnight ends the day before. */
export function billOf(
  costs: AppCost['costs'] | undefined,
  { since, until }: Pick<RunRange, 'since' | 'until'>,
): Bill | undefined {
  const first = utcDay(since);
  const last = utcDay(until - 1);
  const days = Object.entries(costs ?? {}).map(([date, cost]) => ({
    day: date.slice(0, 10),
    cents: dayCostOf(cost) ?? Number.NaN,
  }));
  const sum = (isCounted: (day: string) => boolean) =>
    days.filter(({ day }) => day <= last && isCounted(day)).reduce((all, { cents }) => all + cents, 0);
  const most = sum((day) => day >= first);
  const least = since % dayMs === 0 ? most : sum((day) => day > first);
  return most > 0 ? { least, most } : undefined;
}

/** How far a prediction of the bill is off: 0.04 is 4 % too high. Null if that is less than what the bill leaves open. */
export function offBy(cents: number, { least, most }: Bill): number | null {
  if (cents < least) return cents / least - 1;
  if (cents > most) return cents / most - 1;
  return least === most ? 0 : null;
}

export function utcDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
