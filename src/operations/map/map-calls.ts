import { keptConnections } from '../../api/streamed.ts';
import { after } from '../../clock.ts';
import type { Context } from '../../context.ts';
import { count, groupDigits } from '../../output/format.ts';
import { redactValue } from '../../output/redacted-json.ts';
import { AdaptiveWidth } from '../../transfer/adaptive-width.ts';
import { Acceptance } from './acceptance.ts';
import { callAll } from './call-all.ts';
import { type CallSettings, callInput } from './call-input.ts';
import { CallSignals, NotRepeated } from './call-signals.ts';
import { type FailureGroup, FailureGroups } from './failure-groups.ts';
import { HeldFailures, maxHeldFailures } from './held-failures.ts';
import type { InputFile, MapInput } from './input-file.ts';
import { type MapProgress, showProgress } from './map-progress.ts';
import type { RecordFile } from './map-record.ts';
import { MapStopped } from './map-stopped.ts';
import type { MapResult } from './result-line.ts';
import { ResultsChangedError, ResultsFile } from './results-file.ts';

interface MapCallsOptions extends Pick<CallSettings, 'target' | 'auth' | 'timeoutMs' | 'hasOwnServer'> {
  input: InputFile;
  results: { name: string; path: string };
  record: RecordFile;
  concurrency: number;
  retryFailed: boolean;
  ordered: boolean;
  maxFailures: number | undefined;
}

export interface MapCounts {
  inputs: number;
  /** How many have a result, and how many of these are failures. */
  done: number;
  failed: number;
  /** Results of this command. */
  calls: number;
  /** How often a call was refused and repeated. */
  refused: number;
  durationMs: number;
  failures: FailureGroup[];
}

/** Calls in flight may end after Ctrl-C for this long. */
const finishMs = 10_000;

/** The calls of one map: all inputs that have no result yet. */
export class MapCalls {
  readonly #signals = new CallSignals();
  readonly #width: AdaptiveWidth;
  readonly #startedAt: number;
  #calls = 0;
  #newFailures = 0;
  #refused = 0;
  /** Calls that were made and have no result: they were aborted, or it could not be written. */
  #lost = 0;
  #isOver = false;

  constructor(
    private readonly context: Context,
    private readonly options: MapCallsOptions,
  ) {
    const { elapsed, trace } = context;
    this.#startedAt = elapsed();
    const max = options.concurrency;
    this.#width = new AdaptiveWidth({ max, elapsed, trace, unit: 'calls', longRequestMs: Number.POSITIVE_INFINITY });
  }

  async run(): Promise<MapCounts> {
    const { record, results: file, input, retryFailed, ordered, concurrency, hasOwnServer } = this.options;
    const groups = await FailureGroups.create();
    const lostBefore = await record.check();
    const onFailed = groups.add.bind(groups);
    const results = await ResultsFile.open({ ...file, count: input.count, retryFailed, onFailed });
    try {
      await record.write(Math.max(lostBefore, concurrency + (hasOwnServer ? maxHeldFailures : 0)));
      if (results.done.size < input.count) await this.#callAll(results, groups, lostBefore);
      await results.close();
    } catch (error) {
      if (error instanceof ResultsChangedError) this.#lost += this.#calls;
      // On a full disk these fail as well; the record then has the number from the beginning.
      await results.close().catch(() => {});
      await record.write(this.#lost).catch(() => {});
      throw error;
    }
    await record.write(this.#lost);
    if (ordered && results.size === input.count) await results.sort();
    return {
      inputs: input.count,
      done: results.size,
      failed: results.failed,
      calls: this.#calls,
      refused: this.#refused,
      durationMs: Math.round(this.context.elapsed() - this.#startedAt),
      failures: groups.all,
    };
  }

  async #callAll(results: ResultsFile, groups: FailureGroups, lostBefore: number): Promise<void> {
    const { context, options } = this;
    const { target, input } = options;
    this.#announce(results, lostBefore);
    const agent = await keptConnections(context.settings.proxy, target.url);
    const progress = showProgress(context, `Calling ${target.name}`, results.done.size);
    const show = () => this.#show(progress, results, groups);
    const stopListening = this.#finishOnInterrupt();
    const settings: CallSettings = {
      ...options,
      ...{ agent, signals: this.#signals, acceptance: new Acceptance() },
      onRefused: () => {
        this.#refused++;
        this.#width.reduce();
        show();
      },
    };
    const own = quietContext(context);
    const held = new HeldFailures(results.size > results.failed, async (index, result) => {
      await this.#record(index, result, results);
      this.#count(index, result, groups);
      show();
    });
    const call = async (one: MapInput) => {
      try {
        await held.take(one.index, await callInput(own, settings, one));
      } catch (error) {
        this.#end();
        if (!context.signal.aborted && !(error instanceof NotRepeated)) throw error;
      }
    };
    try {
      const inputs = withoutResult(input.read(), results);
      await callAll({ inputs, width: this.#width, isOver: () => this.#isOver, elapsed: context.elapsed }, call);
      if (!this.#isOver) await held.end();
    } catch (error) {
      throw error instanceof MapStopped ? error.reason : error;
    } finally {
      progress.end();
      stopListening();
      agent.destroy();
      this.#lost += held.count;
      this.#noteRest(results);
    }
    const { signal } = context;
    if (signal.aborted) throw signal.reason;
  }

  #announce({ done, size, left, wasCut }: ResultsFile, lostBefore: number): void {
    const { progress, interruption } = this.context;
    const { inputs, name } = { inputs: this.options.input.count, name: this.options.results.name };
    if (wasCut) progress.note(`the last line of ${name} was not complete and was removed`);
    const retried = left > 0 ? `; ${count(left, 'failure')} of them ${left === 1 ? 'is' : 'are'} called again` : '';
    if (size > 0) progress.note(`${groupDigits(size)} of ${count(inputs, 'input')} have a result in ${name}${retried}`);
    const again = Math.min(lostBefore, inputs - done.size);
    if (again > 0) {
      progress.note(
        `at most ${count(again, 'call')} of these ${again === 1 ? 'was' : 'were'} made without a result in ${name}, and ${again === 1 ? 'is' : 'are'} made again`,
      );
    }
    interruption.message = `finishing the calls in flight, for ${finishMs / 1_000} s at most`;
  }

  /** After Ctrl-C, calls that have begun may end. Returns what stops listening. */
  #finishOnInterrupt(): () => void {
    const { signal } = this.context;
    let stopTimer = () => {};
    const finish = () => {
      this.#end();
      stopTimer = after(finishMs, () => {
        this.#lost += this.#signals.inFlight;
        this.#signals.abortAll(signal.reason);
      });
    };
    signal.addEventListener('abort', finish, { once: true });
    return () => {
      signal.removeEventListener('abort', finish);
      stopTimer();
    };
  }

  /** Starts no more calls. */
  #end(): void {
    this.#isOver = true;
    this.#signals.endPauses();
  }

  async #record(index: number, result: MapResult, results: ResultsFile): Promise<void> {
    try {
      await results.add(index, withoutSecrets(result, this.context));
    } catch (error) {
      this.#lost++;
      throw error;
    }
  }

  #count(index: number, result: MapResult, groups: FailureGroups): void {
    this.#calls++;
    if (result.status === 'success') return;
    groups.add(index, result.error);
    this.#newFailures++;
    if (this.#newFailures >= (this.options.maxFailures ?? Number.POSITIVE_INFINITY)) this.#end();
  }

  #noteRest({ done, size, left }: ResultsFile): void {
    const { progress } = this.context;
    const { inputs, name } = { inputs: this.options.input.count, name: this.options.results.name };
    if (done.size === inputs) return;
    const again = this.#lost > 0 ? `; ${count(this.#lost, 'call')} without a result will be made again` : '';
    const retried =
      left > 0 ? `; ${count(left, 'failure')} of them ${left === 1 ? 'was' : 'were'} not called again` : '';
    progress.note(
      `${groupDigits(size)} of ${count(inputs, 'input')} have a result in ${name}${retried}${again}; the same command continues`,
    );
  }

  #show(progress: MapProgress, results: ResultsFile, groups: FailureGroups): void {
    progress.update({
      inputs: this.options.input.count,
      done: results.done.size,
      failed: results.failed,
      refused: this.#refused,
      groups: () => groups.all,
    });
  }
}

/** Calls of a map have one line of progress together. */
function quietContext(context: Context): Context {
  const step = { update() {}, done() {}, fail() {}, clear() {} };
  const progress = { ...context.progress, step: () => step };
  return Object.create(context, { progress: { value: progress }, onRetry: { value: () => {} } });
}

/** A result is what was asked for; what an error says may have a token or a signed link. */
function withoutSecrets(result: MapResult, { secrets }: Context): MapResult {
  return result.status === 'failed' ? { ...result, error: redactValue(result.error, secrets) } : result;
}

async function* withoutResult(inputs: AsyncIterable<MapInput[]>, { done }: ResultsFile): AsyncGenerator<MapInput[]> {
  for await (const some of inputs) yield some.filter(({ index }) => !done.has(index));
}
