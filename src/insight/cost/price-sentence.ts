import { dollars, groupDigits } from '../../kernel/output/format.ts';

export const monthMs = 30 * 86_400_000;
/** In US cents a month: nobody changes settings for less. */
export const leastSavedCents = 100;

interface PriceChange {
  /** `20m cooldown`. */
  changes: readonly string[];
  /** What callers wait for then: `p90 5.4 s`. */
  waiting: string;
  /** More than now, in 30 days; undefined if the price is not known. */
  centsPerMonth: number | undefined;
}

/** What a change of the scaling costs, in waiting and in money: `20m cooldown: p90 5.4 s, +$279 a month`. */
export function priceSentence({ changes, waiting, centsPerMonth = Number.NaN }: PriceChange): string {
  const cents = Math.abs(centsPerMonth);
  const amount = cents < 1_000 ? dollars(cents) : `$${groupDigits(Math.round(cents / 100))}`;
  const price = Number.isNaN(cents) ? 'a price that is not known' : `${centsPerMonth < 0 ? '-' : '+'}${amount} a month`;
  return `${changes.join(', ')}: ${waiting}, ${price}`;
}

/** `20m` of 1200 seconds, as people write it. */
export function cooldownWord(seconds: number): string {
  if (seconds % 3_600 === 0) return `${seconds / 3_600}h`;
  return seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
}
