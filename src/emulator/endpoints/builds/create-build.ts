import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileNameOf } from '../../model/state/file-names.ts';
import type { AppRecord, BuildRecord } from '../../model/state/records.ts';
import type { Platform } from '../platform.ts';
import { findReadyBuild } from './ready-build.ts';

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
