import type { Api } from '../../api/client.ts';
import { type Build, getBuild } from '../../contract/builds.ts';
import { expectAsked } from '../replies/index.ts';

/** The state of one build. Throws UnexpectedReplyError when the platform answers with that of another one. */
export async function askedBuild(api: Api, named: { project: string; app: string; build: string }): Promise<Build> {
  return expectAsked('build', named.build, await api(getBuild, named));
}
