import type { Api } from '../../api/client.ts';
import { type Build, getBuild } from '../../contract/builds.ts';
import { expectId } from '../replies/index.ts';

/** Reads one build. Throws UnexpectedReplyError if the platform replies with another build. */
export async function fetchBuild(api: Api, params: { project: string; app: string; build: string }): Promise<Build> {
  return expectId('build', params.build, await api(getBuild, params));
}
