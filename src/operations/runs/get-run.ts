import type { Api } from '../../api/client.ts';
import { getRun, type Run } from '../../contract/runs.ts';
import { expectAsked } from '../replies/index.ts';

/** The state of one run. Throws UnexpectedReplyError when the platform answers with that of another one. */
export async function askedRun(api: Api, named: { project: string; app: string; run: string }): Promise<Run> {
  return expectAsked('run', named.run, (await api(getRun, named)).item);
}
