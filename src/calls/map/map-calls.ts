import { after, every, onAbort } from '../../kernel/clock.ts';
import { roundCents } from '../../kernel/output/format.ts';
import { redactValue } from '../../kernel/output/redacted-json.ts';
import { keptConnections } from '../../platform/api/streamed.ts';
import type { Context } from '../../platform/context.ts';
import { contextWith, noStep } from '../../platform/waiting/index.ts';
import { AdaptiveWidth } from '../../storage/transfer/adaptive-width.ts';
import type { AppFacts } from '../replica-budget.ts';
import { maxFailedCalls, recordFailedCalls } from '../runs/index.ts';
import type { DeliveryOptions } from '../webhooks/index.ts';
import { AsyncCalls } from './async-calls.ts';
import { type CalledInput, type CallSettings, NotRepeated, OpenCalls } from './call-input.ts';
import type { InputFile, MapInput } from './input-file.ts';
import { MapStopped } from './judge-response.ts';
import { ResultsChangedError } from './lines.ts';
import { type MapHeading, MapLog, type NamedResults } from './map-log.ts';
import { FailureGroups, type MapProgress, restNote, showProgress, startNotes } from './map-progress.ts';
import { MapSpending } from './map-spending.ts';
import { type MapResult, ResultsFile } from './results-file.ts';

export interface MapOptions {
  app: string;
  /** `run` if undefined. */
  fn: string | undefined;
  input: string;
  results: string;
  /** Calls in flight; adaptive if undefined. */
  concurrency: number | undefined;
  retryFailed: boolean;
  ordered: boolean;
  maxFailures: number | undefined;
  /** US dollars, for the calls of this command. */
  budget: number | undefined;
  /** How results of asynchronous calls are received; undefined for others. */
  deliver: DeliveryOptions | undefined;
  /** How long one call may take, in ms. */
  timeoutMs: number | undefined;
  auth: boolean;
}

interface MapCallsOptions
  extends Pick<CallSettings, 'target' | 'auth' | 'timeoutMs' | 'hasOwnServer'>,
    Pick<MapOptions, 'retryFailed' | 'ordered' | 'maxFailures' | 'budget' | 'deliver'> {
  input: InputFile;
  results: NamedResults;
  heading: MapHeading;
  concurrency: number;
  /** Undefined if the app cannot be read. */
  facts: AppFacts | undefined;
}

/** Calls in flight may end after Ctrl-C for this long. */
const finishMs = 10_000;
/** Between two looks at what the calls cost. */
const lookMs = 5_000;

export type MapCounts = Awaited<ReturnType<MapCalls['run']>>;

export class MapCalls {
  readonly #open: OpenCalls;
  readonly #width: AdaptiveWidth;
  readonly #spending: MapSpending;
  readonly #startedAt: number;
  #calls = 0;
  #newFailures = 0;
  #refused = 0;
  /** Calls that were made and have no result: they were aborted, or it could not be written. */
  #lost = 0;
  /** The last of this command. */
  #failed: Parameters<typeof recordFailedCalls>[2] = [];
  #log!: MapLog;
  #isOver = false;
  #stoppedBy: 'budget' | 'failures' | null = null;

  constructor(
    private readonly context: Context,
    private readonly options: MapCallsOptions,
  ) {
    const { elapsed, trace } = context;
    this.#startedAt = elapsed();
    this.#open = new OpenCalls(elapsed);
    const { concurrency: max, target, facts, budget } = options;
    this.#spending = new MapSpending(context, target.app, facts, budget === undefined ? undefined : budget * 100);
    this.#width = new AdaptiveWidth({ max, elapsed, trace, unit: 'calls', longRequestMs: Number.POSITIVE_INFINITY });
  }

  async run() {
    const { heading, results: file, input, retryFailed, ordered, concurrency } = this.options;
    const groups = await FailureGroups.create();
    const log = await MapLog.open(file, heading);
    this.#log = log;
    const { inFlight: lostBefore } = log;
    const onFailed = groups.add.bind(groups);
    const results = await ResultsFile.open({ ...file, log, count: input.count, retryFailed, onFailed });
    try {
      // By their order, the lost inputs are called before new ones, but not before failures.
      await log.begin(retryFailed ? lostBefore + concurrency : Math.max(lostBefore, concurrency));
      if (results.done < input.count) await this.#callAll(results, groups, lostBefore);
      await results.close();
    } catch (error) {
      if (error instanceof ResultsChangedError) this.#lost += this.#calls;
      // On a full disk these fail as well; the log then has the number from the beginning.
      await results.close().catch(() => {});
      await log.close(this.#lost + log.running).catch(() => {});
      throw error;
    }
    await log.close(this.#lost + log.running);
    if (ordered && results.size === input.count) await results.sort();
    return {
      inputs: input.count,
      done: results.size,
      failed: results.failed,
      calls: this.#calls,
      newFailures: this.#newFailures,
      refused: this.#refused,
      durationMs: Math.round(this.context.elapsed() - this.#startedAt),
      failures: groups.all.map((group) => ({ ...group, line: input.lineOf(group.index) })),
      costCents: roundCents(this.#spending.cost(0)?.soFar),
      stoppedBy: results.size < input.count ? this.#stoppedBy : null,
    };
  }

  async #callAll(results: ResultsFile, groups: FailureGroups, lostBefore: number): Promise<void> {
    const { context, options } = this;
    const { target, input, deliver } = options;
    const calls = await AsyncCalls.open(context, this.#log, deliver);
    this.#announce(results, lostBefore);
    const agent = await keptConnections(context.settings.proxy, target.url);
    const progress = showProgress(context, `Calling ${target.name}`, results.done);
    const show = () => this.#show(progress, results, groups);
    const stopListening = this.#finishOnInterrupt();
    const stopLooking = every(lookMs, () => this.#look(show), { background: true });
    const settings: CallSettings = {
      ...options,
      agent,
      open: this.#open,
      onRefused: () => {
        this.#refused++;
        this.#width.reduce();
        show();
      },
    };
    // The calls have one line of progress together.
    const progressOfCall = { ...context.progress, step: () => noStep };
    const quiet = contextWith(context, { progress: progressOfCall, onRetry: () => {} });
    const alike = new AlikeFailures(results.size > results.failed);
    const call = async (item: MapInput) => {
      try {
        const called = await calls.call(quiet, settings, item).finally(this.#spending.begin());
        // Before the disk has it: no call starts after the last failure that may be.
        this.#note(item.index, called.result, groups);
        await this.#record(item.index, called.result, results);
        this.#calls++;
        show();
        called.recorded?.();
        await alike.add(called);
      } catch (error) {
        this.#end();
        if (!context.signal.aborted && !(error instanceof NotRepeated)) throw error;
      }
    };
    let isChanged = false;
    try {
      const inputs = withoutResult(input.read(), results);
      const limit = () => this.#spending.limit(this.#width.current);
      const isOver = () => this.#mayNotStart();
      await callAll({ inputs, width: this.#width, limit, isOver, elapsed: context.elapsed }, call);
      if (!this.#isOver) await alike.end();
      await this.#spending.look();
    } catch (error) {
      isChanged = error instanceof ResultsChangedError;
      throw error instanceof MapStopped ? error.reason : error;
    } finally {
      progress.end();
      stopListening();
      stopLooking();
      agent.destroy();
      await calls.close();
      await recordFailedCalls(context, target.app, this.#failed);
      if (!isChanged) this.#noteRest(results);
    }
    const { signal } = context;
    if (signal.aborted) throw signal.reason;
  }

  #announce(results: ResultsFile, lostBefore: number): void {
    const { progress, interruption } = this.context;
    for (const note of startNotes(this.#stateOf(results, lostBefore))) progress.note(note);
    interruption.message = `finishing the calls in flight, for ${finishMs / 1_000} s at most${this.options.deliver ? '; runs that were started go on' : ''}`;
  }

  /** After Ctrl-C, calls that have begun may end. Returns what stops listening. */
  #finishOnInterrupt(): () => void {
    const { signal } = this.context;
    let stopTimer = () => {};
    const finish = () => {
      this.#end();
      stopTimer = after(finishMs, () => {
        this.#lost += this.#open.inFlight;
        this.#open.abortAll(signal.reason);
      });
    };
    const stopListening = onAbort(signal, finish);
    return () => {
      stopListening();
      stopTimer();
    };
  }

  #end(by: 'budget' | 'failures' | null = null): void {
    this.#isOver = true;
    this.#stoppedBy ??= by;
    this.#open.endPauses();
  }

  async #record(index: number, result: MapResult, results: ResultsFile): Promise<void> {
    try {
      await results.add(index, withoutSecrets(result, this.context));
    } catch (error) {
      this.#lost++;
      throw error;
    }
  }

  #note(index: number, result: MapResult, groups: FailureGroups): void {
    if (result.status === 'succeeded') return;
    groups.add(index, result.error);
    this.#failed = [...this.#failed, [result.run, result.error.message] as const].slice(-maxFailedCalls);
    this.#newFailures++;
    if (this.#newFailures >= (this.options.maxFailures ?? Number.POSITIVE_INFINITY)) this.#end('failures');
  }

  #noteRest(results: ResultsFile): void {
    const left = this.options.input.count - results.done;
    if (left === 0) return;
    this.context.progress.note(restNote(this.#stateOf(results, this.#lost), this.#spending.cost(left)));
  }

  #stateOf(results: ResultsFile, lost: number) {
    const { results: file, input } = this.options;
    return { name: file.name, inputs: input.count, results, lost, running: this.#log.running };
  }

  #mayNotStart(): boolean {
    if (this.#spending.isSpent) this.#end('budget');
    return this.#isOver;
  }

  /** Looks at the price from time to time: calls may take long. */
  #look(show: () => void): void {
    this.#spending.lookNowAndThen();
    if (this.#spending.isExceeded) this.#end('budget');
    show();
  }

  #show(progress: MapProgress, results: ResultsFile, groups: FailureGroups): void {
    progress.update({
      inputs: this.options.input.count,
      done: results.done,
      failed: results.failed,
      refused: this.#refused,
      cost: this.#spending.cost(this.options.input.count - results.done),
      groups: () => groups.all,
    });
  }
}

/** A result is what was asked for; what an error says may have a token or a signed link. */
function withoutSecrets(result: MapResult, { secrets }: Context): MapResult {
  return result.status === 'failed' ? { ...result, error: redactValue(result.error, secrets) } : result;
}

interface CallAllOptions {
  inputs: AsyncIterable<MapInput>;
  width: AdaptiveWidth;
  limit: () => number;
  isOver: () => boolean;
  elapsed: () => number;
}

/**
 * Makes a call for each input, as many at a time as the limit allows. After a failure, or when `isOver`, starts no more
 * and waits for those that are in flight. Throws the first failure.
 */
export async function callAll(
  { inputs, width, limit, isOver, elapsed }: CallAllOptions,
  call: (input: MapInput) => Promise<void>,
): Promise<void> {
  let running = 0;
  let failure: unknown;
  let wake = () => {};
  const start = async (input: MapInput) => {
    const { round } = width;
    const startedAt = elapsed();
    running++;
    try {
      await call(input);
      width.recover(1);
      if (running >= width.current) width.measure({ round, bytes: 1, ms: Math.max(1, elapsed() - startedAt) });
    } catch (reason) {
      failure ??= reason;
    }
    running--;
    wake();
  };
  const untilFewer = async (most: () => number) => {
    while (running >= most()) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  try {
    for await (const input of inputs) {
      await untilFewer(limit);
      if (failure || isOver()) break;
      void start(input);
    }
  } finally {
    await untilFewer(() => 1);
  }
  if (failure) throw failure;
}

async function* withoutResult(inputs: AsyncIterable<MapInput[]>, results: ResultsFile): AsyncGenerator<MapInput> {
  for await (const some of inputs) yield* some.filter(({ index }) => !results.isDone(index));
}

/** After so many failures of a kind that would concern all calls, and none that shows otherwise, the map ends. */
const maxAlike = 25;

/** A server of the app's own may answer 404 to one input, and the platform to all of them: other answers tell. */
class AlikeFailures {
  #alike: NonNullable<CalledInput['concernsAll']>[] = [];
  #takesOthers = false;

  /** Whether a call has succeeded before this command: the function exists, but this token may be another one. */
  constructor(private readonly hasSucceededBefore: boolean) {}

  /** Throws MapStopped when there are too many. */
  async add({ result, concernsAll }: CalledInput): Promise<void> {
    if (!concernsAll) this.#takesOthers ||= result.status === 'succeeded' || isAnswer(result.error.statusCode);
    else if (this.#takesOthers || (this.hasSucceededBefore && !isAboutAccess(result))) return;
    else if (this.#alike.push(concernsAll) >= maxAlike) await this.end();
  }

  /** Throws MapStopped if nothing tells that other inputs are taken. */
  async end(): Promise<void> {
    const [concernsAll] = this.#alike;
    if (concernsAll && !this.#takesOthers) throw new MapStopped(await concernsAll());
  }
}

/** The app has looked at the input and refuses it. */
function isAnswer(status = 0): boolean {
  return status >= 400 && status < 500;
}

function isAboutAccess(result: MapResult): boolean {
  return result.status === 'failed' && [401, 402, 403].includes(result.error.statusCode ?? 0);
}
