import type { LoadCalls } from '../../api/load-calls.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { groupDigits } from '../../output/format.ts';
import { type CallTarget, callOrThrow, prepareCall, readResponse } from '../invoke/index.ts';
import { fetchApp } from '../replies/index.ts';
import { cleanupSignal } from '../waiting/index.ts';
import { approveLoad } from './approve-load.ts';
import type { BenchReport, BenchStep } from './bench-report.ts';
import { findLimit } from './find-limit.ts';
import { runOpenLoop } from './open-loop.ts';
import { type CallRecords, readServerHalf } from './server-half.ts';
import { ReplicaSpending } from './spending.ts';
import { StepCalls } from './step-calls.ts';
import { type AppFacts, keepsUp, meanAppMs, secondsOf, summarizeStep } from './summarize-step.ts';

export interface BenchOptions {
  app: string;
  /** As of `invoke`: function and parameters, and the body. */
  args: string[];
  data?: string | undefined;
  input?: string | undefined;
  method?: string | undefined;
  path?: string | undefined;
  header?: string[] | undefined;
  auth: boolean;
  /** Calls a second; a search for the limit without them. */
  rates: readonly number[] | undefined;
  /** Of each step, in ms. */
  stepMs: number;
  /** US dollars. */
  budget?: number | undefined;
  callTimeoutMs: number;
  /** The file that names the app of this folder. */
  configFile: string;
}

/** A call that takes less in the app says nothing about how many it takes: the platform counts whole ms. */
const shortestMs = 5;

/** Calls an app at one rate after the other, and says what each costs and where its time goes. */
export async function runBench(context: Context, options: BenchOptions): Promise<BenchReport> {
  const { rates, stepMs, callTimeoutMs } = options;
  const { call, auth } = await prepareCall(context, { ...options }, undefined);
  const { body } = call;
  if (body && !(body instanceof Uint8Array)) throw new UsageError('the body is too large to be sent again and again');
  const facts = await readFacts(context, call.target);
  await approveLoad(context, { ...options, target: call.target, facts });
  // One that fails says why; and what the first replica takes to start is not measured.
  const spending = spendingOf(context, call.target, facts);
  await readResponse(await callOrThrow(context, call, auth), context.elapsed);
  const { openLoadCalls } = await import('../../api/load-calls.ts');
  const { method, url, headers } = call;
  const { proxy } = context.settings;
  const load = await openLoadCalls({ method, url, headers, body, proxy, silenceMs: callTimeoutMs });
  const bench = new Bench(context, { ...options, load, facts, spending, name: call.target.name });
  try {
    if (rates) await bench.runAll(rates);
    else await findLimit((rate) => bench.run(rate, Math.round((rate * stepMs) / 1_000)));
  } finally {
    load.close();
  }
  return bench.report(call.target);
}

async function readFacts({ api }: Context, { project, app }: CallTarget): Promise<AppFacts> {
  const { costPerSecondCents, cooldownPeriodSeconds, minReplicaCount, maxReplicaCount, replicaConcurrency } =
    await fetchApp(api, { project, app });
  return {
    price: costPerSecondCents || undefined,
    cooldown: cooldownPeriodSeconds ?? 0,
    minReplicas: minReplicaCount ?? 0,
    maxReplicas: maxReplicaCount ?? 1,
    concurrency: replicaConcurrency ?? 1,
  };
}

function spendingOf(context: Context, { app }: CallTarget, { price, ...facts }: AppFacts): ReplicaSpending | undefined {
  return price === undefined ? undefined : new ReplicaSpending(context, app, { ...facts, price });
}

interface BenchSettings extends Pick<BenchOptions, 'stepMs' | 'budget' | 'callTimeoutMs'> {
  load: LoadCalls;
  facts: AppFacts;
  spending: ReplicaSpending | undefined;
  /** As shown to the user. */
  name: string;
}

class Bench {
  readonly #steps: { calls: StepCalls; busy: number }[] = [];
  #stoppedBy: BenchReport['stoppedBy'] = null;

  constructor(
    private readonly context: Context,
    private readonly settings: BenchSettings,
  ) {
    context.interruption.message = 'stopping; what was measured follows';
  }

  async runAll(rates: readonly number[]): Promise<void> {
    for (const rate of rates) {
      const kept = await this.run(rate, Math.max(1, Math.round((rate * this.settings.stepMs) / 1_000)));
      if (kept === 'over') return;
    }
  }

  /** Whether the app kept up, or no more calls are to be made. */
  async run(rate: number, count: number): Promise<boolean | 'over'> {
    const { context, settings } = this;
    const { load, name, callTimeoutMs: timeoutMs } = settings;
    const { signal } = context;
    const calls = new StepCalls(rate, Math.max(1, count), context.platformNow());
    const [cpu, started] = [process.cpuUsage(), performance.now()];
    const step = context.progress.step(`Calling ${name} ${rateText(rate)}`);
    const onProgress = () => step.update({ text: progressText(calls) });
    await runOpenLoop(load, calls, { timeoutMs, signal, isOver: () => this.#isOver(calls), onProgress });
    step.clear();
    const { user, system } = process.cpuUsage(cpu);
    const busy = (user + system) / 1_000 / Math.max(1, performance.now() - started);
    if (calls.sent > 0) this.#steps.push({ calls, busy });
    if (signal.aborted) this.#stoppedBy = 'interrupt';
    return this.#stoppedBy ? 'over' : keepsUp(calls);
  }

  async report({ app, fn = '', name }: CallTarget): Promise<BenchReport> {
    const { facts, budget } = this.settings;
    const all = this.#steps.map(({ calls }) => calls);
    const records = await this.#readRecords(app, all);
    const steps = this.#steps.map(({ calls, busy }) =>
      summarizeStep(calls, records.get(calls) ?? new Map(), facts, { busy }),
    );
    this.#warn(steps);
    const held = steps.filter(({ holds }) => holds).map(({ rate }) => rate);
    const broken = steps.filter(({ holds, calls }) => !holds && calls > 0 && !this.#stoppedBy).map(({ rate }) => rate);
    const appMs = meanAppMs(steps);
    const { maxReplicas: replicas, concurrency } = facts;
    return {
      ...{ app, function: fn || name.slice(app.length + 1), steps },
      holds: held.length > 0 ? Math.max(...held) : null,
      breaksAt: broken.length > 0 ? Math.min(...broken) : null,
      allows:
        appMs && appMs >= shortestMs
          ? { rate: (replicas * concurrency * 1_000) / appMs, replicas, concurrency, appMs }
          : null,
      calls: all.reduce((sum, { sent }) => sum + sent, 0),
      found: [...records.values()].reduce((sum, { size }) => sum + size, 0),
      costCents: this.settings.spending?.centsIfEndedNow(0) ?? null,
      budgetCents: budget === undefined ? null : budget * 100,
      stoppedBy: this.#stoppedBy,
      seconds: all.flatMap(secondsOf),
    };
  }

  /** Calls in flight will keep the replicas busy for a while. */
  #isOver(calls: StepCalls): boolean {
    const { spending, budget, facts } = this.settings;
    spending?.look();
    if (!spending || budget === undefined) return false;
    const ended = calls.ended > 0 ? calls.durationMs(calls.ended - 1) || 0 : 0;
    const backlogMs = Math.min(ended, (calls.inFlight * ended) / (facts.maxReplicas * facts.concurrency));
    if (spending.centsIfEndedNow(backlogMs) < budget * 100) return false;
    this.#stoppedBy = 'budget';
    return true;
  }

  async #readRecords(app: string, steps: readonly StepCalls[]): Promise<CallRecords> {
    const { context } = this;
    if (!context.signal.aborted) return readServerHalf(context, app, steps);
    const signal = cleanupSignal();
    const own: Context = Object.create(context, {
      signal: { value: signal },
      api: { value: context.apiWithSignal(signal) },
    });
    return readServerHalf(own, app, steps).catch(() => new Map());
  }

  #warn(steps: readonly BenchStep[]): void {
    const { progress } = this.context;
    for (const { rate, localLimit } of steps) {
      if (localLimit) progress.warn(`${rateText(rate)} is more than this machine can measure: ${localLimit}`);
    }
  }
}

function rateText(rate: number): string {
  return rate >= 1 ? `${groupDigits(rate)}/s` : `${Number((rate * 60).toPrecision(3))}/min`;
}

function progressText(calls: StepCalls): string {
  return `${groupDigits(calls.ended)} of ${groupDigits(calls.count)}, ${groupDigits(calls.inFlight)} in flight`;
}
