import { gantryCommand } from '../../kernel/command-line.ts';
import { dayMs } from '../../kernel/durations.ts';
import { count, dollars, duration, groupDigits, percent, roundCents } from '../../kernel/output/format.ts';
import { choice, integer, list, nullable, number, type ObjectOf, text } from '../../kernel/shape.ts';
import { type Bill, maxReplayError, offBy } from './bill.ts';
import type { ReplicaTime } from './replica-time.ts';

/** Money for replicas that nobody needed, and the command that ends it. */
export const wasteFields = {
  kind: choice(['unused', 'min-replicas', 'cooldown', 'unexplained'], 'what causes it'),
  why: text('the same in words'),
  advice: text('what ends it, with its price, such as 30s cooldown: 12 more cold starts of 9.0 s, -$45 a month'),
  savesCents: nullable(number('what the command would have saved, in US cents; null if not known')),
  savesSeconds: nullable(number('the same as time of replicas; null if not known')),
  since: nullable(text('when the settings of now came into force, RFC 3339, UTC; null if before the period')),
  moreColdStarts: nullable(integer('cold starts that it would have added; null if not known')),
  argv: list(text('word'), 'the command that ends it'),
};
type Waste = ObjectOf<typeof wasteFields>;

interface WasteFacts {
  app: string;
  minReplicas: number;
  /** In seconds. */
  cooldown: number;
  /** US cents per second; NaN if it is not known. */
  price: number;
  /** Undefined if it is not known. */
  bill: Bill | undefined;
  /** How long the period is, in ms: that of the bill and of `time`. The settings were those of now in all of it. */
  rangeMs: number;
  since: string | null;
  time: ReplicaTime;
}

/** In seconds: values that a cooldown may be lowered to. */
export const lowerCooldowns = [10, 30, 60, 120, 300, 600, 1_200, 1_800];

/** Less is not worth a command. */
const least = { idle: 0.5, saved: 0.25 };

/**
 * The one change of the scaling that would have saved most, if replicas were idle for half of the time and it saves a quarter
 * of that. First, what is must explain the bill: what changes would have saved rests on the same replay. `doubt`: why it is
 * not known.
 */
export function findWaste(facts: WasteFacts) {
  // Minutes say nothing of a month.
  if (facts.rangeMs < monthMs / 30) return { waste: undefined, doubt: '' };
  const waste = wasteOf(facts);
  const { app, price, bill, time, cooldown, minReplicas } = facts;
  if (!waste || waste.kind === 'unexplained' || !price || !bill) return { waste, doubt: '' };
  const replayed = price * time.replicaSeconds(cooldown, minReplicas);
  if (Math.abs(offBy(replayed, bill) ?? 0) <= maxReplayError) return { waste, doubt: '' };
  const doubt = `at the price and the settings of now, its replicas cost ${dollars(replayed)}, and the bill is ${dollars(bill.most)}`;
  return { waste: undefined, doubt: `what other settings of ${app} save is not known: ${doubt}` };
}

function wasteOf(facts: WasteFacts): Waste | undefined {
  const { cooldown, minReplicas, time, rangeMs } = facts;
  const lived = time.replicaSeconds(cooldown, minReplicas);
  const smallCents = (leastSavedCents * rangeMs) / monthMs;
  if (lived === 0) return costWithoutCalls(facts, smallCents);
  if (time.unknownCalls > 0.1 * time.calls || lived - time.busySeconds < least.idle * lived) return undefined;
  const wastes = [fewerReplicas(facts, lived), shorterCooldown(facts, lived)].filter((waste) => waste !== undefined);
  const [largest] = wastes.sort((a, b) => (b.savesSeconds ?? 0) - (a.savesSeconds ?? 0));
  const isLarge =
    (largest?.savesSeconds ?? 0) >= least.saved * paidSeconds(facts, lived) &&
    (largest?.savesCents ?? smallCents) >= smallCents;
  return isLarge ? largest : undefined;
}

function costWithoutCalls({ app, bill, since }: WasteFacts, smallCents: number): Waste | undefined {
  if (!bill?.least || bill.least < smallCents) return undefined;
  const why = 'it costs something, but had no calls and keeps no replicas';
  return { kind: 'unexplained', why, since, ...nothingKnown, argv: gantryCommand`apps containers ${app}`.argv };
}

const nothingKnown = { advice: '', savesCents: null, savesSeconds: null, moreColdStarts: null };

function fewerReplicas(facts: WasteFacts, lived: number): Waste | undefined {
  const { app, minReplicas, cooldown, time } = facts;
  if (minReplicas < 1) return undefined;
  const saves = (replicas: number) =>
    lived - time.replicaSeconds(cooldown, replicas) - (replicas > 0 ? 0 : startSeconds(time, time.starts(cooldown)));
  // One replica that is kept spares most callers a cold start.
  const to = minReplicas > 1 && saves(1) >= 0.6 * saves(0) ? 1 : 0;
  const kept = `min_replicas keeps ${count(minReplicas, 'replica')}`;
  const isUnused = time.calls === 0 && time.busySeconds === 0;
  return {
    kind: isUnused ? 'unused' : 'min-replicas',
    why: isUnused ? `no calls, and ${kept}` : `${kept}, which work ${percent(time.busySeconds / lived)} of the time`,
    ...priced(facts, {
      change: `min_replicas ${to}`,
      seconds: saves(to),
      lived,
      moreColdStarts: to > 0 ? null : Math.max(0, time.starts(cooldown) - time.coldStarts),
    }),
    argv: gantryCommand`apps scale ${app} --min-replicas ${String(to)}`.argv,
  };
}

/** The longest cooldown that saves four fifths of what the best one does. */
function shorterCooldown(facts: WasteFacts, lived: number): Waste | undefined {
  const { app, minReplicas, cooldown, time } = facts;
  const moreStarts = (to: number) => time.starts(to) - time.starts(cooldown);
  const saves = (to: number) => lived - time.replicaSeconds(to, minReplicas) - startSeconds(time, moreStarts(to));
  const candidates = lowerCooldowns.filter((each) => each < cooldown).map((to) => ({ to, seconds: saves(to) }));
  const best = candidates.reduce((most, { seconds }) => Math.max(most, seconds), 0);
  const chosen = candidates.findLast(({ seconds }) => seconds > 0 && seconds >= 0.8 * best);
  if (!chosen || time.calls === 0) return undefined;
  return {
    kind: 'cooldown',
    why: `cooldown keeps a replica ${duration(cooldown * 1000)} after a call of ${duration(time.medianRuntimeMs())}`,
    ...priced(facts, {
      change: `${cooldownWord(chosen.to)} cooldown`,
      seconds: chosen.seconds,
      lived,
      moreColdStarts: moreStarts(chosen.to),
    }),
    argv: gantryCommand`apps scale ${app} --cooldown ${`${chosen.to}s`}`.argv,
  };
}

function startSeconds(time: ReplicaTime, starts: number): number {
  return (Math.max(0, starts) * time.medianColdStartMs()) / 1000;
}

interface Saving {
  change: string;
  /** What it saves and what there is, by the replay, in seconds of replicas. */
  seconds: number;
  lived: number;
  moreColdStarts: number | null;
}

/** It saves the share that the replay says, of what was paid; and never more than was idle. */
function priced(facts: WasteFacts, { change, seconds, lived, moreColdStarts }: Saving) {
  const { price, since, time, rangeMs } = facts;
  const paid = paidSeconds(facts, lived);
  const savesSeconds = Math.min((seconds * paid) / lived, Math.max(0, paid - time.busySeconds));
  const savesCents = price * savesSeconds;
  const startMs = time.medianColdStartMs();
  const waiting =
    moreColdStarts === null
      ? 'more cold starts'
      : `${count(moreColdStarts, 'more cold start')}${startMs > 0 && moreColdStarts > 0 ? ` of ${duration(startMs)}` : ''}`;
  const centsPerMonth = (-savesCents * monthMs) / rangeMs;
  const advice = priceSentence({ changes: [change], waiting, centsPerMonth });
  return { advice, since, savesSeconds, savesCents: roundCents(savesCents), moreColdStarts };
}

/** Paid seconds by the bill, if there is one; where that leaves it open, as long as the replay says. */
function paidSeconds({ price, bill }: WasteFacts, lived: number): number {
  if (!price || !bill) return lived;
  return Math.min(bill.most, Math.max(bill.least, price * lived)) / price;
}

export const monthMs = 30 * dayMs;
/** In US cents a month: nobody changes settings for less. */
export const leastSavedCents = 100;

interface PriceChange {
  /** `20m cooldown`. */
  changes: readonly string[];
  /** What callers wait for then: `p90 5.4 s`. */
  waiting: string;
  /** More than now, in 30 days; NaN if the price is not known. */
  centsPerMonth: number;
}

/** What a change of the scaling costs, in waiting and in money: `20m cooldown: p90 5.4 s, +$279 a month`. */
export function priceSentence({ changes, waiting, centsPerMonth }: PriceChange): string {
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
