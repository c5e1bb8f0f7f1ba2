import type { Api } from '../../api/client.ts';
import { getRun, type Run } from '../../contract/runs.ts';
import { expectId } from '../replies/index.ts';

/** Reads one run. Throws UnexpectedReplyError if the platform replies with another run. */
export async function fetchRun(api: Api, params: { project: string; app: string; run: string }): Promise<Run> {
  return expectId('run', params.run, (await api(getRun, params)).item);
}
