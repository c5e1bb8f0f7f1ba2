import { appDetails } from '../../endpoints/apps/view.ts';
import { readLines } from '../../endpoints/logs/handlers.ts';
import type { Platform } from '../../endpoints/platform.ts';
import { runHandlers } from '../../endpoints/runs/handlers.ts';
import { jsonReply, type ServerReply } from '../../http/reply.ts';
import { getBuildProgress } from '../../model/builds/build-progress.ts';
import { dashboardAddress, hasKey, parseDashboardPath } from '../../model/dashboard-address.ts';
import { findRuns, getRunProgress } from '../../model/runs/record.ts';
import type { AppRecord, RunRecord } from '../../model/state/records.ts';
import { day, formatTime } from '../../model/time.ts';
import { appPage, type ChartedPage, messageReply, projectPage, runPage } from './pages.ts';

/** Shows a project, an app or a run. The pages are read-only: they have no forms, no cookies, and no scripts but the kit's. */
export async function showDashboard(method: string | undefined, url: URL, at: Platform): Promise<ServerReply> {
  if (method !== 'GET' && method !== 'HEAD') {
    return jsonReply({ message: `method ${method} not allowed: pages are read with GET` }, 405);
  }
  // All that a page shows is of one moment: the hours of several apps would else begin at different ones.
  const moment = at.now();
  const platform: Platform = { ...at, now: () => moment };
  const { store } = platform;
  const place = parseDashboardPath(url.pathname);
  if (!place || !hasKey(url, 'view', place.project, store)) return noKey;
  const { project } = place;
  const link = (app?: string, part = {}) => dashboardAddress('', { project, app, ...part }, store);
  if (place.app === undefined) return charted(projectPage({ project, apps: await listApps(project, platform), link }));
  const app = store.apps.get(place.app);
  if (app?.project !== project) return messageReply(404, 'App not found', 'It does not exist, or was deleted.');
  const runs = findRuns(app, { start: moment - day, end: moment }, store);
  if (place.run !== undefined) {
    const run = runs.find(({ id }) => id === place.run);
    if (!run) return messageReply(404, 'Run not found', 'Runs of the last 24 hours are shown here.');
    const lines = readRunLog(app, run, platform);
    const page = runPage({ project, app, run: { ...run, ...getRunProgress(run, moment) }, lines, link });
    return { status: 200, ...page };
  }
  const builds = store.getAppBuilds(app.id).map((build) => ({
    ...{ ...getBuildProgress(build, moment), id: build.id, createdAt: formatTime(build.createdAt) },
  }));
  const build = place.build === undefined ? builds[0] : builds.find(({ id }) => id === place.build);
  if (place.build !== undefined && !build) return messageReply(404, 'Build not found', 'It does not exist.');
  const shown = runs.slice(0, maxShownRuns).map((run) => ({ ...run, ...getRunProgress(run, moment) }));
  const [facts, buckets] = [appDetails(app, platform), await readBuckets(app, platform)];
  return charted(appPage({ project, facts, builds, build, buckets, runs: shown, link }));
}

const maxShownRuns = 50;

/** What a run printed, without secrets. */
export function readRunLog(app: AppRecord, { id, createdAt }: RunRecord, platform: Platform) {
  return [...readLines(app, { start: createdAt, end: createdAt + day }, false, platform)]
    .filter(({ run }) => run === id)
    .map(({ text, stream }) => ({ text: platform.hideSecrets(text), isError: stream === 'stderr' }));
}

function listApps(project: string, platform: Platform) {
  const apps = [...platform.store.apps.values()].filter((app) => app.project === project && !app.ephemeral);
  return Promise.all(
    apps.map(async (app) => ({ ...appDetails(app, platform), buckets: await readBuckets(app, platform) })),
  );
}

async function readBuckets({ project, id }: AppRecord, platform: Platform) {
  const [startTime, endTime] = [formatTime(platform.now() - day), formatTime(platform.now())];
  const query = { startTime, endTime, groupBy: 'hour' as const, aggregate: true };
  const { aggregatedData } = await runHandlers.getRunsChart({ project, app: id, query }, platform);
  // Wire numbers may be text; those of the emulator are not.
  return (aggregatedData ?? []) as Parameters<typeof appPage>[0]['buckets'];
}

/** The charts are large: they are read with the first page that has some. */
async function charted({ title, report, ...parts }: ChartedPage): Promise<ServerReply> {
  const { chartPage } = await import('../../../kernel/output/chart-page/chart-page.ts');
  return { status: 200, ...chartPage(title, report, undefined, parts) };
}

const noKey = messageReply(
  403,
  'No access',
  'Open the address that deploy or emulator start printed. It is a new one after each start.',
);
