import { factsOf } from '../../calls/replica-budget.ts';
import { hardwareFields, recordLook, scalingFields } from '../../deploys/history/index.ts';
import { pause } from '../../kernel/clock.ts';
import { CommandLine } from '../../kernel/command-line.ts';
import { dayMs } from '../../kernel/durations.ts';
import { LimitError } from '../../kernel/errors.ts';
import { count, dollars, duration, toMs } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import type { App } from '../../platform/contract/apps.ts';
import { getAppCost } from '../../platform/contract/billing.ts';
import { shortAppName } from '../../platform/contract/endpoint.ts';
import { fetchApp } from '../../platform/replies/index.ts';
import { tryRequest } from '../../platform/waiting/index.ts';
import { type Bill, billOf, maxReplayError, median, offBy } from '../cost/index.ts';
import { callsWithin, readRunDays } from '../run-mirror/index.ts';
import type { ScalingSettings, ServiceLevel } from './advice.ts';
import { chooseOptions, frontierOf, replayer, scalingToReplay, searchSettings, wishesOf } from './choose-options.ts';
import { type FittedModel, fitModel } from './fit-model.ts';
import { PastCalls } from './past-calls.ts';

/** What other scaling settings would have meant: the calls of the past, replayed by the emulator's rules for replicas. */
export {
  adviceVerdicts,
  type Outcome,
  outcomeFields,
  type ServiceLevel,
  type TunedOption,
  tunedOptionFields,
} from './advice.ts';
export { writeAdvice } from './write-scaling.ts';

interface TuneOptions {
  app: string;
  /** In ms since 1970, from the time of the platform. */
  since: ((now: number) => number) | undefined;
  slo: ServiceLevel | undefined;
  /** US cents in 30 days. */
  budgetCents: number | undefined;
}

const defaultMs = 14 * dayMs;
/** Fewer say too little about the next ones. */
const leastRuns = 200;
/** How many calls that overlapped, and how many that did not, it takes to compare how long they ran. */
const enoughToCompare = 50;

/** What other settings would have meant for the calls of an app. Null is what is not known. */
export type Advice = Awaited<ReturnType<typeof tuneApp>>;
export type AdviceError = NonNullable<Advice['predictionError']>;

/** Replays the calls of an app with other settings. Throws NotFoundError, and LimitError for a budget without a price. */
export async function tuneApp(context: Context, options: TuneOptions) {
  const { api, project } = context;
  const { app, budgetCents } = options;
  const name = shortAppName(project, app);
  const deployed = await fetchApp(api, { project, app });
  const { price, ...settings } = factsOf(deployed);
  if (budgetCents !== undefined && !price) {
    throw new LimitError(`what ${name} costs is not known`, { why: 'the platform returned no price of a replica' });
  }
  const past = await readPast(context, name, deployed, options);
  const advice = {
    app: name,
    since: new Date(past.since).toISOString(),
    until: new Date(past.until).toISOString(),
    calls: past.length,
    ...noAdvice,
  };
  if (past.length < leastRuns) {
    const reason = `${count(past.length, 'run')} since ${advice.since}, ${leastRuns} are needed`;
    return { ...advice, verdict: 'not enough runs' as const, reason };
  }
  const trace = past.trace();
  const fitted = fitModel(past, trace, scalingToReplay(settings));
  const { replicaSeconds, ...predictionError } = fitted.error;
  const replayedCents = price * replicaSeconds;
  const bill = price ? await readBill(context, app, past) : undefined;
  const cost = bill ? offBy(replayedCents, bill) : null;
  const assumptions = assumptionsOf(past, fitted, settings);
  const report = { ...advice, predictionError: { ...predictionError, costShare: cost }, assumptions };
  const reason = fitted.isOff ? unknownRules : mispriced(replayedCents, bill, cost ?? 0);
  if (reason !== undefined) return { ...report, verdict: 'not predictable' as const, reason };
  // What is said about a month agrees with what was paid.
  const billed = price / (1 + (cost ?? 0));
  const { model } = fitted;
  const replayed = await replayAll(context, { ...options, app: name, past, trace, settings, model, price: billed });
  return { ...report, verdict: 'advice' as const, ...replayed };
}

const noAdvice = {
  predictionError: null,
  options: [],
  frontier: [],
  tried: 0,
  assumptions: [],
  written: null,
};

const unknownRules = 'replicas started and ended by other rules than those that are known';

function mispriced(replayedCents: number, bill: Bill | undefined, cost: number): string | undefined {
  if (!bill || Math.abs(cost) <= maxReplayError) return undefined;
  return `at the price of now, these runs cost ${dollars(replayedCents)}, and the bill is ${dollars(bill.most)}`;
}

async function readPast(context: Context, name: string, deployed: App, { app, since }: TuneOptions) {
  const history = await recordLook(context, name, deployed);
  const now = context.platformNow();
  const from = Math.max(
    Math.floor((since?.(now) ?? now - defaultMs) / dayMs) * dayMs,
    toMs(deployed.createdAt) || 0,
    history.unchangedSince([...scalingFields, ...hardwareFields]),
  );
  const past = new PastCalls(Math.min(from, now), now);
  for await (const day of readRunDays(context, { app, since: past.since, until: past.until })) {
    past.add(day, callsWithin(day, past));
  }
  return past;
}

interface Replays extends TuneOptions {
  past: PastCalls;
  trace: ReturnType<PastCalls['trace']>;
  settings: ScalingSettings;
  model: FittedModel['model'];
  price: number;
}

async function replayAll(context: Context, { app, past, trace, settings, model, price, slo, budgetCents }: Replays) {
  const step = context.progress.step(`Replaying ${count(past.length, 'run')}`);
  const replay = replayer(trace, {
    model,
    price,
    onReplay: (done) => {
      step.update({ text: count(done, 'setting') });
      // Lets Ctrl-C through.
      return pause(0, context.signal);
    },
  });
  const current = await replay(settings);
  const wishes = wishesOf(current, { slo, budgetCents });
  const outcomes = await searchSettings(replay, current, { concurrencies: concurrencies(past, settings), wishes });
  step.clear();
  const { options, missed } = chooseOptions(outcomes, { app, wishes });
  const inPlace = (argv: readonly string[]) => context.inPlace(new CommandLine(argv)).argv;
  return {
    reason: missed,
    options: options.map((option) => ({ ...option, argv: option.argv && inPlace(option.argv) })),
    frontier: frontierOf(outcomes),
    tried: outcomes.length,
  };
}

/** What the platform charged for these calls, where it tells it. */
async function readBill(context: Context, app: string, past: PastCalls): Promise<Bill | undefined> {
  const reply = await tryRequest(context, (api) => api(getAppCost, { project: context.project, app }));
  return billOf(reply?.costs, past);
}

/** Those that can be predicted: calls must have overlapped in a replica, and run as fast as alone. */
function concurrencies(past: PastCalls, { concurrency }: ScalingSettings): number[] {
  if (!((overlapSlowdown(past) ?? Number.NaN) <= 1.15)) return [concurrency];
  const { mostAtOnce } = past;
  return [...new Set([concurrency, Math.ceil(mostAtOnce / 2), mostAtOnce])].filter(
    (each) => each <= Math.max(mostAtOnce, concurrency),
  );
}

/** How many times as long a call takes among others; undefined if too few overlapped. */
function overlapSlowdown({ overlapping, alone }: PastCalls): number | undefined {
  if (Math.min(overlapping.length, alone.length) < enoughToCompare) return undefined;
  return median(overlapping) / median(alone);
}

function assumptionsOf(past: PastCalls, { model }: FittedModel, settings: ScalingSettings): string[] {
  const { starts, unknown } = past;
  const start = median(starts.map(({ ms }) => ms));
  const slowdown = overlapSlowdown(past);
  const overlapped =
    slowdown === undefined
      ? 'too few calls overlapped in a replica to tell what another value does, gantry apps bench can'
      : `calls that overlapped in a replica ran ${slowdown.toFixed(2)} times as long as others`;
  return [
    'paid for is a replica from its start until cooldown after its last call, and min_replicas always',
    starts.length === 0
      ? 'no start was seen: starts take no time'
      : `a start takes ${duration(start)} (median of ${count(starts.length, 'start')})`,
    `a call goes to ${routingText[model.routing]}${model.sharesStarts ? ', and while one starts to any that is free before' : ''}: this fits the past best`,
    `replica_concurrency ${settings.concurrency}: ${overlapped}`,
    'calls are made when they were made, and run as long as they did',
    ...(unknown > 0 ? [`${count(unknown, 'call')} without a time or a duration: not replayed`] : []),
  ];
}

const routingText = {
  first: 'the oldest replica with a free slot',
  'in turn': 'the next replica in turn',
  'last used': 'the free replica that was used last',
};
