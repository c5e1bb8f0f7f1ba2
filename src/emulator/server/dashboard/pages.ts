import {
  copyButton,
  filterField,
  type Html,
  html,
  pageSection,
  rowsTable,
  type WebPage,
  webPage,
  wrapping,
} from '../../../kernel/output/page-kit/page-kit.ts';
import { buildPhase, ownStatus } from '../../../platform/contract/builds.ts';
import { runOutcome } from '../../../platform/contract/run-outcome.ts';
import type { appDetails } from '../../endpoints/apps/view.ts';
import type { ServerReply } from '../../http/reply.ts';
import type { BuildProgress } from '../../model/builds/build-progress.ts';
import type { RunProgress } from '../../model/runs/record.ts';
import type { AppRecord, RunRecord } from '../../model/state/records.ts';
import { formatTime } from '../../model/time.ts';

type AppDetails = ReturnType<typeof appDetails>;
type DashboardBuild = BuildProgress & { id: string; createdAt: string };
type DashboardRun = RunRecord & RunProgress;
type ShownLine = { text: string; isError?: boolean };

interface InProject {
  project: string;
  /** Makes the address of another page of it. */
  link: (app?: string, part?: { build?: string; run?: string }) => string;
}

interface ProjectPage extends InProject {
  /** With the number of their runs. */
  apps: readonly (AppDetails & { runs: number })[];
}

/** Lists are newest first. */
interface AppPage extends InProject {
  facts: AppDetails;
  builds: readonly DashboardBuild[];
  /** The build whose log is shown. */
  build: DashboardBuild | undefined;
  runs: readonly DashboardRun[];
}

/** The apps of a project. */
export function projectPage({ project, apps, link }: ProjectPage): WebPage {
  const rows = apps.map(({ id, name, status, hardware, runs, updatedAt }) => {
    const linked = html`<a href="${link(id)}"><bdi>${wrapping(name)}</bdi></a>`;
    return [linked, word(status), hardware, runs, clock(updatedAt)];
  });
  const none = html`No apps yet. Deploy one: <code>gantry deploy</code>`;
  const table = rowsTable(['App', 'Status', 'Hardware', 'Runs', 'Updated'], rows, none);
  const parts = { server: 'emulator', refresh: 0, intro: html`<p>Runs are those of the last 24 hours.</p>` };
  return webPage(`Apps of ${project}`, pageSection('apps', 'Apps', table, filterField), parts);
}

/** An app with its last runs, its builds and the log of one. */
export function appPage({ project, facts, builds, build, runs, link }: AppPage): WebPage {
  const isBuilding = builds[0] && buildPhase(builds[0].status) === 'in progress';
  const { name, id, internalEndpoint: address } = facts;
  const failed = runs.filter((run) => runOutcome(run).startsWith('failed')).length;
  const content = html`${pageSection('runs', 'Last runs', runTable(runs.slice(0, maxShownRuns), id, link), filterField)}
${pageSection('builds', 'Builds', buildTable(builds, id, link))}
${build && pageSection('log', `Log of build ${short(build.id)}`, logView(build.lines), filterField)}`;
  return webPage(name, content, {
    server: 'emulator',
    refresh: isBuilding ? 2 : 0,
    trail: [[project, link()]],
    intro: html`<p>${word(facts.status)} ${wrapping(address)} ${copyButton(address)}</p>
<p>${runs.length} runs in the last 24 hours, ${failed} failed</p>`,
    sections: { runs: 'last runs', builds: 'builds', ...(build && { log: 'build log' }) },
  });
}

const maxShownRuns = 50;

/** A run with what it printed. */
export function runPage(of: InProject & { app: AppRecord; run: DashboardRun; lines: ShownLine[] }): WebPage {
  const { project, app, run, lines, link } = of;
  const trail = [[project, link()] as const, [app.name, link(app.id)] as const];
  const facts = {
    run: run.id,
    created: clock(formatTime(run.createdAt), true),
    container: run.container,
    queue: ms(run.queueMs),
    'cold start': ms(run.coldstartMs),
    runtime: ms(run.runtimeMs),
  };
  return webPage(
    `Run ${short(run.id)}`,
    html`${pageSection('facts', 'Facts', definitions(Object.entries(facts)))}
${pageSection('log', 'Log', logView(lines), filterField)}`,
    {
      server: 'emulator',
      refresh: run.endedAt === undefined ? 2 : 0,
      trail,
      intro: html`<p>${runWord(run)} ${run.method} ${run.functionName}</p>`,
    },
  );
}

export function messageReply(status: number, heading: string, text: string): ServerReply {
  return { status, ...webPage(heading, html`<p>${text}</p>`, { server: 'emulator' }) };
}

function runTable(runs: readonly DashboardRun[], app: string, link: InProject['link']): Html {
  const rows = runs.map((run) => [
    html`<a href="${link(app, { run: run.id })}">${run.functionName} ${short(run.id)}</a>`,
    ...[runWord(run), clock(formatTime(run.createdAt), true), ms(run.queueMs), ms(run.runtimeMs)],
  ]);
  const names = ['Run', 'Status', 'Created', 'Queue', 'Runtime'];
  return html`<div class="scroll" tabindex="0">${rowsTable(names, rows, 'No runs in the last 24 hours.')}</div>`;
}

function buildTable(builds: readonly DashboardBuild[], app: string, link: InProject['link']): Html {
  const rows = builds.map(({ id, status, createdAt, reason }) => [
    html`<a href="${link(app, { build: id })}" title="${id}">${short(id)}</a>`,
    ...[word(ownStatus(status)), clock(createdAt), reason],
  ]);
  return rowsTable(['Build', 'Status', 'Created', 'Reason'], rows, 'No builds yet.');
}

/** The last state of a line that was drawn several times. What went to stderr, such as a traceback, is marked. */
function logView(lines: readonly ShownLine[]): Html {
  if (lines.length === 0) return html`<p class="quiet">It has printed nothing.</p>`;
  const shown = lines.map(
    ({ text, isError }) =>
      html`<span${isError && html` class="bad"`}>${wrapping(text.split('\r').findLast(Boolean) ?? '')}\n</span>`,
  );
  return html`<pre tabindex="0" class="log">${shown}</pre>`;
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
function runWord({ statusCode, endedAt, status }: Pick<RunProgress, 'statusCode' | 'endedAt' | 'status'>): Html {
  if (endedAt === undefined) return html`<span class="busy">${statusCode ?? status}</span>`;
  const outcome = runOutcome({ statusCode: statusCode ?? -1 });
  const text = /^(canceled|closed)$/.test(outcome) ? outcome : statusCode;
  return html`<span class="${outcome === 'succeeded' ? 'good' : 'bad'}">${text}</span>`;
}

/** `2026-11-20 09:30 UTC` */
function clock(time: string, withSeconds = false): string {
  return `${time.slice(0, withSeconds ? 19 : 16).replace('T', ' ')} UTC`;
}

/** `240 ms`, `1.2 s` */
function ms(time: number | undefined): string {
  if (time === undefined) return '-';
  return time < 1000 ? `${Math.round(time)} ms` : `${(time / 1000).toFixed(1)} s`;
}

/** The first characters of an id, as lists of commands show it. */
function short(id: string): string {
  return /^[0-9a-f-]{36}$/.test(id) ? id.slice(0, 8) : id;
}
