import { gantryCommand } from '../../command-line.ts';
import { dollars, duration } from '../../output/format.ts';
import { cooldownWord, leastSavedCents, priceSentence } from '../cost/index.ts';
import type { Outcome, ScalingSettings, ServiceLevel, TunedOption } from './advice.ts';
import { isKept, type Wish } from './search-settings.ts';

interface Limits {
  slo: ServiceLevel | undefined;
  /** US cents in 30 days. */
  budgetCents: number | undefined;
}

/** The cheapest settings that are fast enough, and the fastest ones that are cheap enough: as now, if nothing else is said. */
export function wishesOf(now: Outcome, { slo, budgetCents }: Limits): Wish[] {
  const wait = (outcome: Outcome) => outcome[slo?.quantile ?? 'p90'];
  const starts = ({ coldStarts }: Outcome) => coldStarts;
  const cost = ({ monthCents, replicaSeconds }: Outcome) => monthCents ?? replicaSeconds;
  const quick = slo ? `${slo.quantile} < ${duration(slo.ms)}` : 'no slower than now';
  const cheap = budgetCents === undefined ? 'no dearer than now' : `at most ${dollars(budgetCents)} a month`;
  return [
    {
      ...{ option: 'cheapest', within: quick, limited: wait, most: slo?.ms ?? now.p90, with: 'longer' },
      least: [cost, wait, starts],
      missed: (fastest) => `no settings have ${quick}: the fastest have ${duration(wait(fastest))}`,
    },
    {
      ...{ option: 'fastest', within: cheap, limited: cost, most: budgetCents ?? cost(now), with: 'shorter' },
      least: [wait, starts, cost],
      missed: ({ monthCents }) => `no settings cost ${cheap}: the cheapest cost ${dollars(monthCents ?? 0)}`,
    },
  ];
}

/** The settings of now, which are the first, and for each wish those that keep it best. */
export function chooseOptions(
  outcomes: readonly Outcome[],
  { app, wishes }: { app: string; wishes: readonly Wish[] },
): { options: TunedOption[]; missed: string } {
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
function isTrifle(wish: Wish, now: Outcome, { monthCents }: Outcome): boolean {
  if (wish.option !== 'cheapest' || !isKept(wish, now)) return false;
  return now.monthCents !== null && monthCents !== null && now.monthCents - monthCents < leastSavedCents;
}

/** Those than which none is both cheaper and faster, the cheapest first. */
export function frontierOf(outcomes: readonly Outcome[]): Outcome[] {
  const byCost = outcomes.toSorted((a, b) => a.replicaSeconds - b.replicaSeconds || a.p90 - b.p90);
  let fastest = Number.POSITIVE_INFINITY;
  return byCost.filter(({ p90 }) => {
    const isFaster = p90 < fastest;
    fastest = Math.min(fastest, p90);
    return isFaster;
  });
}

function optionOf(
  { option, within }: Wish,
  outcome: Outcome,
  { app, now }: { app: string; now: Outcome },
): TunedOption {
  const flag = (name: string, from: number, to: number, word: (value: number) => string = String) =>
    from === to ? {} : { [name]: word(to) };
  const flags = {
    ...flag('--min-replicas', now.minReplicas, outcome.minReplicas),
    ...flag('--max-replicas', now.maxReplicas, outcome.maxReplicas),
    ...flag('--cooldown', now.cooldown, outcome.cooldown, cooldownWord),
  };
  const argv = Object.keys(flags).length === 0 ? null : gantryCommand`apps scale ${app} ${flags}`.argv;
  const needsDeploy = outcome.concurrency !== now.concurrency;
  return { option, within, ...outcome, argv, needsDeploy, advice: adviceOf(outcome, now) };
}

/** `20m cooldown: p90 5.4 s, +$279 a month`; empty for the settings of now. */
function adviceOf(outcome: Outcome, now: Outcome): string {
  const names: [keyof ScalingSettings, (value: number) => string][] = [
    ['minReplicas', (value) => `min_replicas ${value}`],
    ['maxReplicas', (value) => `max_replicas ${value}`],
    ['cooldown', (value) => `${cooldownWord(value)} cooldown`],
    ['concurrency', (value) => `replica_concurrency ${value}`],
  ];
  const changes = names.flatMap(([name, word]) => (outcome[name] === now[name] ? [] : word(outcome[name])));
  const { monthCents, p90 } = outcome;
  const cents = monthCents === null || now.monthCents === null ? undefined : monthCents - now.monthCents;
  return changes.length === 0 ? '' : priceSentence({ changes, waiting: `p90 ${duration(p90)}`, monthCents: cents });
}

/** The one with the least of the first measure, and of the next ones among equals. */
function least(outcomes: readonly Outcome[], measures: readonly ((outcome: Outcome) => number)[]): Outcome | undefined {
  return outcomes.toSorted((a, b) => {
    const first = measures.find((measure) => measure(a) !== measure(b));
    return first ? first(a) - first(b) : 0;
  })[0];
}
