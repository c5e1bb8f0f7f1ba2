import { words } from '../../../kernel/words.ts';
import { buildPhase } from '../../../platform/contract/builds.ts';
import { numericSettings } from '../../model/apps/settings.ts';
import { costPerSecond, monthlyUsage } from '../../model/billing/spending.ts';
import { type BuildProgress, getBuildProgress } from '../../model/builds/build-progress.ts';
import type { AppRecord, BuildRecord } from '../../model/state/records.ts';
import { formatTime } from '../../model/time.ts';
import type { Platform } from '../platform.ts';

/** An app in a list (spec 2.5). */
export function appSummary(app: AppRecord, platform: Platform) {
  return {
    ...identity(app, readBuilds(app, platform)),
    ...(app.ephemeral && { ephemeral: true }),
    ...monthlyUsage(app, platform),
  };
}

/** An app by itself (spec 2.4). Its status is computed from its builds. */
export function appDetails(app: AppRecord, platform: Platform) {
  const { settings } = app;
  const builds = readBuilds(app, platform);
  const latest = builds[0];
  const ready = builds.find((build) => build.phase === 'succeeded');
  return {
    ...identity(app, builds),
    // Numbers are sent as text, but that of the port (spec 2.4).
    ...Object.fromEntries(numericSettings.map((key) => [key, String(settings[key])])),
    ...Object.fromEntries(otherSettings.map((key) => [key, settings[key]])),
    costPerSecondCents: String(Number(costPerSecond(settings).toFixed(6))),
    cerebriumVersion: settings.cliVersion,
    internalEndpoint: appEndpoint(app, platform.url),
    latestBuildId: latest?.id ?? '',
    latestCreatedBuildId: latest?.id ?? '',
    latestReadyBuildId: ready?.id ?? '',
    lastBuildStatus: latest?.status ?? '',
    errorMessage: builds.find((build) => build.reason)?.reason ?? '',
  };
}

export function appEndpoint({ project, name }: AppRecord, url: string): string {
  return `${url}/v4/${project}/${encodeURIComponent(name)}`;
}

type ReadBuild = Pick<BuildRecord, 'id'> & BuildProgress & { phase: ReturnType<typeof buildPhase> };

/** Newest first. */
function readBuilds(app: AppRecord, { store, now }: Platform): ReadBuild[] {
  return store.getAppBuilds(app.id).map((build) => {
    const reading = getBuildProgress(build, now());
    return { id: build.id, ...reading, phase: buildPhase(reading.status) };
  });
}

function identity({ id, name, project, settings, ...app }: AppRecord, builds: ReadBuild[]) {
  return {
    id,
    name,
    projectId: project,
    region: settings.region,
    hardware: settings.compute[0] ?? 'CPU',
    hardwareProvider: settings.provider,
    status: status(builds),
    createdAt: formatTime(app.createdAt),
    updatedAt: formatTime(Math.max(app.updatedAt, builds[0]?.changedAt ?? 0)),
  };
}

/** A failed or canceled build leaves the previous version running. */
function status(builds: ReadBuild[]): string {
  const [latest] = builds;
  if (latest?.phase === 'in progress') return latest.status === 'pending' ? 'pending' : 'deploying';
  const serving = builds.find((build) => build.phase === 'succeeded');
  // A word of the emulator alone: every call of it is refused.
  if (serving) return serving.notStarted?.calls === 'refused' ? 'not_started' : 'ready';
  return latest?.reason ? 'error' : 'not_ready';
}

/** The settings that this reply has under their own names, besides the numbers. */
const otherSettings = words(
  'port runtime baseImage pythonVersion entrypoint healthcheckEndpoint',
  'readycheckEndpoint disableAuth computeTier scalingMetric loadBalancingAlgorithm',
);
