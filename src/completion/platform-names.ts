import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Context } from '../context.ts';
import { listApps } from '../contract/apps.ts';
import { listBuilds } from '../contract/builds.ts';
import { listContainers } from '../contract/containers.ts';
import { shortAppName } from '../contract/endpoint.ts';
import { listProjects } from '../contract/projects.ts';
import { listRuns } from '../contract/runs.ts';
import { getAppSecrets, getProjectSecrets } from '../contract/secrets.ts';
import { listServiceAccounts } from '../contract/service-accounts.ts';
import { listFolder } from '../contract/volumes.ts';
import { makePrivateFolder, writeFileAtomicSync } from '../disk/index.ts';
import type { Candidate, ValueAtCursor } from './candidates.ts';
import type { ValueKind } from './value-kinds.ts';

/** Maximum age of cached names. */
const maxAgeMs = 60_000;
/** Maximum time a shell waits. */
const defaultTimeoutMs = 60;
/** Runs and the files of a folder may be many. */
const maxNames = 500;

interface CachedNames {
  at: number;
  words: Candidate[];
}

type NamesContext = Pick<Context, 'api' | 'settings' | 'project' | 'now'>;

type Place = Pick<ValueAtCursor, 'typed' | 'given'> & { typing: string };

/** Names that need a request. */
interface NameSource {
  /** What the names depend on besides the project: the same key, the same names. */
  key: (place: Place, context: NamesContext) => string;
  read: (context: NamesContext, place: Place) => Promise<Candidate[]>;
}

export const platformNames: { [Kind in ValueKind]?: NameSource } = {
  app: {
    key: () => 'app',
    async read({ api, project }) {
      const apps = await api(listApps, { project });
      return apps.map((app) => [app.name ?? shortAppName(project, app.id), app.status ?? '']);
    },
  },
  build: {
    key: ({ typed: [app] }) => `build ${app}`,
    async read({ api, project }, { typed: [app = ''] }) {
      const builds = await api(listBuilds, { project, app });
      return builds.map((build) => [build.id, build.status]);
    },
  },
  run: {
    key: ({ typed: [app] }) => `run ${app}`,
    async read({ api, project }, { typed: [app = ''] }) {
      const { items } = await api(listRuns, { project, app });
      return items.map((run) => [run.id, [run.status, run.functionName].filter(Boolean).join(' ')]);
    },
  },
  container: {
    key: ({ typed: [app] }) => `container ${app}`,
    async read({ api, project }, { typed: [app = ''] }) {
      const containers = (await api(listContainers, { project, app })) ?? [];
      return containers.map(({ containerId, containerState }) => [containerId, containerState ?? '']);
    },
  },
  project: {
    key: () => 'project',
    async read({ api }) {
      const projects = await api(listProjects, {});
      return projects.map(({ id, name }) => [id, name ?? '']);
    },
  },
  /** Without their values, which are not even cached. */
  secret: {
    key: ({ given }) => `secret ${given['--app'] ?? ''}`,
    async read({ api, project }, { given: { '--app': app } }) {
      const stored = app ? await api(getAppSecrets, { project, app }) : await api(getProjectSecrets, { project });
      return Object.keys(stored ?? {}).map((name) => [name, '']);
    },
  },
  'service-account': {
    key: () => 'service-account',
    async read({ api, project }) {
      const { serviceAccounts } = await api(listServiceAccounts, { project });
      return (serviceAccounts ?? []).map(({ id, name }) => [id, name ?? '']);
    },
  },
  'remote-path': {
    // As it is typed, because the names begin with it.
    key: ({ typing }, { settings }) => `path ${settings.region.value ?? ''} ${typedFolder(typing)}`,
    async read({ api, project, settings }, { typing }) {
      const [volume, dir] = folderOf(typing);
      const entries = await api(listFolder, {
        project,
        volume,
        query: { region: settings.region.value ?? 'us-east-1', dir },
      });
      return entries.map(({ name, is_folder }) => {
        const isFolder = is_folder || name.endsWith('/');
        return [`${typedFolder(typing)}${name.replace(/\/$/, '')}${isFolder ? '/' : ''}`, ''];
      });
    },
  },
};

/** What is typed up to the last slash or colon. */
function typedFolder(typing: string): string {
  return typing.slice(0, Math.max(typing.lastIndexOf('/'), typing.lastIndexOf(':')) + 1);
}

/** The volume, and the folder that is being typed, with slashes around it: `default:/a/b` is in `/a/`. */
function folderOf(typing: string): [volume: string, dir: string] {
  const [, volume = '', path = ''] = /^(?:([^:/]*):)?(.*)$/s.exec(typing) ?? [];
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  return [volume || 'default', `/${folder}`.replace(/\/+/g, '/')];
}

/**
 * The names of a source: cached ones if they are fresh, else new ones if they arrive in time, else stale ones (`inTime` is
 * false then). Never throws.
 */
export async function completePlatformName(
  context: NamesContext,
  source: NameSource,
  place: Place,
  timeoutMs = defaultTimeoutMs,
): Promise<{ words: Candidate[]; inTime: boolean }> {
  const { file, key } = cacheLocation(context, source.key(place, context));
  const kept = readCache(file);
  const old = kept[key];
  if (old && context.now() - old.at < maxAgeMs) return { words: old.words, inTime: true };
  try {
    const words = (await withTimeout(timeoutMs, source.read(context, place))).slice(0, maxNames);
    writeCache(file, { ...withoutOld(kept, context.now()), [key]: { at: context.now(), words } });
    return { words, inTime: true };
  } catch {
    return { words: old?.words ?? [], inTime: false };
  }
}

function cacheLocation(context: NamesContext, key: string): { file: string; key: string } {
  const { folders, addresses, profile } = context.settings;
  const place = [addresses.management.value, profile.value, key === 'project' ? '' : projectOf(context)];
  return { file: join(folders.cache, 'names.json'), key: [...place, key].join(' ') };
}

/** Empty if no project is set. */
function projectOf(context: NamesContext): string {
  try {
    return context.project;
  } catch {
    return '';
  }
}

/** Each folder of a volume is an entry of its own, so the cache would grow forever. */
function withoutOld(kept: Record<string, CachedNames>, now: number): Record<string, CachedNames> {
  return Object.fromEntries(Object.entries(kept).filter(([, { at }]) => now - at < maxKeptMs));
}

const maxKeptMs = 86_400_000;

async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('timed out')), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function readCache(file: string): Record<string, CachedNames> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

/** Best-effort: without a writable folder there is no cache. */
function writeCache(file: string, kept: Record<string, CachedNames>): void {
  try {
    makePrivateFolder(dirname(file));
    writeFileAtomicSync(file, JSON.stringify(kept), { mode: 0o600 });
  } catch {}
}
