import type { ChartReport, Panel } from '../../../kernel/output/chart/model.ts';
import {
  copyButton,
  filterField,
  type Html,
  html,
  type PageParts,
  pageSection,
  rowsTable,
  type WebPage,
  webPage,
  wrapping,
} from '../../../kernel/output/page-kit/page-kit.ts';
import { buildPhase, ownStatus } from '../../../platform/contract/builds.ts';
import { runOutcome } from '../../../platform/contract/run-outcome.ts';
import type { RunBucket } from '../../../platform/contract/runs.ts';
import type { appDetails } from '../../endpoints/apps/view.ts';
import type { ServerReply } from '../../http/reply.ts';
import type { BuildProgress } from '../../model/builds/build-progress.ts';
import type { RunProgress } from '../../model/runs/record.ts';
import type { AppRecord, RunRecord } from '../../model/state/records.ts';
import { formatTime } from '../../model/time.ts';

/** As `apps get` shows them. */
type AppFacts = ReturnType<typeof appDetails>;
type ShownBuild = BuildProgress & { id: string; createdAt: string };
type ShownRun = RunRecord & RunProgress;
export type ShownLine = { text: string; isError?: boolean };

interface InProject {
  project: string;
  /** Makes the address of another page of it. */
  link: (app?: string, part?: { build?: string; run?: string }) => string;
}

interface ProjectPage extends InProject {
  apps: readonly (AppFacts & { buckets: readonly RunBucket[] })[];
}

/** Lists are newest first. */
interface AppPage extends InProject {
  facts: AppFacts;
  builds: readonly ShownBuild[];
  /** The build whose log is shown. */
  build: ShownBuild | undefined;
  buckets: readonly RunBucket[];
  runs: readonly ShownRun[];
}

/** A page with charts and what is around them. */
export interface ChartedPage extends PageParts {
  title: string;
  report: ChartReport<RunBucket>;
  content: Html;
}

/** The apps of a project, and the runs of all of them. */
export function projectPage({ project, apps, link }: ProjectPage): ChartedPage {
  const rows = apps.map(({ id, name, status, hardware, updatedAt, buckets }) => {
    const requests = buckets.reduce((sum, { totalRequests }) => sum + (totalRequests ?? 0), 0);
    const linked = html`<a href="${link(id)}"><bdi>${wrapping(name)}</bdi></a>`;
    return [linked, word(status), hardware, requests, clock(updatedAt)];
  });
  const none = html`No apps yet. Deploy one: <code>gantry deploy</code>`;
  const table = rowsTable(['App', 'Status', 'Hardware', 'Runs', 'Updated'], rows, none);
  return {
    ...{ title: `Apps of ${project}`, server: 'emulator', refresh: 0, sections: { apps: 'apps' } },
    report: hourlyRuns(addedRuns(apps.map(({ buckets }) => buckets))),
    content: pageSection('apps', 'Apps', table, filterField),
  };
}

/** An app with its runs of the last 24 hours, its builds and the log of one. */
export function appPage({ project, facts, builds, build, buckets, runs, link }: AppPage): ChartedPage {
  const isBuilding = builds[0] && buildPhase(builds[0].status) === 'in progress';
  const address = facts.internalEndpoint;
  return {
    ...{ title: facts.name, server: 'emulator', refresh: isBuilding ? 2 : 0, trail: [[project, link()]] },
    intro: html`<p>${word(facts.status)} ${wrapping(address)} ${copyButton(address)}</p>`,
    sections: { runs: 'last runs', builds: 'builds', ...(build && { log: 'build log' }), settings: 'settings' },
    report: hourlyRuns(buckets),
    content: html`${pageSection('runs', 'Last runs', runTable(runs, facts.id, link), filterField)}
${pageSection('builds', 'Builds', buildTable(builds, facts.id, link))}
${build && pageSection('log', `Log of build ${short(build.id)}`, logView(build.lines), filterField)}
${pageSection('settings', 'Settings', settings(facts))}`,
  };
}

/** A run with what it printed. */
export function runPage(of: InProject & { app: AppRecord; run: ShownRun; lines: ShownLine[] }): WebPage {
  const { project, app, run, lines, link } = of;
  const trail = [[project, link()] as const, [app.name, link(app.id)] as const];
  const facts = {
    ...{ run: run.id, created: clock(formatTime(run.createdAt), true), container: run.container },
    ...{ queue: ms(run.queueMs), 'cold start': ms(run.coldstartMs), runtime: ms(run.runtimeMs) },
  };
  return webPage(
    `Run ${short(run.id)}`,
    html`${pageSection('facts', 'Facts', definitions(Object.entries(facts)))}
${pageSection('log', 'Log', logView(lines), filterField)}`,
    {
      ...{ server: 'emulator', refresh: run.endedAt === undefined ? 2 : 0, trail },
      intro: html`<p>${runWord(run)} ${run.method} ${run.functionName}</p>`,
    },
  );
}

export function messageReply(status: number, heading: string, text: string): ServerReply {
  return { status, ...webPage(heading, html`<p>${text}</p>`, { server: 'emulator' }) };
}

function runTable(runs: readonly ShownRun[], app: string, link: InProject['link']): Html {
  const rows = runs.map((run) => [
    html`<a href="${link(app, { run: run.id })}">${run.functionName} ${short(run.id)}</a>`,
    ...[runWord(run), clock(formatTime(run.createdAt), true), ms(run.queueMs), ms(run.runtimeMs)],
  ]);
  const names = ['Run', 'Status', 'Created', 'Queue', 'Runtime'];
  return html`<div class="scroll" tabindex="0">${rowsTable(names, rows, 'No runs in the last 24 hours.')}</div>`;
}

function buildTable(builds: readonly ShownBuild[], app: string, link: InProject['link']): Html {
  const rows = builds.map(({ id, status, createdAt, reason }) => [
    html`<a href="${link(app, { build: id })}" title="${id}">${short(id)}</a>`,
    ...[word(ownStatus(status)), clock(createdAt), reason],
  ]);
  return rowsTable(['Build', 'Status', 'Created', 'Reason'], rows, 'No builds yet.');
}

/** The last state of a line that was drawn several times. What went to stderr, such as a traceback, is marked. */
export function logView(lines: readonly ShownLine[]): Html {
  if (lines.length === 0) return html`<p class="quiet">It has printed nothing.</p>`;
  const shown = lines.map(
    ({ text, isError }) =>
      html`<span${isError && html` class="bad"`}>${wrapping(text.split('\r').findLast(Boolean) ?? '')}\n</span>`,
  );
  return html`<pre tabindex="0" class="log">${shown}</pre>`;
}

/** Names of settings, as `apps get` shows them, with the unit of their value. */
const settingNames: Record<string, readonly [name: string, unit?: string]> = {
  ...{ hardware: ['compute'], gpuCount: ['GPUs'], cpu: ['CPU', 'cores'], memory: ['memory', 'GB'] },
  ...{ hardwareProvider: ['provider'], region: ['region'], computeTier: ['tier'] },
  ...{ costPerSecondCents: ['cost per second', 'US cents'], minReplicaCount: ['min replicas'] },
  ...{ maxReplicaCount: ['max replicas'], cooldownPeriodSeconds: ['cooldown', 's'] },
  ...{ replicaConcurrency: ['concurrency', 'requests'], responseGracePeriodSeconds: ['response grace period', 's'] },
  ...{ scalingMetric: ['scaling metric'], scalingTarget: ['scaling target'], scalingBuffer: ['scaling buffer'] },
  ...{ evaluationIntervalSeconds: ['evaluation interval', 's'], rollOutDurationSeconds: ['roll-out duration', 's'] },
  ...{ loadBalancingAlgorithm: ['load balancing'], deploymentInitializationTimeout: ['start timeout', 's'] },
  ...{ runtime: ['runtime'], pythonVersion: ['Python'], baseImage: ['base image'], entrypoint: ['entrypoint'] },
  ...{ port: ['port'], healthcheckEndpoint: ['health check'], readycheckEndpoint: ['ready check'] },
  ...{ disableAuth: ['calls without a token'], createdAt: ['created'], updatedAt: ['updated'] },
  ...{ errorMessage: ['last build error'] },
};

function settings(facts: Record<string, unknown>): Html {
  const rows = Object.entries(settingNames).map(([field, [name, unit = '']]) => {
    const text = [facts[field] ?? '']
      .flat()
      .join(' ')
      .replace(/^true$/, 'yes')
      .replace(/^false$/, 'no');
    return [name, text && (field.endsWith('At') ? clock(text) : `${text} ${unit}`.trim())] as const;
  });
  return definitions(rows.filter(([, value]) => value !== ''));
}

function definitions(rows: readonly (readonly [string, string])[]): Html {
  return html`<dl>${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${wrapping(value)}</dd></div>\n`)}</dl>`;
}

/** A status in the color of what it means. */
function word(status: string): Html {
  const isBad = /fail|error|timeout|cancel/.test(status);
  const kind = isBad ? 'bad' : /^(ready|succeeded|active)$/.test(status) ? 'good' : 'busy';
  return html`<span class="${kind}">${wrapping(status)}</span>`;
}

/** The status of a run: a word while it runs and if it was not ended by the app, otherwise the HTTP status. */
export function runWord({ statusCode, endedAt, status }: Pick<RunProgress, 'statusCode' | 'endedAt' | 'status'>): Html {
  if (endedAt === undefined) return html`<span class="busy">${statusCode ?? status}</span>`;
  const outcome = runOutcome({ statusCode: statusCode ?? -1 });
  const text = /^(canceled|closed)$/.test(outcome) ? outcome : statusCode;
  return html`<span class="${outcome === 'succeeded' ? 'good' : 'bad'}">${text}</span>`;
}

/** `2026-11-20 09:30 UTC` */
export function clock(time: string, withSeconds = false): string {
  return `${time.slice(0, withSeconds ? 19 : 16).replace('T', ' ')} UTC`;
}

/** `240 ms`, `1.2 s` */
export function ms(time: number | undefined): string {
  if (time === undefined) return '-';
  return time < 1000 ? `${Math.round(time)} ms` : `${(time / 1000).toFixed(1)} s`;
}

/** The first characters of an id, as lists of commands show it. */
export function short(id: string): string {
  return /^[0-9a-f-]{36}$/.test(id) ? id.slice(0, 8) : id;
}

/** Runs by the hour, as a chart and as a table. */
function hourlyRuns(buckets: readonly RunBucket[]): ChartReport<RunBucket> {
  const measured = measures.filter(([, measure]) => buckets.some((each) => timing(each, 'p50', measure)));
  const requests = counts.map(([name, field]) => ({ name, values: buckets.map((each) => each[field] ?? 0) }));
  const [all, failed] = requests.map(({ values }) => values.reduce((sum, value) => sum + value, 0));
  const panels = measured.map(([title, measure]) => {
    const values = (name: Percentile) => buckets.map((bucket) => timing(bucket, name, measure));
    return { title, kind: 'lines', unit: 'ms', series: percentiles.map((name) => ({ name, values: values(name) })) };
  });
  const durations = measured.flatMap(([title, measure]) =>
    percentiles.map((name) => [`${title} ${name}, ms`, (each: RunBucket) => timing(each, name, measure)] as const),
  );
  const columns = [...counts.map(([name, field]) => [name, (each: RunBucket) => each[field]] as const), ...durations];
  return {
    summary: [`${all} runs in the last 24 hours, ${failed} failed`],
    chart: {
      ...{ times: buckets.map(({ startTime }) => Date.parse(startTime ?? '')), step: 'hour', zone: 'UTC' },
      panels: [{ title: 'runs', kind: 'bars', unit: 'count', series: requests }, ...(panels as Panel[])],
    },
    rows: buckets.toReversed(),
    columns: {
      'TIME (UTC)': ({ startTime }) => startTime?.slice(0, 16).replace('T', ' '),
      ...Object.fromEntries(columns.map(([name, read]) => [name.toUpperCase(), read])),
    },
  };
}

/** The runs of several apps. Percentiles cannot be added up. */
function addedRuns(apps: readonly (readonly RunBucket[])[]): RunBucket[] {
  const sum = (at: number, field: 'totalRequests' | 'failedRequests') =>
    apps.reduce((all, buckets) => all + (buckets[at]?.[field] ?? 0), 0);
  return (apps[0] ?? []).map(({ startTime }, at) => {
    const sums = { totalRequests: sum(at, 'totalRequests'), failedRequests: sum(at, 'failedRequests') };
    return { startTime, ...sums } as RunBucket;
  });
}

const counts = [['runs', 'totalRequests'] as const, ['failed', 'failedRequests'] as const];
const measures = [['runtime', 'RuntimeMs'] as const, ['response time', 'ResponseTimeMs'] as const];
const percentiles = ['p50', 'p90', 'p99'] as const;
type Percentile = (typeof percentiles)[number];

/** An hour without runs has no durations. */
function timing(bucket: RunBucket, name: Percentile, measure: (typeof measures)[number][1]): number | null {
  return bucket.totalRequests === 0 ? null : (bucket[`${name}${measure}`] ?? null);
}
