import { gantryCommand } from '../../command-line.ts';
import { dollars, duration } from '../../output/format.ts';
import type { Outcome, ScalingSettings, ServiceLevel, TunedOption } from './advice.ts';
import { settingsKey } from './candidates.ts';

interface Wishes {
  app: string;
  slo: ServiceLevel | undefined;
  /** US cents in 30 days. */
  budgetCents: number | undefined;
}

/** The settings of now, the cheapest ones that are fast enough, and the fastest ones that are cheap enough. */
export function chooseOptions(
  outcomes: readonly Outcome[],
  wishes: Wishes,
): { options: TunedOption[]; missed: string } {
  const { app, slo, budgetCents } = wishes;
  const now = outcomes[0] as Outcome;
  const quantile = slo?.quantile ?? 'p90';
  const mostMs = slo?.ms ?? now.p90;
  const cost = (outcome: Outcome) => outcome.monthCents ?? outcome.replicaSeconds;
  const mostCost = budgetCents ?? cost(now);
  const cheapest = least(
    outcomes.filter((each) => each[quantile] <= mostMs),
    [cost, (each) => each[quantile], (each) => each.coldStarts],
  );
  const fastest = least(
    outcomes.filter((each) => cost(each) <= mostCost),
    [(each) => each[quantile], (each) => each.coldStarts, cost],
  );
  const quick = slo ? `${quantile} < ${duration(mostMs)}` : 'no slower than now';
  const cheap = budgetCents === undefined ? 'no dearer than now' : `at most ${dollars(budgetCents)} a month`;
  const options: TunedOption[] = [{ option: 'now', within: '', ...now, argv: null, needsDeploy: false }];
  if (cheapest) options.push(optionOf('cheapest', quick, cheapest, { app, now }));
  if (fastest) options.push(optionOf('fastest', cheap, fastest, { app, now }));
  const best = least(outcomes, [(each) => each[quantile]]) as Outcome;
  const lowest = least(outcomes, [cost]) as Outcome;
  const missed = [
    cheapest ? '' : `no settings have ${quick}: the fastest have ${duration(best[quantile])}`,
    fastest ? '' : `no settings cost ${cheap}: the cheapest cost ${dollars(lowest.monthCents ?? 0)}`,
  ];
  return { options, missed: missed.filter(Boolean).join('; ') };
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
  option: 'cheapest' | 'fastest',
  within: string,
  outcome: Outcome,
  { app, now }: { app: string; now: ScalingSettings },
): TunedOption {
  const isSame = settingsKey(outcome) === settingsKey(now);
  const flag = (name: string, from: number, to: number, word: (value: number) => string = String) =>
    from === to ? {} : { [name]: word(to) };
  const flags = {
    ...flag('--min-replicas', now.minReplicas, outcome.minReplicas),
    ...flag('--max-replicas', now.maxReplicas, outcome.maxReplicas),
    ...flag('--cooldown', now.cooldown, outcome.cooldown, durationWord),
  };
  const argv = isSame || Object.keys(flags).length === 0 ? null : gantryCommand`apps scale ${app} ${flags}`.argv;
  return { option, within, ...outcome, argv, needsDeploy: outcome.concurrency !== now.concurrency };
}

/** `20m` of 1200 seconds. */
function durationWord(seconds: number): string {
  if (seconds % 3_600 === 0) return `${seconds / 3_600}h`;
  return seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
}

/** The one with the least of the first measure, and of the next ones among equals. */
function least(outcomes: readonly Outcome[], measures: readonly ((outcome: Outcome) => number)[]): Outcome | undefined {
  return outcomes.toSorted((a, b) => {
    const first = measures.find((measure) => measure(a) !== measure(b));
    return first ? first(a) - first(b) : 0;
  })[0];
}
