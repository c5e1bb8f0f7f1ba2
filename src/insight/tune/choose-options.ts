import { gantryCommand } from '../../kernel/command-line.ts';
import { dollars, duration, roundCents } from '../../kernel/output/format.ts';
import type { Scaling } from '../../platform/scaling.ts';
import { cooldownWord, leastSavedCents, monthMs, priceSentence } from '../cost/index.ts';
import type { Outcome, ScalingSettings, ServiceLevel, TunedOption } from './advice.ts';
import { coldStartsOf, latencyOf } from './fit-model.ts';
import { type CallTrace, type ReplicaModel, replayCalls } from './replay.ts';

interface TuneLimits {
  slo: ServiceLevel | undefined;
  /** US cents in 30 days. */
  budgetCents: number | undefined;
}

/** The cheapest settings that are fast enough, and the fastest ones that are cheap enough: as now, if nothing else is said. */
export function wishesOf(now: Outcome, { slo, budgetCents }: TuneLimits): Wish[] {
  const wait = (outcome: Outcome) => outcome[`${slo?.quantile ?? 'p90'}Ms`];
  const starts = ({ coldStarts }: Outcome) => coldStarts;
  const cost = ({ centsPerMonth, replicaSeconds }: Outcome) => centsPerMonth ?? replicaSeconds;
  const quick = slo ? `${slo.quantile} < ${duration(slo.ms)}` : 'no slower than now';
  const cheap = budgetCents === undefined ? 'no dearer than now' : `at most ${dollars(budgetCents)} a month`;
  return [
    {
      option: 'cheapest',
      within: quick,
      limited: wait,
      most: slo?.ms ?? now.p90Ms,
      least: [cost, wait, starts],
      missed: (fastest) => `no settings have ${quick}: the fastest have ${duration(wait(fastest))}`,
    },
    {
      option: 'fastest',
      within: cheap,
      limited: cost,
      most: budgetCents ?? cost(now),
      least: [wait, starts, cost],
      missed: ({ centsPerMonth }) => `no settings cost ${cheap}: the cheapest cost ${dollars(centsPerMonth ?? 0)}`,
    },
  ];
}

/** The settings of now, which are the first, and for each wish those that keep it best. */
export function chooseOptions(outcomes: readonly Outcome[], { app, wishes }: { app: string; wishes: readonly Wish[] }) {
  const now = outcomes[0] as Outcome;
  const options: TunedOption[] = [{ option: 'now', within: '', ...now, argv: null, needsDeploy: false, advice: '' }];
  const missed: string[] = [];
  for (const wish of wishes) {
    const best = least(
      outcomes.filter((each) => isKept(wish, each)),
      wish.least,
    );
    if (!best) missed.push(wish.missed(least(outcomes, [wish.limited]) as Outcome));
    else options.push(optionOf(wish, isTrifle(wish, now, best) ? now : best, { app, now }));
  }
  return { options, missed: missed.join('; ') };
}

/** Nobody changes settings to save less than a dollar a month. */
function isTrifle(wish: Wish, now: Outcome, best: Outcome): boolean {
  return wish.option === 'cheapest' && isKept(wish, now) && savedCents(now, best) < leastSavedCents;
}

/** NaN if the price is not known. */
function savedCents(now: Outcome, { centsPerMonth }: Outcome): number {
  return (now.centsPerMonth ?? Number.NaN) - (centsPerMonth ?? Number.NaN);
}

/** Those than which none is both cheaper and faster, the cheapest first. */
export function frontierOf(outcomes: readonly Outcome[]): Outcome[] {
  const byCost = outcomes.toSorted((a, b) => a.replicaSeconds - b.replicaSeconds || a.p90Ms - b.p90Ms);
  let fastest = Number.POSITIVE_INFINITY;
  return byCost.filter(({ p90Ms }) => {
    const isFaster = p90Ms < fastest;
    fastest = Math.min(fastest, p90Ms);
    return isFaster;
  });
}

/** The settings of the scaling, as the config file and `gantry apps scale` name and write them. */
export const scalingSettings: {
  name: keyof ScalingSettings;
  key: string;
  flag?: string;
  word: (value: number) => string;
}[] = [
  { name: 'minReplicas', key: 'min_replicas', flag: '--min-replicas', word: String },
  { name: 'maxReplicas', key: 'max_replicas', flag: '--max-replicas', word: String },
  { name: 'cooldownSeconds', key: 'cooldown', flag: '--cooldown', word: cooldownWord },
  { name: 'concurrency', key: 'replica_concurrency', word: String },
];

function optionOf({ option, within }: Wish, outcome: Outcome, { app, now }: { app: string; now: Outcome }) {
  const changed = scalingSettings.filter(({ name }) => outcome[name] !== now[name]);
  const flags = Object.fromEntries(
    changed.flatMap(({ name, flag, word }) => (flag ? [[flag, word(outcome[name])]] : [])),
  );
  const argv = Object.keys(flags).length === 0 ? null : gantryCommand`apps scale ${app} ${flags}`.argv;
  const needsDeploy = outcome.concurrency !== now.concurrency;
  const changes = changed.map(({ name, key, word }) =>
    key === 'cooldown' ? `${word(outcome[name])} cooldown` : `${key} ${word(outcome[name])}`,
  );
  const advice =
    changes.length === 0
      ? ''
      : priceSentence({ changes, waiting: `p90 ${duration(outcome.p90Ms)}`, centsPerMonth: -savedCents(now, outcome) });
  return { option, within, ...outcome, argv, needsDeploy, advice };
}

/** The one with the least of the first measure, and of the next ones among equals. */
function least(outcomes: readonly Outcome[], measures: readonly ((outcome: Outcome) => number)[]): Outcome | undefined {
  return outcomes.toSorted((a, b) => {
    const first = measures.find((measure) => measure(a) !== measure(b));
    return first ? first(a) - first(b) : 0;
  })[0];
}

/**
 * What is wanted of settings: that a measure of theirs is at most so much, and another one as small as can be. Longer
 * cooldowns keep the limit of the cheapest, shorter ones that of the fastest.
 */
interface Wish {
  option: 'cheapest' | 'fastest';
  /** `p90 < 6 s`. */
  within: string;
  most: number;
  limited: SettingMeasure;
  /** The first one counts, the next ones among equals. */
  least: readonly [SettingMeasure, ...SettingMeasure[]];
  /** What is said if no settings keep it. */
  missed: (nearest: Outcome) => string;
}

type SettingMeasure = (outcome: Outcome) => number;
type ReplaySettings = (settings: ScalingSettings) => Promise<Outcome>;

/** In seconds: where the search begins. */
const coarse = [10, 60, 180, 600, 1_800, 3_600];

/**
 * Replays settings around those of now, which are the first: cooldowns far apart, then between the last that misses a wish
 * and the first that keeps it, for each number of replicas and of calls at once where that may be the best one.
 */
export async function searchSettings(
  replay: ReplaySettings,
  now: Outcome,
  { concurrencies, wishes }: { concurrencies: readonly number[]; wishes: readonly Wish[] },
): Promise<Outcome[]> {
  const cooldowns = [...new Set([...coarse, now.cooldownSeconds])].sort((a, b) => a - b);
  const families: Outcome[][] = [];
  for (const others of neighbors(now, concurrencies)) {
    const family: Outcome[] = [];
    for (const cooldownSeconds of cooldowns) family.push(await replay({ ...others, cooldownSeconds }));
    families.push(family);
  }
  for (const wish of wishes) for (const family of families) await bisect(replay, family, wish, families);
  return [now, ...families.flat().filter((each) => settingsKey(each) !== settingsKey(now))];
}

function isKept({ limited, most }: Wish, outcome: Outcome): boolean {
  return limited(outcome) <= most;
}

/** Adds what it replays to the family, whose cooldowns ascend. */
async function bisect(replay: ReplaySettings, family: Outcome[], wish: Wish, families: readonly Outcome[][]) {
  const [measure] = wish.least;
  const isCheapest = wish.option === 'cheapest';
  const kept = families.flat().filter((each) => isKept(wish, each));
  const best = kept.reduce((least, each) => Math.min(least, measure(each)), Number.POSITIVE_INFINITY);
  for (;;) {
    const at = family.findIndex((each) => isKept(wish, each) === isCheapest);
    const low = family[at - 1];
    const high = family[at];
    if (!low || !high) return;
    const cooldownSeconds = between(low.cooldownSeconds, high.cooldownSeconds);
    // What is between them is no better than the one that misses the wish.
    if (cooldownSeconds === undefined || measure(isCheapest ? low : high) >= best) return;
    family.splice(at, 0, await replay({ ...high, cooldownSeconds }));
  }
}

/** A cooldown that people would write; undefined if there is none. */
function between(low: number, high: number): number | undefined {
  const step = high > 600 ? 60 : high > 120 ? 30 : 10;
  const middle = step * Math.round((low + high) / 2 / step);
  return middle > low && middle < high ? middle : undefined;
}

/** All but the cooldown: those with fewer replicas at most first. */
function neighbors({ minReplicas, maxReplicas }: ScalingSettings, concurrencies: readonly number[]) {
  const half = concurrencies.length > 1 ? maxReplicas : Math.ceil(maxReplicas / 2);
  const maxima = [...new Set([half, maxReplicas, 2 * maxReplicas])];
  const minima = minReplicas > 2 ? [0, 1, minReplicas] : [0, 1, 2];
  return maxima.flatMap((most) =>
    minima
      .filter((least) => least <= most)
      .flatMap((least) => concurrencies.map((concurrency) => ({ minReplicas: least, maxReplicas: most, concurrency }))),
  );
}

export function settingsKey({ minReplicas, maxReplicas, cooldownSeconds, concurrency }: ScalingSettings): string {
  return [minReplicas, maxReplicas, cooldownSeconds, concurrency].join('/');
}

interface ReplayOptions {
  model: ReplicaModel;
  /** US cents per second; NaN if it is not known. */
  price: number;
  /** Awaited before each replay. */
  onReplay: (done: number) => Promise<void>;
}

/** Returns what tells what settings would have meant. Those that cannot differ from others are not replayed. */
export function replayer(
  trace: CallTrace,
  { model, price, onReplay }: ReplayOptions,
): (settings: ScalingSettings) => Promise<Outcome> {
  let done = 0;
  /** Where no call was held back by the most replicas that there may be: more of them change nothing. */
  const unlimited = new Map<string, Outcome>();
  return async ({ minReplicas, maxReplicas, cooldownSeconds, concurrency }) => {
    const settings = { minReplicas, maxReplicas, cooldownSeconds, concurrency };
    const others = settingsKey({ ...settings, maxReplicas: 0 });
    const same = unlimited.get(others);
    if (same && same.maxReplicas <= maxReplicas) return { ...same, ...settings };
    await onReplay(done++);
    const { isLimited, outcome } = replayed(trace, settings, { model, price });
    if (!isLimited) unlimited.set(others, outcome);
    return outcome;
  };
}

export function scalingToReplay({ minReplicas, maxReplicas, cooldownSeconds, concurrency }: ScalingSettings): Scaling {
  return { minReplicas, maxReplicas, concurrency, cooldownMs: cooldownSeconds * 1000 };
}

function replayed(
  trace: CallTrace,
  settings: ScalingSettings,
  { model, price }: Pick<ReplayOptions, 'model' | 'price'>,
): { isLimited: boolean; outcome: Outcome } {
  const { days, replicaSeconds, isLimited } = replayCalls(trace, scalingToReplay(settings), model);
  const latency = latencyOf(days);
  const month = monthMs / (trace.until - trace.since);
  const at = (share: number) => Math.round(latency.quantile(share));
  const outcome = {
    ...settings,
    coldStarts: coldStartsOf(days),
    p50Ms: at(0.5),
    p90Ms: at(0.9),
    p95Ms: at(0.95),
    p99Ms: at(0.99),
    replicaSeconds,
    centsPerMonth: roundCents(price * replicaSeconds * month),
  };
  return { isLimited, outcome };
}
