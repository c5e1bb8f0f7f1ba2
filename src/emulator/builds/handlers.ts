import { join } from 'node:path';
import { buildPhase } from '../../contract/builds.ts';
import { findApp, findBuild } from '../apps/find.ts';
import type { Handlers, Platform } from '../platform.ts';
import { refuse } from '../server/reply.ts';
import type { AppRecord, BuildRecord } from '../state/records.ts';
import { formatTime } from '../time.ts';
import { listArchive, type ReadArchive, readArchive } from './archive.ts';
import { getBuildProgress } from './build-progress.ts';
import { createBuildScript, filesToRead } from './script.ts';

type BuildHandlers = Pick<Handlers, 'listBuilds' | 'getBuild' | 'getBuildLogs' | 'getBuildZipContents' | 'cancelBuild'>;

export const buildHandlers: BuildHandlers = {
  listBuilds(given, { store, now }) {
    return store.getAppBuilds(findApp(store, given).id).map((build) => buildView(build, now()));
  },

  getBuild(given, { store, now }) {
    const build = findBuild(store, given);
    const { surprise } = build.script;
    if (!surprise) return buildView(build, now());
    delete build.script.surprise;
    store.save();
    return { ...buildView(build, now()), status: surprise };
  },

  getBuildLogs(given, { store, now }) {
    const build = findBuild(store, given);
    const { status, lines } = getBuildProgress(build, now());
    const logs = lines.map(({ at, text }, index) => ({
      id: `${build.id}-${index + 1}`,
      createdAt: formatTime(at),
      log: text,
    }));
    return { logs, status };
  },

  async getBuildZipContents(given, { store, storage, archiveLimits }) {
    const build = findBuild(store, given);
    if (build.files) return { id: build.id, zipFiles: build.files };
    const files = await listArchive(join(storage, build.keyName), archiveLimits).catch(() =>
      refuse(404, `build ${build.id} has no readable archive`),
    );
    return { id: build.id, zipFiles: Object.fromEntries(files) };
  },

  cancelBuild(given, { store, now }) {
    const build = findBuild(store, given);
    const { status } = getBuildProgress(build, now());
    if (buildPhase(status) !== 'in progress') refuse(400, `build ${build.id} cannot be cancelled: it is ${status}`);
    build.cancelledAt = now();
    store.save();
    return `Build ${build.id} cancelled`;
  },
};

/** A new build of an app, waiting for its archive. `registries` are those the deploy sent a login for. */
export function createBuild(app: AppRecord, registries: string[], { store, now, pace }: Platform): BuildRecord {
  const id = store.newId();
  const build = {
    ...{ id, app: app.id, createdAt: now(), settings: app.settings, registries, pace },
    keyName: `${app.project}/cortex/${app.name}/build-${id}.zip`,
    script: { scenes: [] },
  };
  store.builds.set(id, build);
  store.save();
  return build;
}

/**
 * Sets a build going, with its archive unless it is a partner's. A build goes once: an archive that comes a second
 * time, or after the build was cancelled, changes nothing.
 */
export async function startBuild(build: BuildRecord, platform: Platform, pathOfArchive?: string): Promise<void> {
  const { store, faults, runner, now, archiveLimits } = platform;
  const { settings, registries } = build;
  const archive =
    pathOfArchive &&
    (await readArchive(pathOfArchive, filesToRead(settings), archiveLimits).catch((error: Error) => error));
  if (build.startedAt !== undefined || build.cancelledAt !== undefined) return;
  const requirements =
    archive instanceof Error || !archive || !runner.installsPackages ? '' : takeRequirements(archive);
  const job = { settings, registries, ...(archive && { archive }) };
  build.script = createBuildScript(job, faults.take('build'));
  build.startedAt = now();
  if (requirements) runner.runInBackground(installRequirements(build, requirements, platform));
  store.save();
}

/** Takes the list out of an archive, so that its installation is not also made up. */
function takeRequirements({ texts }: ReadArchive): string {
  const requirements = texts.get('requirements.txt') ?? '';
  texts.delete('requirements.txt');
  return requirements;
}

/** Installs what a build needs. Until that is done it goes on; what pip prints is part of its log. */
async function installRequirements(
  build: BuildRecord,
  requirements: string,
  { runner, store }: Platform,
): Promise<void> {
  const { scenes, ...script } = build.script;
  const installing = { status: 'building' as const, lines: ['PIP_INSTALL_STARTED'] };
  const [before, after] = [scenes.slice(0, -1), scenes.slice(-1)];
  build.script = { scenes: [...before, installing] };
  build.script = await runner
    .pythonWith(requirements, (line) => installing.lines.push(line))
    .then(
      () => ({ ...script, scenes: [...before, installing, ...after] }),
      ({ message }: Error) => ({ scenes: [...before, installing], end: { status: 'build_failure', reason: message } }),
    );
  store.save();
}

function buildView(build: BuildRecord, now: number) {
  const { status, reason, changedAt } = getBuildProgress(build, now);
  const times = { createdAt: formatTime(build.createdAt), updatedAt: formatTime(changedAt) };
  return { id: build.id, status, ...times, ...(reason && { initError: reason }) };
}
