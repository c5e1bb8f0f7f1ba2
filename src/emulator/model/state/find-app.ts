import { refuse } from '../../http/reply.ts';
import type { AppRecord, BuildRecord } from './records.ts';
import type { Store } from './store.ts';

/** Refuses with 404 if the project has no app with this id. */
export function findApp(store: Store, { project, app }: { project: string; app: string }): AppRecord {
  const record = store.apps.get(app);
  return record?.project === project ? record : refuse(404, `app ${app} not found`);
}

/** Refuses with 404 if the app has no build with this id. */
export function findBuild(store: Store, params: { project: string; app: string; build: string }): BuildRecord {
  const { id } = findApp(store, params);
  const build = store.builds.get(params.build);
  return build?.app === id ? build : refuse(404, `build ${params.build} not found`);
}
