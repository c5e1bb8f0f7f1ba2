import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildPhase } from '../../../platform/contract/builds.ts';
import { getBuildProgress } from '../../model/builds/build-progress.ts';
import { fileNameOf } from '../../model/state/data-folder.ts';
import type { AppRecord, BuildRecord } from '../../model/state/records.ts';
import type { Platform } from '../platform.ts';

/** A build that waits for its archive. `registries` are those that credentials were sent for. */
export function createBuild(
  app: AppRecord,
  { registries }: Pick<BuildRecord, 'registries'>,
  platform: Platform,
): BuildRecord {
  const { store, now, pace } = platform;
  const id = store.newId();
  const build: BuildRecord = {
    id,
    app: app.id,
    createdAt: now(),
    settings: app.settings,
    registries,
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

/** Why a build cannot run on this machine: calls get `status` if there is one, and are simulated otherwise. */
export async function whyNotRunnable(
  { settings, files, keyName }: BuildRecord,
  { storage, runner }: Platform,
): Promise<{ reason: string; status?: number } | undefined> {
  const { runtime, dockerfilePath } = settings;
  if (runtime !== 'cortex' && runtime !== 'custom') {
    return { status: 501, reason: `the emulator cannot run ${runtime} apps: only the partner has their image` };
  }
  if (dockerfilePath) {
    return (await runner.containers()) === undefined ? { status: 501, reason: noEngine } : undefined;
  }
  if (files || !existsSync(join(storage, keyName))) return { reason: 'this app is seed data without code' };
  return (await runner.python()) ? undefined : { reason: 'python3 not found' };
}

const noEngine = 'the emulator cannot run apps with a Dockerfile: neither docker nor podman is running on this machine';
