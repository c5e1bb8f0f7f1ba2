import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { defined } from '../../../kernel/json-text.ts';
import { buildPhase } from '../../../platform/contract/builds.ts';
import { refuse } from '../../http/reply.ts';
import { requirementsOf } from '../../model/apps/settings.ts';
import {
  type BuildPlan,
  buildDifferences,
  createBuildScript,
  filesToRead,
  getBuildProgress,
} from '../../model/builds/script.ts';
import { fileNameOf } from '../../model/state/data-folder.ts';
import type { AppRecord, BuildRecord, NotStarted } from '../../model/state/records.ts';
import { findApp, findBuild } from '../../model/state/store.ts';
import { formatTime } from '../../model/time.ts';
import { listArchive, readArchive } from '../../running/archives.ts';
import { performBuild } from '../../running/builds/perform-build.ts';
import type { Handlers, Platform } from '../platform.ts';

export const buildHandlers = {
  listBuilds(params, { store, now }) {
    return store.getAppBuilds(findApp(store, params).id).map((build) => buildView(build, now()));
  },

  getBuild(params, { store, now }) {
    const build = findBuild(store, params);
    const { surprise } = build.script;
    if (!surprise) return buildView(build, now());
    delete build.script.surprise;
    store.save();
    return { ...buildView(build, now()), status: surprise };
  },

  getBuildLogs(params, { store, now, clock }) {
    const build = findBuild(store, params);
    const { lines } = getBuildProgress(build, now());
    const { status } = getBuildProgress(build, clock.now());
    const logs = lines.map(({ at, text }, index) => ({
      id: `${build.id}-${index + 1}`,
      createdAt: formatTime(at),
      log: text,
    }));
    return { logs, status };
  },

  async getBuildZipContents(params, { store, storage }) {
    const build = findBuild(store, params);
    if (build.files) return { id: build.id, zipFiles: build.files };
    const files = await listArchive(join(storage, build.keyName)).catch(() =>
      refuse(404, `build ${build.id} has no valid archive`),
    );
    return { id: build.id, zipFiles: Object.fromEntries(files) };
  },

  cancelBuild(params, { store, now, runner }) {
    const build = findBuild(store, params);
    const { status } = getBuildProgress(build, now());
    if (buildPhase(status) !== 'in progress') refuse(400, `build ${build.id} cannot be canceled: it is ${status}`);
    build.cancelledAt = now();
    runner.cancel('build', build.id);
    store.save();
    return `Build ${build.id} cancelled`;
  },
} satisfies Partial<Handlers>;

/**
 * Starts a build, with its archive unless it is a partner's app. A second upload, or one after the build was canceled,
 * has no effect.
 */
export async function startBuild(build: BuildRecord, platform: Platform, archivePath?: string): Promise<void> {
  const { store, faults, runner, now } = platform;
  const { settings } = build;
  const { signal } = runner;
  const hasEnded = build.startedAt !== undefined || build.cancelledAt !== undefined;
  const fault = hasEnded ? undefined : faults.take('build');
  const archive = archivePath ? await readArchive(archivePath, filesToRead).catch((error: Error) => error) : undefined;
  const requirements = requirementsOf(
    settings,
    archive instanceof Error ? undefined : archive?.contents.get('requirements.txt'),
  );
  const plan = await planBuild(build, requirements, platform);
  if (build.startedAt !== undefined || build.cancelledAt !== undefined) return;
  const input = { settings, ...defined({ archive, plan }) };
  build.script = createBuildScript(input, fault);
  build.startedAt = now();
  store.save();
  const app = store.apps.get(build.app);
  if (app && build.script.scenes.some(({ work }) => work)) {
    const kept = () => keepAfter(build, signal, platform);
    const needs = { requirements, differences: buildDifferences(input) };
    runner.runInBackground(performBuild(app, build, needs, platform, signal).then(kept));
  }
}

/** A build that fails may have ended the replicas that `min_replicas` keeps, for their address. */
async function keepAfter({ app: id, script }: BuildRecord, stopped: AbortSignal, platform: Platform): Promise<void> {
  const app = platform.store.apps.get(id);
  if (!app || stopped.aborted || buildPhase(script.end?.status ?? '') !== 'failed') return;
  await keepReplicas([app], platform);
}

/** Undefined if the whole build is simulated. */
async function planBuild(build: BuildRecord, requirements: Buffer, platform: Platform): Promise<BuildPlan | undefined> {
  const { runner } = platform;
  if (!runner.runsApps) return undefined;
  const obstacle = await whyNotRunnable(build, platform);
  if (obstacle || runner.installsPackages) return { installs: !obstacle, obstacle };
  const python = await runner.pythonFor(build.settings, requirements);
  return { installs: python?.hasPackages === true, obstacle };
}

function buildView(build: BuildRecord, now: number) {
  const { status, reason, notStarted, differences, changedAt } = getBuildProgress(build, now);
  const times = { createdAt: formatTime(build.createdAt), updatedAt: formatTime(changedAt) };
  const facts = defined({ notStarted, differences });
  return { id: build.id, status, ...times, ...(reason && { initError: reason }), ...facts };
}

/** A build that waits for its archive. */
export function createBuild(app: AppRecord, platform: Platform): BuildRecord {
  const { store, now, pace } = platform;
  const id = store.newId();
  const build: BuildRecord = {
    id,
    app: app.id,
    createdAt: now(),
    settings: app.settings,
    pace,
    keyName: `${app.project}/cortex/${fileNameOf(app.name)}/build-${id}.zip`,
    script: { scenes: [] },
  };
  store.builds.set(id, build);
  forgetOldBuilds(app, platform);
  store.save();
  return build;
}

/** With their archives. Those that have not ended stay. */
function forgetOldBuilds(app: AppRecord, platform: Platform): void {
  const { store, storage, maxBuilds } = platform;
  const old = store.getAppBuilds(app.id).slice(maxBuilds);
  if (old.length === 0) return;
  const serving = findReadyBuild(app, platform);
  for (const build of old) {
    if (build === serving || !build.script.end) continue;
    store.builds.delete(build.id);
    rmSync(join(storage, build.keyName), { force: true });
  }
}

/** The latest successful build. */
export function findReadyBuild(app: AppRecord, { store, now }: Platform): BuildRecord | undefined {
  return store.getAppBuilds(app.id).find((build) => buildPhase(getBuildProgress(build, now()).status) === 'succeeded');
}

/** Starts what `min_replicas` keeps of apps: after a start, after scaling, and with new secrets. */
export async function keepReplicas(apps: Iterable<AppRecord>, platform: Platform): Promise<void> {
  for (const app of apps) {
    const build = findReadyBuild(app, platform);
    if (build && platform.runner.runsApps && !(await whyNotRunnable(build, platform)))
      await platform.runner.keepReplicas(app, build);
  }
}

/** Why a build cannot run on this machine. */
export async function whyNotRunnable(
  { settings, files, keyName }: BuildRecord,
  { storage, runner }: Platform,
): Promise<NotStarted | undefined> {
  const { runtime, dockerfilePath } = settings;
  if (runtime !== 'cortex' && runtime !== 'custom') {
    return { calls: 'refused', reason: `the emulator cannot run ${runtime} apps: only the partner has their image` };
  }
  if (dockerfilePath) {
    return (await runner.containers()) === undefined ? { calls: 'refused', reason: noEngine } : undefined;
  }
  if (files || !existsSync(join(storage, keyName)))
    return { calls: 'simulated', reason: 'this app is seed data without code' };
  return (await runner.python()) ? undefined : { calls: 'simulated', reason: 'python3 not found' };
}

const noEngine = 'the emulator cannot run apps with a Dockerfile: neither docker nor podman is running on this machine';
