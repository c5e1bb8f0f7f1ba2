import type { Api } from '../../api/client.ts';
import { cancelRun, getRun, type Run } from '../../contract/runs.ts';
import { expectId } from '../replies/index.ts';
import type { RemoteWork } from '../waiting/index.ts';
import { hasEnded, runStatus } from './run-status.ts';

/** Reads one run. Throws UnexpectedReplyError if the platform replies with another run. */
export async function fetchRun(api: Api, params: { project: string; app: string; run: string }): Promise<Run> {
  return expectId('run', params.run, (await api(getRun, params)).item);
}

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
    async cancel(api) {
      await api(cancelRun, params);
      return '';
    },
  };
}
