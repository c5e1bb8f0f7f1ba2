import { appDetails } from '../../endpoints/apps/view.ts';
import { readLines } from '../../endpoints/logs/handlers.ts';
import type { Platform } from '../../endpoints/platform.ts';
import { jsonReply, type ServerReply } from '../../http/reply.ts';
import { getBuildProgress } from '../../model/builds/build-progress.ts';
import { type DashboardPlace, dashboardAddress, hasKey, parseDashboardPath } from '../../model/dashboard-address.ts';
import { findRuns, getRunProgress } from '../../model/runs/record.ts';
import type { AppRecord, RunRecord } from '../../model/state/records.ts';
import { day, formatTime } from '../../model/time.ts';
import { appPage, messageReply, projectPage, runPage } from './pages.ts';

/** Shows a project, an app or a run. The pages are read-only: no forms, no cookies, and no scripts but the kit's. */
export function showDashboard(method: string | undefined, url: URL, platform: Platform): ServerReply {
  if (method !== 'GET' && method !== 'HEAD') {
    return jsonReply({ message: `method ${method} not allowed: pages are read with GET` }, 405);
  }
  const place = parseDashboardPath(url.pathname);
  if (!place || !hasKey(url, place, platform.store)) return noKey;
  return place.app === undefined ? showProject(place, platform) : showApp(place, place.app, platform);
}

const noKey = messageReply(
  403,
  'No access',
  'Open the address that deploy or emulator start gives. It is a new one after each start.',
);

function showProject({ project }: DashboardPlace, platform: Platform): ServerReply {
  const { store } = platform;
  const apps = [...store.apps.values()].filter((app) => app.project === project && !app.ephemeral);
  const rows = apps.map((app) => ({ ...appDetails(app, platform), runs: lastRuns(app, platform).length }));
  return { status: 200, ...projectPage({ project, apps: rows, link: linkIn(project, platform) }) };
}

function showApp({ project, build: shown, run: id }: DashboardPlace, appId: string, platform: Platform): ServerReply {
  const { store, now } = platform;
  const app = store.apps.get(appId);
  if (app?.project !== project) return messageReply(404, 'App not found', 'It does not exist, or was deleted.');
  const link = linkIn(project, platform);
  const runs = lastRuns(app, platform);
  if (id !== undefined) {
    const run = runs.find((each) => each.id === id);
    if (!run) return messageReply(404, 'Run not found', 'Runs of the last 24 hours are shown here.');
    return { status: 200, ...runPage({ project, app, run, lines: readRunLog(app, run, platform), link }) };
  }
  const builds = store
    .getAppBuilds(app.id)
    .map((each) => ({ ...getBuildProgress(each, now()), id: each.id, createdAt: formatTime(each.createdAt) }));
  const build = shown === undefined ? builds[0] : builds.find((each) => each.id === shown);
  if (shown !== undefined && !build) return messageReply(404, 'Build not found', 'It does not exist.');
  return { status: 200, ...appPage({ project, facts: appDetails(app, platform), builds, build, runs, link }) };
}

function linkIn(project: string, { store }: Platform) {
  return (app?: string, part = {}) => dashboardAddress('', { project, app, ...part }, store);
}

/** The runs of the last 24 hours, newest first. */
function lastRuns(app: AppRecord, platform: Platform) {
  const now = platform.now();
  return findRuns(app, { start: now - day, end: now }, platform).map((run) => ({
    ...run,
    ...getRunProgress(run, now),
  }));
}

/** What a run printed, without secrets. */
function readRunLog(app: AppRecord, { id, createdAt }: RunRecord, platform: Platform) {
  return readLines(app, { start: createdAt, end: createdAt + day }, platform)
    .filter(({ run }) => run === id)
    .map(({ text, stream }) => ({ text: platform.hideSecrets(text), isError: stream === 'stderr' }));
}
