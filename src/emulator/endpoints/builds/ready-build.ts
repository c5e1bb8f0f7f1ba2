import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildPhase } from '../../../platform/contract/builds.ts';
import { getBuildProgress } from '../../model/builds/build-progress.ts';
import type { AppRecord, BuildRecord } from '../../model/state/records.ts';
import type { Platform } from '../platform.ts';

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
