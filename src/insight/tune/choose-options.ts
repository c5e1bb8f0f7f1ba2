import { gantryCommand } from '../../kernel/command-line.ts';
import { dollars, duration } from '../../kernel/output/format.ts';
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
function isTrifle(wish: Wish, now: Outcome, { centsPerMonth }: Outcome): boolean {
  if (wish.option !== 'cheapest' || !isKept(wish, now)) return false;
  return now.centsPerMonth !== null && centsPerMonth !== null && now.centsPerMonth - centsPerMonth < leastSavedCents;
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

const settings: {
  name: keyof ScalingSettings;
  flag?: string;
  word: (value: number) => string;
  say: (value: number) => string;
}[] = [
  { name: 'minReplicas', flag: '--min-replicas', word: String, say: (value) => `min_replicas ${value}` },
  { name: 'maxReplicas', flag: '--max-replicas', word: String, say: (value) => `max_replicas ${value}` },
  {
    name: 'cooldownSeconds',
    flag: '--cooldown',
    word: cooldownWord,
    say: (value) => `${cooldownWord(value)} cooldown`,
  },
  { name: 'concurrency', word: String, say: (value) => `replica_concurrency ${value}` },
];

function optionOf(
  { option, within }: Wish,
  outcome: Outcome,
  { app, now }: { app: string; now: Outcome },
): TunedOption {
  const changed = settings.filter(({ name }) => outcome[name] !== now[name]);
  const flags = Object.fromEntries(
    changed.flatMap(({ name, flag, word }) => (flag ? [[flag, word(outcome[name])]] : [])),
  );
  const argv = Object.keys(flags).length === 0 ? null : gantryCommand`apps scale ${app} ${flags}`.argv;
  const needsDeploy = outcome.concurrency !== now.concurrency;
  const changes = changed.map(({ name, say }) => say(outcome[name]));
  const cents =
    outcome.centsPerMonth === null || now.centsPerMonth === null
      ? undefined
      : outcome.centsPerMonth - now.centsPerMonth;
  const advice =
    changes.length === 0
      ? ''
      : priceSentence({ changes, waiting: `p90 ${duration(outcome.p90Ms)}`, centsPerMonth: cents });
  return { option, within, ...outcome, argv, needsDeploy, advice };
}

/** The one with the least of the first measure, and of the next ones among equals. */
function least(outcomes: readonly Outcome[], measures: readonly ((outcome: Outcome) => number)[]): Outcome | undefined {
  return outcomes.toSorted((a, b) => {
    const first = measures.find((measure) => measure(a) !== measure(b));
    return first ? first(a) - first(b) : 0;
  })[0];
}
