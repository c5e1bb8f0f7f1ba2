import {
  copyButton,
  filterField,
  type Html,
  html,
  pageSection,
  rowsTable,
  webPage,
  wrapping,
} from '../../kernel/output/page-kit/page-kit.ts';
import { buildPhase, ownStatus } from '../../platform/contract/builds.ts';
import { runOutcome } from '../../platform/contract/run-outcome.ts';
import { appDetails } from '../endpoints/apps/handlers.ts';
import { readLines } from '../endpoints/logs/handlers.ts';
import type { Platform } from '../endpoints/platform.ts';
import { jsonReply, type ServerReply } from '../http/reply.ts';
import { getBuildProgress } from '../model/builds/script.ts';
import { type DashboardPlace, dashboardAddress, hasKey, parseDashboardPath } from '../model/dashboard-address.ts';
import { findRuns, getRunProgress, type RunProgress } from '../model/runs/record.ts';
import type { AppRecord, RunRecord } from '../model/state/records.ts';
import { day, formatTime } from '../model/time.ts';

/** Shows a project, an app or a run. The pages are read-only: no forms, no cookies, and no scripts but the kit's. */
export function showDashboard(method: string | undefined, url: URL, platform: Platform): ServerReply {
  if (method !== 'GET' && method !== 'HEAD') {
    return jsonReply({ message: `method ${method} not allowed: pages are read with GET` }, 405);
  }
  const place = parseDashboardPath(url.pathname);
  if (!place || !hasKey(url, place, platform.store)) return noKey;
  const { project, app: id, run } = place;
  if (id === undefined) return projectPage(project, platform);
  const app = platform.store.apps.get(id);
  if (app?.project !== project) return messagePage(404, 'App not found', 'It does not exist, or was deleted.');
  return run === undefined ? appPage(app, place.build, platform) : runPage(app, run, platform);
}

function messagePage(status: number, heading: string, text: string): ServerReply {
  return { status, ...webPage(heading, html`<p>${text}</p>`, { server: 'emulator' }) };
}

const noKey = messagePage(
  403,
  'No access',
  'Open the address that deploy or emulator start gives. It is a new one after each start.',
);

function projectPage(project: string, platform: Platform): ServerReply {
  const apps = [...platform.store.apps.values()].filter((app) => app.project === project && !app.ephemeral);
  const rows = apps.map((app) => {
    const { name, status, hardware, updatedAt } = appDetails(app, platform);
    const linked = html`<a href="${addressOf(app, {}, platform)}"><bdi>${wrapping(name)}</bdi></a>`;
    return [linked, word(status), hardware, lastRuns(app, platform).length, timeText(Date.parse(updatedAt))];
  });
  const none = html`No apps yet. Deploy one: <code>gantry deploy</code>`;
  const table = rowsTable(['App', 'Status', 'Hardware', 'Runs', 'Updated'], rows, none);
  const parts = { server: 'emulator', refresh: 0, intro: html`<p>Runs are those of the last 24 hours.</p>` };
  return { status: 200, ...webPage(`Apps of ${project}`, pageSection('apps', 'Apps', table, filterField), parts) };
}

const maxShownRuns = 50;

/** An app with its last runs, its builds and the log of one: the newest, unless another is named. */
function appPage(app: AppRecord, tab: string | undefined, platform: Platform): ServerReply {
  const builds = platform.store
    .getAppBuilds(app.id)
    .map((each) => ({ ...each, ...getBuildProgress(each, platform.now()) }));
  const build = tab === undefined ? builds[0] : builds.find(({ id }) => id === tab);
  if (tab !== undefined && !build) return messagePage(404, 'Build not found', 'It does not exist.');
  const runs = lastRuns(app, platform);
  const failed = runs.filter((run) => runOutcome(run).startsWith('failed')).length;
  const { status, internalEndpoint: address } = appDetails(app, platform);
  const isBuilding = builds[0] && buildPhase(builds[0].status) === 'in progress';
  const runRows = runs
    .slice(0, maxShownRuns)
    .map((run) => [
      html`<a href="${addressOf(app, { run: run.id }, platform)}">${run.functionName} ${short(run.id)}</a>`,
      ...[runWord(run), timeText(run.createdAt), msText(run.queueMs), msText(run.runtimeMs)],
    ]);
  const buildRows = builds.map(({ id, status, createdAt, reason }) => [
    html`<a href="${addressOf(app, { build: id }, platform)}" title="${id}">${short(id)}</a>`,
    ...[word(ownStatus(status)), timeText(createdAt), reason],
  ]);
  const runTable = rowsTable(
    ['Run', 'Status', 'Created', 'Queue', 'Runtime'],
    runRows,
    'No runs in the last 24 hours.',
  );
  const buildTable = rowsTable(['Build', 'Status', 'Created', 'Reason'], buildRows, 'No builds yet.');
  const content = html`${pageSection('runs', 'Last runs', html`<div class="scroll" tabindex="0">${runTable}</div>`, filterField)}
${pageSection('builds', 'Builds', buildTable)}
${build && pageSection('log', `Log of build ${short(build.id)}`, logView(build.lines), filterField)}`;
  const parts = {
    server: 'emulator',
    refresh: isBuilding ? 2 : 0,
    trail: [projectLink(app, platform)],
    intro: html`<p>${word(status)} ${wrapping(address)} ${copyButton(address)}</p>
<p>${runs.length} runs in the last 24 hours, ${failed} failed</p>`,
    sections: { runs: 'last runs', builds: 'builds', ...(build && { log: 'build log' }) },
  };
  return { status: 200, ...webPage(app.name, content, parts) };
}

/** A run with what it printed, without secrets. */
function runPage(app: AppRecord, id: string, platform: Platform): ServerReply {
  const run = lastRuns(app, platform).find((each) => each.id === id);
  if (!run) return messagePage(404, 'Run not found', 'Runs of the last 24 hours are shown here.');
  const { createdAt, container } = run;
  const lines = readLines(app, { start: createdAt, end: createdAt + day }, platform)
    .filter((line) => line.run === id)
    .map(({ text, stream }) => ({ text: platform.hideSecrets(text), isError: stream === 'stderr' }));
  const facts = {
    run: id,
    created: timeText(createdAt),
    container,
    queue: msText(run.queueMs),
    'cold start': msText(run.coldstartMs),
    runtime: msText(run.runtimeMs),
  };
  const rows = Object.entries(facts).map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${wrapping(value)}</dd></div>\n`,
  );
  const content = html`${pageSection('facts', 'Facts', html`<dl>${rows}</dl>`)}
${pageSection('log', 'Log', logView(lines), filterField)}`;
  const parts = {
    server: 'emulator',
    refresh: run.endedAt === undefined ? 2 : 0,
    trail: [projectLink(app, platform), [app.name, addressOf(app, {}, platform)] as const],
    intro: html`<p>${runWord(run)} ${run.method} ${run.functionName}</p>`,
  };
  return { status: 200, ...webPage(`Run ${short(id)}`, content, parts) };
}

function addressOf({ project, id }: AppRecord, part: Partial<DashboardPlace>, { store }: Platform): string {
  return dashboardAddress('', { project, app: id, ...part }, store);
}

function projectLink({ project }: AppRecord, { store }: Platform): readonly [name: string, address: string] {
  return [project, dashboardAddress('', { project }, store)];
}

/** The runs of the last 24 hours, newest first. */
function lastRuns(app: AppRecord, platform: Platform): (RunRecord & RunProgress)[] {
  const now = platform.now();
  const runs = findRuns(app, { start: now - day, end: now }, platform);
  return runs.map((run) => ({ ...run, ...getRunProgress(run, now) }));
}

/** The last state of a line that was drawn several times. What went to stderr, such as a traceback, is marked. */
function logView(lines: readonly { text: string; isError?: boolean }[]): Html {
  if (lines.length === 0) return html`<p class="quiet">It has printed nothing.</p>`;
  const rows = lines.map(
    ({ text, isError }) =>
      html`<span${isError && html` class="bad"`}>${wrapping(text.split('\r').findLast(Boolean) ?? '')}\n</span>`,
  );
  return html`<pre tabindex="0" class="log">${rows}</pre>`;
}

/** A status in the color of what it means. */
function word(status: string): Html {
  const isBad = /fail|error|timeout|cancel/.test(status);
  const kind = isBad ? 'bad' : /^(ready|succeeded|active)$/.test(status) ? 'good' : 'busy';
  return html`<span class="${kind}">${wrapping(status)}</span>`;
}

/** The status of a run: a word while it runs and if it was not ended by the app, otherwise the HTTP status. */
function runWord({ statusCode, endedAt, status }: RunProgress): Html {
  if (endedAt === undefined) return html`<span class="busy">${statusCode ?? status}</span>`;
  const outcome = runOutcome({ statusCode: statusCode ?? -1 });
  const text = /^(canceled|closed)$/.test(outcome) ? outcome : statusCode;
  return html`<span class="${outcome === 'succeeded' ? 'good' : 'bad'}">${text}</span>`;
}

/** `2026-11-20 09:30:05 UTC` */
function timeText(time: number): string {
  return `${formatTime(time).slice(0, 19).replace('T', ' ')} UTC`;
}

/** `240 ms`, `1.2 s` */
function msText(ms: number | undefined): string {
  if (ms === undefined) return '-';
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** The first characters of an id, as lists of commands show it. */
function short(id: string): string {
  return /^[0-9a-f-]{36}$/.test(id) ? id.slice(0, 8) : id;
}
