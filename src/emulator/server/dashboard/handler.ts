import { appDetails } from '../../endpoints/apps/view.ts';
import type { Platform } from '../../endpoints/platform.ts';
import { runHandlers } from '../../endpoints/runs/handlers.ts';
import { jsonReply, type ServerReply } from '../../http/reply.ts';
import { getBuildProgress } from '../../model/builds/build-progress.ts';
import {
  type DashboardPlace,
  dashboardAddress,
  hasViewKey,
  parseDashboardPath,
} from '../../model/dashboard-address.ts';
import type { AppRecord } from '../../model/state/records.ts';
import { day, formatTime } from '../../model/time.ts';
import { chartReply, htmlReply } from './html-reply.ts';
import { appPage, messagePage, projectPage, type ShownBuild } from './pages.ts';

/** Shows a project or an app. The pages are read-only: they have no forms, no cookies, and no scripts but those of the charts. */
export async function showDashboard(method: string | undefined, url: URL, platform: Platform): Promise<ServerReply> {
  if (method !== 'GET' && method !== 'HEAD') {
    return jsonReply({ message: `method ${method} not allowed: pages are read with GET` }, 405);
  }
  const place = parseDashboardPath(url.pathname);
  if (!place || !hasViewKey(url, place.project, platform.store)) return noKey;
  const link = (app?: string, build?: string) =>
    dashboardAddress('', { project: place.project, app, build }, platform.store);
  if (place.app === undefined) return chartReply(projectPage({ ...(await listApps(place, platform)), link }));
  const app = platform.store.apps.get(place.app);
  if (app?.project !== place.project)
    return htmlReply(404, messagePage('App not found', 'It does not exist, or was deleted.'));
  const builds = readBuilds(app, platform);
  const build = place.build === undefined ? builds[0] : builds.find(({ id }) => id === place.build);
  if (place.build !== undefined && !build) return htmlReply(404, messagePage('Build not found', 'It does not exist.'));
  const facts = appDetails(app, platform);
  const runs = await readRuns(app, platform);
  return chartReply(appPage({ project: place.project, facts, builds, build, runs, link }));
}

async function listApps({ project }: DashboardPlace, platform: Platform) {
  const apps = [...platform.store.apps.values()].filter((app) => app.project === project && !app.ephemeral);
  const shown = apps.map(async (app) => ({ ...appDetails(app, platform), runs: await readRuns(app, platform) }));
  return { project, apps: await Promise.all(shown) };
}

/** Newest first. */
function readBuilds(app: AppRecord, { store, now }: Platform): ShownBuild[] {
  return store.getAppBuilds(app.id).map((build) => ({
    ...getBuildProgress(build, now()),
    id: build.id,
    createdAt: formatTime(build.createdAt),
  }));
}

async function readRuns(app: AppRecord, platform: Platform) {
  const end = platform.now();
  const query = {
    startTime: formatTime(end - day),
    endTime: formatTime(end),
    groupBy: 'hour' as const,
    aggregate: true,
  };
  const { project, id } = app;
  const { aggregatedData } = await runHandlers.getRunsChart({ project, app: id, query }, platform, undefined);
  // Wire numbers may be text; those of the emulator are not.
  return (aggregatedData ?? []) as Parameters<typeof appPage>[0]['runs'];
}

const noKey = htmlReply(
  403,
  messagePage('No access', 'Open the address that deploy or emulator start printed. It is a new one after each start.'),
);
