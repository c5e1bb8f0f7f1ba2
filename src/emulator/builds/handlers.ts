import { join } from 'node:path';
import { buildPhase } from '../../contract/builds.ts';
import { findApp, findBuild } from '../apps/find.ts';
import type { Handlers, Platform } from '../platform.ts';
import { refuse } from '../server/reply.ts';
import type { AppRecord, BuildRecord } from '../state/records.ts';
import { rfc3339 } from '../time.ts';
import { type Archive, listFiles, unpack } from './archive.ts';
import { readBuild } from './build-status.ts';
import { filesToRead, writeScript } from './script.ts';

type BuildHandlers = Pick<Handlers, 'listBuilds' | 'getBuild' | 'getBuildLogs' | 'getBuildZipContents' | 'cancelBuild'>;

export const builds: BuildHandlers = {
  listBuilds(given, { store, now }) {
    return store.buildsOf(findApp(store, given).id).map((build) => view(build, now()));
  },

  getBuild(given, { store, now }) {
    const build = findBuild(store, given);
    const { surprise } = build.script;
    if (!surprise) return view(build, now());
    delete build.script.surprise;
    store.save();
    return { ...view(build, now()), status: surprise };
  },

  getBuildLogs(given, { store, now }) {
    const build = findBuild(store, given);
    const { status, lines } = readBuild(build, now());
    const logs = lines.map(({ at, text }, index) => ({
      id: `${build.id}-${index + 1}`,
      createdAt: rfc3339(at),
      log: text,
    }));
    return { logs, status };
  },

  async getBuildZipContents(given, { store, storage, archiveLimits }) {
    const build = findBuild(store, given);
    if (build.files) return { id: build.id, zipFiles: build.files };
    const files = await listFiles(join(storage, build.keyName), archiveLimits).catch(() =>
      refuse(404, `build ${build.id} has no readable archive`),
    );
    return { id: build.id, zipFiles: Object.fromEntries(files) };
  },

  cancelBuild(given, { store, now }) {
    const build = findBuild(store, given);
    const { status } = readBuild(build, now());
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
  const { store, faults, running, now, archiveLimits } = platform;
  const { settings, registries } = build;
  const archive =
    pathOfArchive && (await unpack(pathOfArchive, filesToRead(settings), archiveLimits).catch((error: Error) => error));
  if (build.startedAt !== undefined || build.cancelledAt !== undefined) return;
  const requirements = archive instanceof Error || !archive || !running.installs ? '' : requirementsIn(archive);
  const job = { settings, registries, ...(archive && { archive }) };
  build.script = writeScript(job, faults.take('build'));
  build.startedAt = now();
  if (requirements) running.behind(installFor(build, requirements, platform));
  store.save();
}

/** Takes the list out of an archive, so that its installation is not also made up. */
function requirementsIn({ texts }: Archive): string {
  const requirements = texts.get('requirements.txt') ?? '';
  texts.delete('requirements.txt');
  return requirements;
}

/** Installs what a build needs. Until that is done it goes on; what pip prints is part of its log. */
async function installFor(build: BuildRecord, requirements: string, { running, store }: Platform): Promise<void> {
  const { scenes, ...script } = build.script;
  const installing = { status: 'building' as const, lines: ['PIP_INSTALL_STARTED'] };
  const [before, after] = [scenes.slice(0, -1), scenes.slice(-1)];
  build.script = { scenes: [...before, installing] };
  build.script = await running
    .pythonWith(requirements, (line) => installing.lines.push(line))
    .then(
      () => ({ ...script, scenes: [...before, installing, ...after] }),
      ({ message }: Error) => ({ scenes: [...before, installing], end: { status: 'build_failure', reason: message } }),
    );
  store.save();
}

function view(build: BuildRecord, now: number) {
  const { status, reason, changedAt } = readBuild(build, now);
  const times = { createdAt: rfc3339(build.createdAt), updatedAt: rfc3339(changedAt) };
  return { id: build.id, status, ...times, ...(reason && { initError: reason }) };
}
