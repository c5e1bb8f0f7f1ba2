import { readLogTail } from '../../calls/logs/index.ts';
import { Jobs, matches, readChart } from '../../calls/runs/index.ts';
import { readJobs } from '../../deploys/history/index.ts';
import { minuteMs } from '../../kernel/durations.ts';
import { GantryError, isTransient, NotFoundError, throwUnexpected, UnavailableError } from '../../kernel/errors.ts';
import { inLane } from '../../kernel/once.ts';
import { latestFirst } from '../../kernel/output/format.ts';
import { byUnits } from '../../kernel/packed-list.ts';
import type { Api } from '../../platform/api/client.ts';
import type { Context } from '../../platform/context.ts';
import { appName, listApps } from '../../platform/contract/apps.ts';
import { listContainers } from '../../platform/contract/containers.ts';
import { shortAppName } from '../../platform/contract/endpoint.ts';
import type { Run } from '../../platform/contract/runs.ts';
import { assumeClock, fetchApp } from '../../platform/replies/index.ts';
import { contextWith, timeoutSignal } from '../../platform/waiting/index.ts';
import {
  type AppFigures,
  type AppReadings,
  appFiguresOf,
  callsOfLastMinute,
  type FailedCalls,
  failedCallsOf,
  type RunsReading,
} from './app-figures.ts';

export type ProjectFigures = ReturnType<typeof projectFigures>;

export interface MonitorOptions {
  /** All apps of the project without it. */
  app: string | undefined;
  everyMs: number;
  /** Until the signal aborts without it. */
  forMs?: number | undefined;
  /** Aborted, it ends. */
  signal: AbortSignal;
  /** Whose log is shown. */
  logOf?: () => string | undefined;
  /** What counts the calls of an app. */
  counterOf?: (app: string) => (api: Api) => Promise<void>;
}

/** An app is asked at most this often, in ms: a monitor must not be a load. */
export const leastIntervalMs = 5_000;
/** The list of apps is read every so many times. */
const listEvery = 3;
const requestsAtOnce = 4;

/**
 * How apps are doing, again and again until the signal aborts. Each time, every app is asked for one thing, so that a whole
 * picture takes some times. Failed requests are repeated the next time. Throws what waiting does not mend, and
 * at the end the last error if nothing was ever known.
 */
export async function* monitorApps(context: Context, options: MonitorOptions): AsyncGenerator<ProjectFigures> {
  const { app, signal, forMs = Number.POSITIVE_INFINITY } = options;
  const everyMs = Math.max(leastIntervalMs, options.everyMs);
  const watched = contextWith(context, { signal });
  const apps = new Map<string, MonitoredApp>();
  const watch = (name: string) => apps.set(name, new MonitoredApp(watched, name, options.counterOf?.(name)));
  if (app !== undefined) watch(shortAppName(context.project, app));
  const end = context.elapsed() + forMs;
  let problem: GantryError | undefined;
  try {
    for (let tick = 0; !signal.aborted && context.elapsed() < end; tick++) {
      const startedAt = context.elapsed();
      const problems: GantryError[] = [];
      if (app === undefined && tick % listEvery === 0) await updateList(watched, apps, watch).catch(keep(problems));
      for (const each of apps.values()) each.showsLog = each.name === options.logOf?.();
      await readAll(apps, app === undefined);
      problem = [...problems, ...[...apps.values()].flatMap((each) => each.problem ?? [])][0];
      yield projectFigures(context, apps, problem);
      const next = Math.min(startedAt + everyMs, end);
      await context.delay(Math.max(0, next - context.elapsed()), signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  const isKnown = [...apps.values()].some((each) => each.isKnown);
  if (problem && !signal.aborted && !isKnown) throw problem;
}

/** Throws what is no {@link GantryError} that may pass. */
function keep(problems: GantryError[]): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof GantryError) || !isTransient(error)) throw error;
    problems.push(error);
  };
}

async function updateList(context: Context, apps: Map<string, MonitoredApp>, watch: (name: string) => unknown) {
  const { project } = context;
  const listed = await singleRequest(context)(listApps, { project });
  const names = new Set(listed.map((each) => appName(each, project)));
  for (const name of apps.keys()) if (!names.has(name)) apps.delete(name);
  for (const name of names) if (!apps.has(name)) watch(name);
}

/** An app that is gone is no longer watched, unless it is the only one. */
async function readAll(apps: Map<string, MonitoredApp>, mayGo: boolean): Promise<void> {
  await inLane(requestsAtOnce, [...apps.values()], (app) =>
    app.read().catch((error: unknown) => {
      if (!mayGo || !(error instanceof NotFoundError)) throw error;
      apps.delete(app.name);
    }),
  );
}

function projectFigures({ project, platformNow }: Context, apps: Map<string, MonitoredApp>, problem?: GantryError) {
  const figures = [...apps.values()].map((app) => app.figures);
  const calls = ({ callsPerSecond }: AppFigures) => callsPerSecond ?? 0;
  const replicas = (app: AppFigures) => app.replicas ?? 0;
  figures.sort((a, b) => calls(b) - calls(a) || replicas(b) - replicas(a) || byUnits(a.app, b.app));
  const failures = [...apps.values()].flatMap((app) => app.failures).sort(latestFirst(({ at }) => at));
  return {
    at: new Date(platformNow()).toISOString(),
    project,
    apps: figures,
    failures,
    log: logOf(apps),
    problem: problem?.message ?? null,
  };
}

function logOf(apps: Map<string, MonitoredApp>) {
  const watched = [...apps.values()].find(({ showsLog, log }) => showsLog && log);
  return watched ? { app: watched.name, lines: watched.log ?? [] } : null;
}

type FigureSource = 'runs' | 'settings' | 'containers' | 'counts' | 'message' | 'log';

/** A whole picture, as soon as possible. */
const firstSources: readonly FigureSource[] = ['runs', 'settings', 'containers'];
/** Runs in one request: enough for percentiles. */
const runsPerRead = 500;
/** How far back runs are read: those that take long have begun long ago. */
const rangeMs = { first: 60 * minuteMs, longest: 15 * minuteMs, shortest: minuteMs };
/** Settings change with a deploy: read again after so many requests. */
const settingsEvery = 40;
/** The log of a failed call is read at most every so many times: what is new matters more. */
const messageEvery = 6;

/** One app and what was read of it. It is asked for one thing at a time, in turns. */
class MonitoredApp {
  readonly #readings: Omit<AppReadings, 'runs'> = {};
  /** Jobs as well: what is one may show later. */
  #runs: RunsReading<Run> | undefined;
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
    private readonly count: ((api: Api) => Promise<void>) | undefined,
  ) {}

  /** Whether anything of it was ever read. */
  get isKnown(): boolean {
    return Object.keys(this.#readings).length > 0;
  }

  get figures(): AppFigures {
    return appFiguresOf(this.name, { ...this.#readings, runs: this.#calls() });
  }

  get failures(): FailedCalls[] {
    return failedCallsOf(this.name, this.#calls() ?? { runs: [], until: 0 }).map((failed) => ({
      ...failed,
      message: this.#messages.get(failed.run) ?? null,
    }));
  }

  /** Makes one request at most, but those of a whole picture the first time. Throws what waiting does not mend. */
  async read(): Promise<void> {
    let left = this.#turns++ === 0 ? firstSources.length : 1;
    do await this.#readNext();
    while (--left > 0 && !this.problem);
  }

  async #readNext(): Promise<void> {
    const source = this.#nextSource();
    this.#requests++;
    try {
      await this.#readFrom[source](singleRequest(this.context));
      this.problem = undefined;
    } catch (error) {
      throwUnexpected(error, this.context.signal);
      if (isTransient(error)) this.problem = error;
      // What a token may not read stays unknown; the others are read on.
      else if (source === 'runs') throw error;
    }
  }

  #nextSource(): FigureSource {
    const first = firstSources[this.#requests];
    if (first) return first;
    if (this.#requests % settingsEvery === 0) return 'settings';
    if (this.showsLog && (!this.log || this.#requests % 2 === 0)) return 'log';
    if (this.#turns - this.#messageTurn > messageEvery && this.#unreadFailure()) return 'message';
    const turns: FigureSource[] = ['containers', 'runs', ...(this.count ? (['counts'] as const) : [])];
    return turns[this.#rotation++ % turns.length] ?? 'runs';
  }

  readonly #readFrom: Record<FigureSource, (api: Api) => Promise<void>> = {
    settings: async (api) => {
      this.#readings.settings = await fetchApp(api, this.#address);
    },
    containers: async (api) => {
      const containers = await api(listContainers, this.#address);
      this.#readings.containers = this.#jobs.see({ containers }).replicas(containers);
    },
    counts: async (api) => this.count?.(api),
    message: () => this.#readMessage(),
    log: async () => {
      this.log = await readLogTail(this.context, this.name, {});
    },
    runs: async (api) => {
      const wasRight = assumeClock(this.context);
      const read = await this.#readRuns(api, this.context.platformNow());
      // The first reply showed that these are not the runs of the last minutes: the next request is for them.
      if (this.#turns === 1 && !wasRight()) return void this.#requests--;
      this.#runs = read;
      this.#jobs.see({ started: await readJobs(this.context, this.name), runs: read.runs });
      const perMs = Math.max(read.total / this.#rangeMs, callsOfLastMinute(read) / minuteMs);
      const fitting = (0.8 * runsPerRead) / perMs;
      this.#rangeMs = Math.min(rangeMs.longest, Math.max(rangeMs.shortest, fitting));
    },
  };

  get #address() {
    return { project: this.context.project, app: this.name };
  }

  async #readRuns(api: Context['api'], until: number): Promise<RunsReading<Run>> {
    const since = until - this.#rangeMs;
    const [startTime, endTime] = [since, until].map((time) => new Date(time).toISOString());
    const { items, total = 0 } = await readChart(api, this.#address, { startTime, endTime, limit: runsPerRead });
    const runs = items.filter((run) => matches(run, { since, until, filters: {} }));
    // A platform that does not keep to the range announces the runs of another one.
    return { since, until, runs, total: Math.max(runs.length < items.length ? 0 : total, runs.length) };
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
    const lines = await readLogTail(this.context, this.name, { runId: failed.run });
    const isError = (line: string) => /^[\w.]*(Error|Exception|Interrupt)\b/.test(line);
    const message = lines.findLast(isError) ?? lines.findLast((line) => line.trim() !== '');
    this.#messages.set(failed.run, message ?? null);
  }

  #unreadFailure(): FailedCalls | undefined {
    const [last] = this.failures;
    return last && !this.#messages.has(last.run) ? last : undefined;
  }
}

/** A turn must be over before the next one. */
const timeoutMs = 4_500;

/** The API for one request that is not repeated if it fails: the next turn asks again. */
function singleRequest({ apiWithSignal, signal }: Pick<Context, 'apiWithSignal' | 'signal'>): Api {
  const failed = new AbortController();
  const until = timeoutSignal(timeoutMs, () => new UnavailableError('no reply in time'), signal);
  return apiWithSignal(AbortSignal.any([until, failed.signal]), ({ reason }) => failed.abort(reason));
}
