import { readLogTail } from '../../calls/logs/index.ts';
import { chartReader, Jobs, matches, runsIn } from '../../calls/runs/index.ts';
import { readJobs } from '../../deploys/history/index.ts';
import { GantryError, isTransient, NotFoundError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { listContainers } from '../../platform/contract/containers.ts';
import type { Run } from '../../platform/contract/runs.ts';
import { assumeClock, fetchApp } from '../../platform/replies/index.ts';
import { contextWith } from '../../platform/waiting/index.ts';
import {
  type AppFigures,
  type AppReadings,
  appFiguresOf,
  callsOfLastMinute,
  type FailedCalls,
  failedCallsOf,
  type RunsReading,
} from './app-figures.ts';
import type { CallCounter } from './call-counter.ts';
import { singleRequest } from './single-request.ts';

type RunsRead = Omit<RunsReading, 'runs'> & { runs: readonly Run[] };
type Source = 'runs' | 'settings' | 'containers' | 'counts' | 'message' | 'log';

/** A whole picture, as soon as possible. */
const firstSources: readonly Source[] = ['runs', 'settings', 'containers'];
/** Of runs, in one request: enough for percentiles. */
const runsPerRead = 500;
const minuteMs = 60_000;
/** How far back runs are read: those that take long have begun long ago. */
const rangeMs = { first: 60 * minuteMs, longest: 15 * minuteMs, shortest: minuteMs };
/** Settings change with a deploy: read again after so many requests. */
const settingsEvery = 40;
/** The log of a failed call is read at most every so many times: what is new matters more. */
const messageEvery = 6;
/** An app without calls and replicas is asked this many times less often. */
const sleepFactor = 3;
const logLines = 50;

/** One app and what was read of it. It is asked for one thing at a time, in turns. */
export class WatchedApp {
  readonly #readings: Omit<AppReadings, 'runs'> = {};
  /** Jobs as well: what is one may show later. */
  #runs: RunsRead | undefined;
  readonly #jobs = new Jobs();
  readonly #messages = new Map<string, string | null>();
  #requests = 0;
  #turns = 0;
  #rotation = 0;
  #messageTurn = Number.NEGATIVE_INFINITY;
  #rangeMs = rangeMs.first;
  /** Whether its log is shown, and what was read of it. */
  showsLog = false;
  log: readonly string[] | undefined;
  /** The last request that failed, if none has succeeded since. */
  problem: GantryError | undefined;

  constructor(
    private readonly context: Context,
    readonly name: string,
    private readonly counter: CallCounter | undefined,
  ) {}

  /** Whether anything of it was ever read. */
  get isKnown(): boolean {
    return Object.keys(this.#readings).length > 0;
  }

  get figures(): AppFigures {
    return appFiguresOf(this.name, { ...this.#readings, runs: this.#calls() });
  }

  get failures(): FailedCalls[] {
    return failedCallsOf(this.name, this.#calls()).map((failed) => ({
      ...failed,
      message: this.#messages.get(failed.run) ?? null,
    }));
  }

  /** Makes at most one request. Throws what waiting does not mend. */
  async read(): Promise<void> {
    const turn = this.#turns++;
    if (this.#isAsleep() && !this.showsLog && turn % sleepFactor > 0) return;
    const source = this.#nextSource();
    this.#requests++;
    try {
      await this.#readFrom(source);
      this.problem = undefined;
    } catch (error) {
      if (this.context.signal.aborted || !(error instanceof GantryError)) throw error;
      // What a token may not read stays unknown; the others are read on.
      if (source !== 'runs' && !isTransient(error)) return;
      if (!isTransient(error)) throw error;
      this.problem = error;
    }
  }

  #nextSource(): Source {
    const first = firstSources[this.#requests];
    if (first) return first;
    if (this.#requests % settingsEvery === 0) return 'settings';
    if (this.showsLog && (!this.log || this.#requests % 2 === 0)) return 'log';
    if (this.#turns - this.#messageTurn > messageEvery && this.#unreadFailure()) return 'message';
    const turns: Source[] = ['containers', 'runs', ...(this.counter ? (['counts'] as const) : [])];
    return turns[this.#rotation++ % turns.length] ?? 'runs';
  }

  async #readFrom(source: Source): Promise<void> {
    const { project } = this.context;
    const { name: app } = this;
    const api = singleRequest(this.context);
    if (source === 'settings') this.#readings.settings = await fetchApp(api, { project, app });
    else if (source === 'containers') {
      const containers = (await api(listContainers, { project, app })) ?? [];
      this.#readings.containers = this.#jobs.see({ containers }).replicas(containers);
    } else if (source === 'counts') await this.counter?.read(api);
    else if (source === 'message') await this.#readMessage();
    else if (source === 'log') this.log = await readLogTail(this.context, app, {}, logLines);
    else {
      const wasRight = assumeClock(this.context);
      const read = await this.#readRuns(api, this.context.platformNow());
      // The first reply showed that these are not the runs of the last minutes: the next request is for them.
      if (this.#turns === 1 && !wasRight()) return void this.#requests--;
      this.#runs = read;
      this.#jobs.see({ started: await readJobs(this.context, app), runs: read.runs });
      const perMs = Math.max(read.total / this.#rangeMs, callsOfLastMinute(read) / minuteMs);
      const fitting = (0.8 * runsPerRead) / perMs;
      this.#rangeMs = Math.min(rangeMs.longest, Math.max(rangeMs.shortest, fitting));
    }
  }

  async #readRuns(api: Context['api'], until: number): Promise<RunsRead> {
    const since = until - this.#rangeMs;
    const [startTime, endTime] = [since, until].map((time) => new Date(time).toISOString());
    const read = chartReader(contextWith(this.context, { api }), this.name, since);
    const page = await read({ startTime, endTime, limit: runsPerRead });
    const items = runsIn(page);
    const runs = items.filter((run) => matches(run, { since, until, filters: {} }));
    // A platform that does not keep to the range announces the runs of another one.
    return { since, until, runs, total: Math.max(runs.length < items.length ? 0 : (page.total ?? 0), runs.length) };
  }

  #calls(): RunsReading | undefined {
    if (!this.#runs) return undefined;
    const calls = this.#jobs.calls(this.#runs.runs);
    return { ...this.#runs, runs: calls, total: this.#runs.total - (this.#runs.runs.length - calls.length) };
  }

  /** What the app printed last before a call failed. */
  async #readMessage(): Promise<void> {
    const failed = this.#unreadFailure();
    if (!failed) return;
    this.#messageTurn = this.#turns;
    this.#messages.clear();
    this.#messages.set(failed.run, null);
    const lines = await readLogTail(this.context, this.name, { runId: failed.run }, logLines);
    const isError = (line: string) => /^[\w.]*(Error|Exception|Interrupt)\b/.test(line);
    const message = lines.findLast(isError) ?? lines.findLast((line) => line.trim() !== '');
    this.#messages.set(failed.run, message ?? null);
  }

  #unreadFailure(): FailedCalls | undefined {
    const [last] = this.failures;
    return last && !this.#messages.has(last.run) ? last : undefined;
  }

  #isAsleep(): boolean {
    return this.#runs?.runs.length === 0 && this.#readings.containers?.length === 0;
  }
}

/** Whether an app that cannot be read is gone. */
export function isGone(error: unknown): boolean {
  return error instanceof NotFoundError;
}
