import { after, onAbort } from '../../kernel/clock.ts';
import { hourMs, minuteMs } from '../../kernel/durations.ts';
import { UnavailableError } from '../../kernel/errors.ts';
import { duration } from '../../kernel/output/format.ts';
import type { Step } from '../../kernel/output/progress.ts';
import type { Api } from '../api/client.ts';
import type { Context } from '../context.ts';
import { fillPath, splitRoute } from '../contract/endpoint.ts';
import { cleanupTimeoutMs, Deadline } from './deadline.ts';

export interface TimeLimitOptions {
  typedMs: number | undefined;
  /** Without it: how long to wait for remote work. */
  defaultMs?: number;
  /** What has not happened when the time is over: `deploy did not get as far as the build`. */
  failure: string;
}

const defaultWaitMs = hourMs;

/**
 * The `--timeout` of a command that prepares something, and then waits for remote work. One that the user typed bounds
 * both: `context` is for all steps, whose requests, transfers and pauses end with an UnavailableError when the time is
 * over. A wait for remote work bounds itself by what is left, so that it can say how to go on. The default bounds only
 * the waits: there is no limit on a whole transfer. Questions to the user take no time.
 */
export class TimeLimit {
  readonly context: Context;
  /** What `failure` is now, for a command with steps after the wait. */
  failure: string;
  readonly #deadline: Deadline | undefined;
  readonly #defaultMs: number;
  readonly #activities = new Set<{ text: string }>();
  #waitedMs = 0;

  constructor(
    /** The context without the limit: its signal aborts after Ctrl-C only. */
    readonly unlimited: Context,
    { typedMs, defaultMs = defaultWaitMs, failure }: TimeLimitOptions,
  ) {
    this.failure = failure;
    this.#defaultMs = defaultMs;
    this.#deadline =
      typedMs === undefined ? undefined : new Deadline(unlimited, typedMs, () => this.#createError(typedMs));
    if (typedMs !== undefined) noteTimeout(unlimited, typedMs);
    this.context = this.#deadline ? this.#limit(unlimited, this.#deadline.signal) : unlimited;
  }

  /** Waits for remote work, by a function that ends within the time that it is given. */
  async wait<T>(work: (remainingMs: number) => Promise<T>): Promise<T> {
    const { elapsed } = this.unlimited;
    const remainingMs = this.handOver();
    const started = elapsed();
    try {
      return await work(remainingMs);
    } finally {
      this.#waitedMs += elapsed() - started;
      this.#deadline?.resume();
    }
  }

  /** Ends the limit. Returns how long the wait that follows may take. */
  handOver(): number {
    this.#deadline?.close();
    return this.#deadline?.remainingMs ?? Math.max(0, this.#defaultMs - this.#waitedMs);
  }

  #limit(unlimited: Context, signal: AbortSignal): Context {
    const apiWithSignal: Context['apiWithSignal'] = (...args) => this.#noteRequests(unlimited.apiWithSignal(...args));
    return contextUntil(unlimited, signal, {
      apiWithSignal,
      api: apiWithSignal(signal),
      progress: this.#noteSteps(unlimited.progress),
      prompt: this.#withoutQuestions(unlimited.prompt),
    });
  }

  #noteRequests(api: Api): Api {
    const noted = (endpoint: { route: string }, parameters: Record<string, unknown>) => {
      const { method, path } = splitRoute(endpoint.route as `GET /${string}`);
      const end = this.#start(`no reply to ${method} ${fillPath(path, parameters)}`);
      return api(endpoint as never, parameters as never).finally(end);
    };
    return noted as Api;
  }

  #noteSteps(progress: Context['progress']): Context['progress'] {
    const step: Context['progress']['step'] = (title) => {
      const shownStep = progress.step(title);
      const end = this.#start(`still ${title[0]?.toLowerCase()}${title.slice(1)}`);
      const ending =
        <A extends unknown[]>(show: (...args: A) => void) =>
        (...args: A) => {
          end();
          show(...args);
        };
      return {
        ...shownStep,
        done: ending(shownStep.done),
        fail: ending(shownStep.fail),
        clear: ending(shownStep.clear),
      };
    };
    return { ...progress, step };
  }

  /** The time of the user does not count. */
  #withoutQuestions(prompt: Context['prompt']): Context['prompt'] {
    const confirm: typeof prompt.confirm = async (...args) => {
      const started = this.unlimited.elapsed();
      this.#deadline?.close();
      await prompt.confirm(...args).finally(() => {
        const askedMs = this.unlimited.elapsed() - started;
        this.#deadline?.resume(askedMs);
        const { end } = this.unlimited;
        if (end.at !== undefined) end.at += askedMs;
      });
    };
    return Object.create(prompt, { confirm: { value: confirm } });
  }

  #start(text: string): () => void {
    const activity = { text };
    this.#activities.add(activity);
    return () => void this.#activities.delete(activity);
  }

  #createError(typedMs: number): UnavailableError {
    const [oldest] = this.#activities;
    const retryWith = ['--timeout', `${1 + Math.floor((2 * typedMs) / minuteMs)}m`];
    // A platform that is silent for longer than it may be ends the request by itself.
    const facts = { why: oldest?.text, fix: 'to allow more time', retryWith };
    return new UnavailableError(`${this.failure} within ${duration(typedMs)}`, facts);
  }
}

/** Notes what `--timeout` says, once for a command. */
export function noteTimeout({ end, elapsed }: Pick<Context, 'end' | 'elapsed'>, typedMs: number): void {
  end.at ??= elapsed() + typedMs;
  end.typedMs ??= typedMs;
}

/** Despite Ctrl-C: work with an unknown id could not be canceled. The time limit ends it at once. */
export async function completeDespiteInterrupt<T>(limit: TimeLimit, request: (api: Api) => Promise<T>): Promise<T> {
  const { signal, apiWithSignal } = limit.context;
  const { signal: interrupted } = limit.unlimited;
  signal.throwIfAborted();
  const cutOff = new AbortController();
  const cut = () => cutOff.abort(signal.reason);
  const end = () => (interrupted.aborted ? void after(cleanupTimeoutMs, cut, { background: true }) : cut());
  return request(apiWithSignal(cutOff.signal)).finally(onAbort(signal, end));
}

export function contextWith(context: Context, parts: Partial<Context>): Context {
  return Object.create(context, Object.getOwnPropertyDescriptors(parts));
}

/** The context, whose requests and pauses end with a signal. */
export function contextUntil(context: Context, signal: AbortSignal, parts: Partial<Context> = {}): Context {
  const delay: Context['delay'] = (ms, until = signal) => context.delay(ms, until);
  return contextWith(context, { signal, api: context.apiWithSignal(signal), delay, ...parts });
}

export const noStep: Step = { update: () => {}, done: () => {}, fail: () => {}, clear: () => {}, show: (work) => work };
