import { buildPhase, cancelBuild, listBuilds } from '../../platform/contract/builds.ts';
import type { RemoteWork } from '../../platform/waiting/index.ts';
import { fetchBuild } from './fetch-build.ts';

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
    isListed: async (api) => (await api(listBuilds, { project, app })).some(({ id }) => id === build),
    cancel: (api) => api(cancelBuild, params),
  };
}
