import {
  type CallTarget,
  callOrThrow,
  type InvokeOptions,
  prepareCall,
  readResponse,
} from '../../calls/invoke/index.ts';
import { type AppFacts, checkBudget, factsOf, ReplicaSpending } from '../../calls/replica-budget.ts';
import { findAppHere } from '../../deploys/apps.ts';
import { gantryCommand } from '../../kernel/command-line.ts';
import { InputNeededError, UsageError } from '../../kernel/errors.ts';
import { count, dollars, duration, groupDigits, roundCents } from '../../kernel/output/format.ts';
import type { LoadCalls } from '../../platform/api/load-calls.ts';
import type { Context } from '../../platform/context.ts';
import { shortAppName } from '../../platform/contract/endpoint.ts';
import { fetchApp } from '../../platform/replies/index.ts';
import { cleanupSignal, contextUntil } from '../../platform/waiting/index.ts';
import { readServerHalf } from './server-half.ts';
import { runOpenLoop, StepCalls } from './step-calls.ts';
import { type BenchStep, keepsUp, meanAppMs, secondsOf, summarizeStep } from './summarize-step.ts';

export type { BenchStep, CallParts } from './summarize-step.ts';

/** What a bench measured. Null is what nobody has told. */
export type BenchReport = Awaited<ReturnType<typeof runBench>>;

/** What is called, as of `invoke`, and how often. */
interface BenchOptions
  extends Pick<InvokeOptions, 'app' | 'args' | 'data' | 'input' | 'method' | 'path' | 'header' | 'auth'> {
  /** Calls a second; a search for the limit without them. */
  rates: readonly number[] | undefined;
  /** How long each step takes, in ms. */
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
export async function runBench(context: Context, options: BenchOptions) {
  const { rates, callTimeoutMs } = options;
  const call = await prepareCall(context, { ...options }, undefined);
  const { body } = call;
  if (body && !(body instanceof Uint8Array)) throw new UsageError('the body is too large to be sent again and again');
  const { project, app } = call.target;
  const facts = factsOf(await fetchApp(context.api, { project, app }));
  await approveLoad(context, { ...options, target: call.target, facts });
  // One that fails says why; and what the first replica takes to start is not measured.
  const spending = new ReplicaSpending(context, app, facts);
  const { durationMs: firstMs } = await readResponse(await callOrThrow(context, call), context.elapsed);
  const { openLoadCalls } = await import('../../platform/api/load-calls.ts');
  const { method, url, headers } = call;
  const { proxy } = context.settings;
  const load = await openLoadCalls({ method, url, headers, body, proxy, silenceMs: callTimeoutMs });
  const bench = new Bench(context, { ...options, target: call.target, load, facts, spending, firstMs });
  try {
    const run = (rate: number) => bench.run(rate);
    if (rates) await inOrder(rates, run);
    else await findLimit(run);
  } finally {
    load.close();
  }
  return bench.report();
}

type BenchRun = (rate: number) => Promise<boolean | 'over'>;

async function inOrder(rates: readonly number[], run: BenchRun): Promise<void> {
  for (const rate of rates) if ((await run(rate)) === 'over') return;
}

/** How close the search comes to the limit. */
const precision = 1.2;
const first = 1;
const highest = 2_048;

/**
 * Looks for the rate at which an app no longer keeps up: twice as many calls a second each time, and then between the last
 * two. `step` says whether the app kept up, or that the search is over.
 */
export async function findLimit(step: BenchRun): Promise<void> {
  let holds = 0;
  let breaksAt = Number.POSITIVE_INFINITY;
  for (let rate = first; holds < rate && rate < breaksAt; ) {
    const keptUp = await step(rate);
    if (keptUp === 'over') return;
    if (keptUp) holds = rate;
    else breaksAt = rate;
    if (breaksAt === Number.POSITIVE_INFINITY) rate *= 2;
    // Two digits say enough.
    else if (breaksAt / holds > precision) rate = Number(Math.sqrt(holds * breaksAt).toPrecision(2));
    if (rate > highest || holds === 0) return;
  }
}

interface BenchSettings extends Pick<BenchOptions, 'stepMs' | 'budget' | 'callTimeoutMs'> {
  load: LoadCalls;
  facts: AppFacts;
  spending: ReplicaSpending;
  /** How long the first call took, which has had no time limit. */
  firstMs: number;
  target: CallTarget;
}

class Bench {
  /** With the one that runs. */
  readonly #steps: StepCalls[] = [];
  #stoppedBy: 'budget' | 'interrupt' | null = null;

  constructor(
    private readonly context: Context,
    private readonly settings: BenchSettings,
  ) {
    context.interruption.message = 'stopping; what was measured follows';
  }

  /** Whether the app kept up, or no more calls are to be made. */
  async run(rate: number): Promise<boolean | 'over'> {
    const { context, settings } = this;
    const { load, target, stepMs, callTimeoutMs: timeoutMs } = settings;
    const { signal } = context;
    const calls = new StepCalls(rate, callsIn(stepMs, rate), context.platformNow());
    const cpu = process.cpuUsage();
    const since = performance.now();
    const step = context.progress.step(`Calling ${target.name} ${rateText(rate)}`);
    const onProgress = () => step.update({ text: progressText(calls) });
    this.#steps.push(calls);
    await runOpenLoop(load, calls, { timeoutMs, signal, isOver: () => this.#isOver(calls), onProgress });
    step.clear();
    const { user, system } = process.cpuUsage(cpu);
    calls.busy = (user + system) / 1_000 / Math.max(1, performance.now() - since);
    if (signal.aborted) this.#stoppedBy = 'interrupt';
    return this.#stoppedBy ? 'over' : keepsUp(calls);
  }

  async report() {
    const { facts, budget, spending, target } = this.settings;
    const { app, fn = '', name } = target;
    const called = this.#steps.filter(({ sent }) => sent > 0);
    const context = this.#contextAtEnd();
    const reading = readServerHalf(context, app, called);
    await (context === this.context ? reading : reading.catch(() => {}));
    const unfinished = this.#abandoned;
    if (unfinished > 0) this.#warnOfUnfinished(unfinished);
    const steps = called.map((step) => summarizeStep(step, facts));
    this.#warn(steps);
    const ratesOf = (kept: boolean) =>
      steps.filter(({ holds }) => holds === kept).map(({ callsPerSecond }) => callsPerSecond);
    const broken = this.#stoppedBy ? [] : ratesOf(false);
    const calls = called.flatMap((step) => step.calls);
    const appMs = meanAppMs(steps);
    const { maxReplicas: replicas, concurrency } = facts;
    return {
      app,
      function: fn || name.slice(app.length + 1),
      steps,
      holdsCallsPerSecond: ratesOf(true).sort((a, b) => b - a)[0] ?? null,
      breaksCallsPerSecond: broken.sort((a, b) => a - b)[0] ?? null,
      allows:
        appMs && appMs >= shortestMs
          ? { callsPerSecond: (replicas * concurrency * 1_000) / appMs, replicas, concurrency, appMs }
          : null,
      calls: calls.length,
      foundRuns: calls.filter(({ record }) => record).length,
      unfinished,
      costCents: roundCents(spending.centsIfEndedNow(unfinished, this.#runtimeMs())),
      budgetCents: budget === undefined ? null : budget * 100,
      stoppedBy: this.#stoppedBy,
      seconds: called.flatMap(secondsOf),
    };
  }

  /** Calls that are not over keep the replicas busy for a while, and so will the next one. */
  #isOver(calls: StepCalls): boolean {
    const { spending, budget } = this.settings;
    spending.lookNowAndThen();
    if (budget === undefined) return false;
    const open = calls.inFlight + this.#abandoned + 1;
    if (spending.centsIfEndedNow(open, this.#runtimeMs()) < budget * 100) return false;
    this.#stoppedBy = 'budget';
    return true;
  }

  /** Calls that got no response in time: the app may still be busy with each. */
  get #abandoned(): number {
    return this.#steps.reduce((sum, { abandoned }) => sum + abandoned, 0);
  }

  /** How long a call is taken to run in the app: as long as the caller of the last one waited, or of one that was answered. */
  #runtimeMs(): number {
    const { firstMs } = this.settings;
    const { lastMs: waitedMs = firstMs } = this.#steps.findLast(({ ended }) => ended > 0) ?? {};
    return this.#abandoned > 0 ? Math.max(waitedMs, firstMs) : waitedMs;
  }

  /** What ends the calls does not end the questions about them. */
  #contextAtEnd(): Context {
    const { context } = this;
    if (!context.signal.aborted) return context;
    return contextUntil(context, cleanupSignal());
  }

  #warnOfUnfinished(unfinished: number): void {
    const { app, name } = this.settings.target;
    this.context.progress.warn({
      severity: 'warning',
      message: `${count(unfinished, 'call')} of ${name} may go on: they got no response in time`,
      why: 'until it ends, a call keeps its replica busy, which is paid for',
      fix: gantryCommand`runs list ${app} --status processing`,
    });
  }

  #warn(steps: readonly BenchStep[]): void {
    const { progress } = this.context;
    for (const { callsPerSecond: rate, localLimit } of steps) {
      if (localLimit) progress.warn(`${rateText(rate)} is more than this machine can measure: ${localLimit}`);
    }
  }
}

function callsIn(stepMs: number, rate: number): number {
  return Math.max(1, Math.round((rate * stepMs) / 1_000));
}

function rateText(rate: number): string {
  return rate >= 1 ? `${groupDigits(rate)}/s` : `${Number((rate * 60).toPrecision(3))}/min`;
}

function progressText(calls: StepCalls): string {
  return `${groupDigits(calls.ended)} of ${groupDigits(calls.count)}, ${groupDigits(calls.inFlight)} in flight`;
}

interface Load extends Pick<BenchOptions, 'rates' | 'stepMs' | 'budget' | 'configFile'> {
  target: CallTarget;
  facts: AppFacts;
}

/**
 * Load costs money, and calls do what they do. An app of this folder may be called; for another one this asks. Throws
 * InputNeededError where nobody answers, LimitError if the budget does not suffice for one replica.
 */
async function approveLoad(context: Context, load: Load): Promise<void> {
  const { target, facts, budget, configFile } = load;
  const { app, name } = target;
  checkBudget({ app, facts, budget, otherLimit: '--rate and --for' });
  const what = `${name} ${callsText(load)}${costText(load)}`;
  const here = await findAppHere(context, configFile);
  if (shortAppName(context.project, here ?? '') !== app) await approveOther(context, load, what);
  context.willChange(`call ${what}`, { app, function: target.fn ?? '' });
}

async function approveOther({ prompt }: Context, { target, budget }: Load, what: string): Promise<void> {
  const { app } = target;
  if (!prompt.isPossible && budget === undefined) {
    const retryWith = [...(prompt.isConfirmed ? [] : ['--yes']), '--budget', '1'];
    throw new InputNeededError(`a budget is required to call ${app}`, {
      why: 'it is not the app of this folder, and nobody can be asked here',
      fix: `pass ${retryWith.join(' ')} for a dollar at most`,
      retryWith,
    });
  }
  await prompt.confirm(`Call ${what}? ${app} is not the app of this folder.`);
}

function callsText({ rates, stepMs }: Load): string {
  if (!rates) return `more and more often, for ${duration(stepMs)} each time`;
  const calls = rates.reduce((sum, rate) => sum + callsIn(stepMs, rate), 0);
  const perSecond = rates.map((rate) => groupDigits(rate)).join(', ');
  return `${count(calls, 'time')}: ${perSecond} a second, for ${duration(stepMs)}${rates.length > 1 ? ' each' : ''}`;
}

/** An upper bound: all replicas, for all of the time. */
function costText({ rates, stepMs, facts, budget }: Load): string {
  const { price, cooldownSeconds, maxReplicas } = facts;
  if (budget !== undefined) return `, for ${dollars(budget * 100)} at most`;
  if (!price || !rates) return '';
  const seconds = (rates.length * stepMs) / 1_000 + cooldownSeconds;
  return `, for ${dollars(price * maxReplicas * seconds)} at most with ${count(maxReplicas, 'replica')}`;
}
