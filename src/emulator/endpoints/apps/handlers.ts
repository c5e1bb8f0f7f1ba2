import { createHash } from 'node:crypto';
import { attempt } from '../../../kernel/errors.ts';
import { words } from '../../../kernel/words.ts';
import type { AppCreation } from '../../../platform/contract/apps.ts';
import { buildPhase } from '../../../platform/contract/builds.ts';
import { refuse } from '../../http/reply.ts';
import { applyScaling, findInvalidSetting, numericSettings, withDefaults } from '../../model/apps/settings.ts';
import { costPerSecond, monthlyUsage } from '../../model/billing/spending.ts';
import { type BuildProgress, getBuildProgress } from '../../model/builds/script.ts';
import { dashboardAddress } from '../../model/dashboard-address.ts';
import { listReplicas } from '../../model/runs/replica-periods.ts';
import { type AppRecord, type BuildRecord, type ReplicaPeriod, replaceSettings } from '../../model/state/records.ts';
import { findApp } from '../../model/state/store.ts';
import { formatTime } from '../../model/time.ts';
import { createBuild, keepReplicas, startBuild } from '../builds/handlers.ts';
import type { Handlers, Platform } from '../platform.ts';
import { signUrl } from '../storage.ts';

export const appHandlers = {
  createApp({ project, body }, platform) {
    const deployment = createDeployment(project, body, ['cortex', 'custom'], platform);
    return creationReply(deployment, signUrl('PUT', deployment.build.keyName, platform), platform);
  },

  // A partner's app has a ready image and no upload, so its build starts immediately.
  async createPartnerApp({ project, body }, platform) {
    const deployment = createDeployment(project, body, ['deepgram', 'rime'], platform);
    await startBuild(deployment.build, platform);
    return creationReply(deployment, '', platform);
  },

  listApps({ project, query }, platform) {
    return [...platform.store.apps.values()]
      .filter((app) => app.project === project && (query.includeEphemeral || !app.ephemeral))
      .map((app) => appSummary(app, platform));
  },

  getApp(params, platform) {
    return appDetails(findApp(platform.store, params), platform);
  },

  // Scaled settings last until the next deploy, which replaces the record.
  scaleApp({ body, ...params }, platform) {
    const { store, now } = platform;
    const app = findApp(store, params);
    const settings = applyScaling(app.settings, body);
    const problem = findInvalidSetting(settings, [settings.runtime]);
    if (problem) refuse(400, problem);
    const scaled = replaceSettings(app, settings, now());
    store.apps.set(app.id, scaled);
    store.save();
    platform.runner.runInBackground(keepReplicas([scaled], platform));
    return undefined;
  },

  async deleteApp(params, { store, runner }) {
    const app = findApp(store, params);
    for (const { id } of store.getAppBuilds(app.id)) runner.cancel('build', id);
    await runner.stopApp(app.id);
    for (const build of store.getAppBuilds(app.id)) store.builds.delete(build.id);
    for (const run of store.runs.values()) if (run.app === app.id) store.runs.delete(run.id);
    for (const replica of store.replicas.values()) if (replica.app === app.id) store.replicas.delete(replica.name);
    store.secrets.delete(app.id);
    store.apps.delete(app.id);
    store.save();
    return undefined;
  },

  listContainers(params, platform) {
    const app = findApp(platform.store, params);
    return listReplicas(app, platform).map((replica) => view(app, replica, platform.now()));
  },

  getProjectSecrets({ project }, { store }) {
    return store.secrets.get(project) ?? null;
  },

  setProjectSecrets({ project, body }, platform) {
    const apps = [...platform.store.apps.values()].filter((app) => app.project === project);
    return replaceSecrets(project, body, apps, platform);
  },

  getAppSecrets(params, { store }) {
    return store.secrets.get(findApp(store, params).id) ?? null;
  },

  setAppSecrets({ body, ...params }, platform) {
    const app = findApp(platform.store, params);
    return replaceSecrets(app.id, body, [app], platform);
  },
} satisfies Partial<Handlers>;

/** Replaces the app's record and creates a build that waits for its archive. */
function createDeployment(project: string, body: AppCreation, runtimes: string[], platform: Platform) {
  const { store, now, runner } = platform;
  const settings = withDefaults(body);
  const problem = findInvalidSetting(settings, runtimes);
  if (problem) refuse(400, problem);
  checkRegistryLogins(body.dockerAuth);
  // Found while the archive is uploaded: the build waits for it.
  void runner.python();

  const id = `${project}-${body.name}`;
  const created = { id, name: settings.name, project, createdAt: now(), updatedAt: now(), settings };
  const { ephemeral: _, ...previous }: AppRecord = store.apps.get(id) ?? created;
  const app = replaceSettings(previous, settings, now());
  store.apps.set(id, app);
  return { app, build: createBuild(app, platform) };
}

/** They are a Docker config as JSON text: `{"auths": {"ghcr.io": {"auth": "…"}}}`. No image is pulled, so they are not stored. */
function checkRegistryLogins(dockerAuth = '{}'): void {
  const logins = attempt(() => JSON.parse(dockerAuth).auths ?? {});
  if (!logins) refuse(400, 'dockerAuth must be a Docker config as JSON text');
}

function creationReply({ app, build }: ReturnType<typeof createDeployment>, uploadUrl: string, platform: Platform) {
  const { url, now, store } = platform;
  return {
    buildId: build.id,
    status: getBuildProgress(build, now()).status,
    uploadUrl,
    keyName: build.keyName,
    internalEndpoint: appEndpoint(app, url),
    dashboardUrl: dashboardAddress(url, { project: app.project, app: app.id, build: build.id }, store),
  };
}

/**
 * For how long one that has ended is still listed as it was before, in ms: the platform takes as long to see it. Nothing of
 * it moves any more.
 */
const unseenMs = 3_000;

/** Times in the future are null: clients that parse times reject an empty text. */
function view(app: AppRecord, replica: ReplicaPeriod, now: number) {
  const { name, build, readyAt, endsAt, restarts = 0, isTerminating = false } = replica;
  const isUnseen = replica.state === 'SUCCEEDED' && endsAt > readyAt && now - endsAt < unseenMs;
  const state = isUnseen ? 'RUNNING' : replica.state;
  // What is listed is what was seen then.
  const seenAt = isUnseen ? endsAt - 1 : now;
  const past = (time: number) => (time <= seenAt ? formatTime(time) : null);
  return {
    containerId: name,
    containerState: state,
    isTerminating,
    appId: app.id,
    projectId: app.project,
    buildId: build,
    region: app.settings.region,
    hardwareProvider: app.settings.provider,
    hostIp: addressOf(name, 172),
    containerIp: addressOf(name, 10),
    timestamp: formatTime(seenAt),
    containerStartTimestamp: past(readyAt),
    containerTerminationTimestamp: past(endsAt),
    containerRunningTimeMs: Math.max(0, Math.min(seenAt, endsAt) - readyAt),
    containerRestartCount: restarts,
  };
}

/** A made-up address, derived from the name. */
function addressOf(name: string, network: number): string {
  return [network, ...createHash('sha256').update(`${network} ${name}`).digest().subarray(0, 3)].join('.');
}

/** Each write replaces all secrets of the project or app. */
function replaceSecrets(
  owner: string,
  secrets: Record<string, string>,
  apps: AppRecord[],
  platform: Platform,
): undefined {
  const { store, runner } = platform;
  const invalid = Object.keys(secrets).find((name) => !/^[\w.-]{1,253}$/.test(name));
  if (invalid !== undefined) refuse(400, `invalid secret name: ${invalid}`);
  const [withNul] = Object.entries(secrets).find(([, value]) => value.includes('\0')) ?? [];
  if (withNul !== undefined) refuse(400, `secret ${withNul} must not contain NUL: it becomes an environment variable`);
  if (Object.keys(secrets).length > 0) store.secrets.set(owner, secrets);
  else store.secrets.delete(owner);
  store.save();
  runner.runInBackground(keepReplicas(apps, platform));
  return undefined;
}

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
  'port runtime baseImage pythonVersion entrypoint healthcheckEndpoint readycheckEndpoint',
  'disableAuth computeTier scalingMetric loadBalancingAlgorithm',
);
