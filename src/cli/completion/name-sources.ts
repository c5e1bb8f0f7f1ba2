import { defaultRegion } from '../../platform/config/setting-values.ts';
import type { Context } from '../../platform/context.ts';
import { appName, listApps } from '../../platform/contract/apps.ts';
import { listBuilds } from '../../platform/contract/builds.ts';
import { listContainers } from '../../platform/contract/containers.ts';
import { listRuns } from '../../platform/contract/runs.ts';
import { getAppSecrets, getProjectSecrets } from '../../platform/contract/secrets.ts';
import { listProjects } from '../../platform/contract/session.ts';
import { listServiceAccounts } from '../../platform/contract/team.ts';
import { listFolder } from '../../platform/contract/volumes.ts';
import type { Candidate, ValueAtCursor } from './candidates.ts';

export type NamesContext = Pick<Context, 'api' | 'settings' | 'project'>;

export type CursorPlace = Pick<ValueAtCursor, 'typed' | 'given'> & { typing: string };

type NameSource = (context: NamesContext, place: CursorPlace) => Promise<Candidate[]>;

export type PlatformName = keyof typeof nameSources;

export const nameSources = {
  async app({ api, project }) {
    const apps = await api(listApps, { project });
    return apps.map((app) => [appName(app, project), app.status ?? '']);
  },

  async build({ api, project }, { typed: [app = ''] }) {
    const builds = await api(listBuilds, { project, app });
    return builds.map((build) => [build.id, build.status]);
  },

  async run({ api, project }, { typed: [app = ''] }) {
    const { items } = await api(listRuns, { project, app });
    return items.map((run) => [run.id, [run.status, run.functionName].filter(Boolean).join(' ')]);
  },

  async container({ api, project }, { typed: [app = ''] }) {
    const containers = await api(listContainers, { project, app });
    return containers.map(({ containerId, containerState }) => [containerId, containerState ?? '']);
  },

  async project({ api }) {
    const projects = await api(listProjects, {});
    return projects.map(({ id, name }) => [id, name ?? '']);
  },

  async secret({ api, project }, { given: { '--app': app } }) {
    const stored = app ? await api(getAppSecrets, { project, app }) : await api(getProjectSecrets, { project });
    return Object.keys(stored).map((name) => [name, '']);
  },

  async 'service-account'({ api, project }) {
    const { serviceAccounts } = await api(listServiceAccounts, { project });
    return serviceAccounts.map(({ id, name }) => [id, name ?? '']);
  },

  async 'remote-path'({ api, project, settings }, { typing }) {
    const [volume, dir] = folderOf(typing);
    const query = { region: settings.region.value ?? defaultRegion, dir };
    const entries = await api(listFolder, { project, volume, query });
    return Array.from(entries, ({ name, is_folder }) => {
      const isFolder = is_folder || name.endsWith('/');
      return [`${typing.replace(/[^/:]*$/, '')}${name.replace(/\/$/, '')}${isFolder ? '/' : ''}`, ''];
    });
  },
} satisfies Record<string, NameSource>;

/** The volume, and the folder that is being typed, with slashes around it: `default:/a/b` is in `/a/`. */
function folderOf(typing: string): [volume: string, dir: string] {
  const [, volume = '', path = ''] = /^(?:([^:/]*):)?(.*)$/s.exec(typing) ?? [];
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  return [volume || 'default', `/${folder}`.replace(/\/+/g, '/')];
}
