import { refuse } from '../server/reply.ts';
import type { AppRecord, BuildRecord } from '../state/records.ts';
import type { Store } from '../state/store.ts';

/** Finds the app of a path by its id. Throws 404 when it does not exist. */
export function findApp(store: Store, { project, app }: { project: string; app: string }): AppRecord {
  const found = store.apps.get(app);
  return found?.project === project ? found : refuse(404, `app ${app} not found`);
}

/** The build a path names. Refused with 404 when its app has none of that id. */
export function findBuild(store: Store, named: { project: string; app: string; build: string }): BuildRecord {
  const { id } = findApp(store, named);
  const found = store.builds.get(named.build);
  return found?.app === id ? found : refuse(404, `build ${named.build} not found`);
}
