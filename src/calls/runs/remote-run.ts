import { cancelRun, listRuns } from '../../platform/contract/runs.ts';
import type { RemoteWork } from '../../platform/waiting/index.ts';
import { fetchRun } from './fetch-run.ts';
import { hasEnded, runStatus } from './run-status.ts';

/** A run as something that can be canceled. */
export function remoteRun(project: string, app: string, run: string): RemoteWork {
  const params = { project, app, run };
  return {
    kind: 'run',
    app,
    id: run,
    async readStatus(api) {
      const item = await fetchRun(api, params);
      return { status: runStatus(item), hasEnded: hasEnded(item) };
    },
    async isListed(api) {
      const { items } = await api(listRuns, { project, app, query: {} });
      return items.some(({ id }) => id === run);
    },
    cancel: (api) => api(cancelRun, params),
  };
}
