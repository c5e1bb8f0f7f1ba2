import type { Api } from '../../api/client.ts';
import { type Build, buildPhase, cancelBuild, getBuild } from '../../contract/builds.ts';
import { expectId } from '../replies/index.ts';
import type { RemoteWork } from '../waiting/index.ts';

/** Reads one build. Throws UnexpectedReplyError if the platform replies with another build. */
export async function fetchBuild(api: Api, params: { project: string; app: string; build: string }): Promise<Build> {
  return expectId('build', params.build, await api(getBuild, params));
}

/** A build as something that can be canceled. */
export function remoteBuild(project: string, app: string, build: string): RemoteWork {
  const params = { project, app, build };
  return {
    kind: 'build',
    app,
    id: build,
    async readStatus(api) {
      const { status } = await fetchBuild(api, params);
      return { status, hasEnded: buildPhase(status) !== 'in progress' };
    },
    cancel: (api) => api(cancelBuild, params),
  };
}
