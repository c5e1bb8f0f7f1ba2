import type { ChartReport, Panel } from '../../../kernel/output/chart/model.ts';
import { buildPhase } from '../../../platform/contract/builds.ts';
import type { RunBucket } from '../../../platform/contract/runs.ts';
import type { BuildProgress } from '../../model/builds/build-progress.ts';
import { Html, html } from './html.ts';
import { dashboardStyle } from './style.ts';

/** Makes the address of another page. */
type LinkTo = (app?: string, build?: string) => string;

interface ProjectPage {
  project: string;
  apps: readonly (AppFacts & { hardware: string; updatedAt: string; runs: readonly RunBucket[] })[];
  link: LinkTo;
}

export interface ShownBuild extends BuildProgress {
  id: string;
  createdAt: string;
}

interface AppFacts {
  id: string;
  name: string;
  status: string;
}

interface AppPage {
  project: string;
  /** As `apps get` shows them. */
  facts: Record<string, unknown> & AppFacts & { internalEndpoint: string };
  /** Newest first. */
  builds: readonly ShownBuild[];
  /** The build whose log is shown. */
  build: ShownBuild | undefined;
  runs: readonly RunBucket[];
  link: LinkTo;
}

/** A page with charts and what is around them. */
export interface ChartedPage {
  title: string;
  report: ChartReport<RunBucket>;
  head?: Html;
  above?: Html;
  below?: Html;
  sections: Html;
}

/** The apps of a project, and the runs of all of them. */
export function projectPage({ project, apps, link }: ProjectPage): ChartedPage {
  const rows = apps.map(({ id, name, status, hardware, updatedAt, runs }) => {
    const requests = runs.reduce((sum, { totalRequests }) => sum + (totalRequests ?? 0), 0);
    return html`<tr><td><a href="${link(id)}"><bdi>${name}</bdi></a></td><td>${word(status)}</td><td>${hardware}</td><td>${requests}</td><td>${clock(updatedAt)}</td></tr>`;
  });
  const table = html`<table class="plain"><thead><tr><th>App</th><th>Status</th><th>Hardware</th><th>Requests</th><th>Updated</th></tr></thead>
<tbody>${rows}</tbody></table>`;
  return {
    title: `Apps of ${project}`,
    report: hourlyRuns(addedRuns(apps.map(({ runs }) => runs))),
    sections: html`<section><h2>Apps</h2>
${apps.length > 0 ? table : html`<p>No apps yet. Deploy one: <code>gantry deploy</code></p>`}</section>`,
  };
}

/** An app with its runs of the last 24 hours, its builds and the log of one. */
export function appPage({ project, facts, builds, build, runs, link }: AppPage): ChartedPage {
  const isBuilding = builds[0] && buildPhase(builds[0].status) === 'in progress';
  return {
    title: facts.name,
    report: hourlyRuns(runs),
    above: html`<p><a href="${link()}">${project}</a></p>`,
    below: html`<p>${word(facts.status)} ${facts.internalEndpoint}</p>`,
    ...(isBuilding && { head: html`<meta http-equiv="refresh" content="2">` }),
    sections: html`<section><h2>Builds</h2>
${builds.length > 0 ? buildTable(builds, facts.id, link) : html`<p>No builds yet.</p>`}</section>
${build && buildLog(build)}
<section><h2>Settings</h2>
<table class="plain facts"><tbody>${factRows(facts)}</tbody></table></section>`,
  };
}

export function messagePage(heading: string, text: string): string {
  return page(heading, html`<h1>${heading}</h1>\n<p>${text}</p>`);
}

function buildTable(builds: readonly ShownBuild[], app: string, link: LinkTo): Html {
  const rows = builds.map(
    ({ id, status, createdAt, reason }) =>
      html`<tr><td><a href="${link(app, id)}">${id}</a></td><td>${word(status)}</td><td>${clock(createdAt)}</td><td>${reason}</td></tr>`,
  );
  return html`<table class="plain"><thead><tr><th>Build</th><th>Status</th><th>Created</th><th></th></tr></thead>
<tbody>${rows}</tbody></table>`;
}

function buildLog({ id, lines }: ShownBuild): Html {
  return html`<section><h2>Log of build ${id}</h2>
${lines.length > 0 ? html`<pre tabindex="0">${lines.map(({ text }) => `${text}\n`)}</pre>` : html`<p>It has printed nothing yet.</p>`}</section>`;
}

function factRows(facts: AppPage['facts']): Html[] {
  return Object.entries(facts)
    .map(([name, value]) => [name, Array.isArray(value) ? value.join(' ') : String(value ?? '')] as const)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`);
}

/** A status in the color of what it means. */
function word(status: string): Html {
  const kind = /fail|error|timeout|cancel/.test(status)
    ? 'bad'
    : /^(ready|success|active)$/.test(status)
      ? 'good'
      : 'busy';
  return html`<span class="${kind}">${status}</span>`;
}

/** `2026-11-20 09:30 UTC` */
export function clock(time: string, withSeconds = false): string {
  return `${time.slice(0, withSeconds ? 19 : 16).replace('T', ' ')} UTC`;
}

export function page(title: string, content: Html, head: Html = html``): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} - gantry emulator</title>${head}<style>${new Html(dashboardStyle)}</style></head>
<body>
${content}
</body></html>
`.text;
}

/** Runs by the hour, as a chart and as a table. */
function hourlyRuns(buckets: readonly RunBucket[]): ChartReport<RunBucket> {
  const sum = (field: 'totalRequests' | 'failedRequests') => buckets.reduce((all, each) => all + (each[field] ?? 0), 0);
  const requests: Panel = {
    title: 'requests',
    kind: 'bars',
    unit: 'count',
    series: [
      { name: 'requests', values: buckets.map(({ totalRequests }) => totalRequests ?? 0) },
      { name: 'failed', values: buckets.map(({ failedRequests }) => failedRequests ?? 0) },
    ],
  };
  const times = (['Runtime', 'ResponseTime'] as const).filter((measure) =>
    buckets.some((each) => timing(each, 'p50', measure)),
  );
  return {
    summary: [`${sum('totalRequests')} requests in the last 24 hours, ${sum('failedRequests')} failed`],
    chart: {
      times: buckets.map(({ startTime }) => Date.parse(startTime ?? '')),
      step: 'hour',
      zone: 'UTC',
      panels: [requests, ...times.map((measure) => timesPanel(buckets, measure))],
    },
    rows: buckets.toReversed(),
    columns: {
      'TIME (UTC)': ({ startTime }) => startTime?.slice(0, 16).replace('T', ' '),
      REQUESTS: ({ totalRequests }) => totalRequests,
      FAILED: ({ failedRequests }) => failedRequests,
      ...Object.fromEntries(
        times.flatMap((measure) =>
          percentiles.map((name) => [
            `${titles[measure]} ${name}, ms`.toUpperCase(),
            (bucket: RunBucket) => timing(bucket, name, measure),
          ]),
        ),
      ),
    },
  };
}

/** The runs of several apps. Percentiles cannot be added up. */
function addedRuns(apps: readonly (readonly RunBucket[])[]): RunBucket[] {
  const byStart = new Map<string, RunBucket>();
  for (const { startTime = '', totalRequests, failedRequests } of apps.flat()) {
    const sum = byStart.get(startTime ?? '');
    byStart.set(startTime ?? '', {
      startTime,
      totalRequests: (sum?.totalRequests ?? 0) + (totalRequests ?? 0),
      failedRequests: (sum?.failedRequests ?? 0) + (failedRequests ?? 0),
    } as RunBucket);
  }
  return [...byStart.values()].sort((a, b) => ((a.startTime ?? '') < (b.startTime ?? '') ? -1 : 1));
}

type Measure = 'Runtime' | 'ResponseTime';

const titles = { Runtime: 'runtime', ResponseTime: 'response time' };
const percentiles = ['p50', 'p90', 'p99'] as const;

function timesPanel(buckets: readonly RunBucket[], measure: Measure): Panel {
  const series = percentiles.map((name) => ({ name, values: buckets.map((bucket) => timing(bucket, name, measure)) }));
  return { title: titles[measure], kind: 'lines', unit: 'ms', series };
}

/** An hour without runs has no durations. */
function timing(bucket: RunBucket, name: (typeof percentiles)[number], measure: Measure): number | null {
  return bucket.totalRequests === 0 ? null : (bucket[`${name}${measure}Ms`] ?? null);
}
