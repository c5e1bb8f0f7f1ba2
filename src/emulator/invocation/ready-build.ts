import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildPhase } from '../../contract/builds.ts';
import { getBuildProgress } from '../builds/build-progress.ts';
import type { Platform } from '../platform.ts';
import type { AppRecord, BuildRecord } from '../state/records.ts';

/** The latest build that can be called. */
export function findReadyBuild(app: AppRecord, { store, now }: Platform): BuildRecord | undefined {
  return store.getAppBuilds(app.id).find((build) => buildPhase(getBuildProgress(build, now()).status) === 'succeeded');
}

/** Why an app cannot run on this machine. With a status that is the answer, without one calls are simulated. */
export function whyNotRunnable(
  { settings, files, keyName }: BuildRecord,
  python: string | undefined,
  { storage }: Platform,
): { reason: string; status?: number } | undefined {
  const { runtime, dockerfilePath } = settings;
  if (runtime !== 'cortex' && runtime !== 'custom') {
    return { status: 501, reason: `the emulator cannot run a ${runtime} app: its image is the partner's` };
  }
  if (dockerfilePath) return { status: 501, reason: 'the emulator cannot run an app that has a Dockerfile' };
  if (files || !existsSync(join(storage, keyName))) return { reason: 'this app was made up, it has no code' };
  return python ? undefined : { reason: 'there is no python3 on this machine' };
}
