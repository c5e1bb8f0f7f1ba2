import { fileNameOf } from '../../model/state/file-names.ts';
import type { AppRecord, BuildRecord } from '../../model/state/records.ts';
import type { Platform } from '../platform.ts';

/** A build that waits for its archive. `registries` are those that credentials were sent for. */
export function createBuild(
  app: AppRecord,
  { registries }: Pick<BuildRecord, 'registries'>,
  { store, now, pace }: Platform,
): BuildRecord {
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
  store.save();
  return build;
}
