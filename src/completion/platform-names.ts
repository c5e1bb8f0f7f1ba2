import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Context } from '../context.ts';
import { listApps } from '../contract/apps.ts';
import { listBuilds } from '../contract/builds.ts';
import { toAppName } from '../contract/endpoint.ts';
import { listProjects } from '../contract/projects.ts';
import { makePrivateFolder, writeFileAtomicSync } from '../disk/index.ts';
import type { Candidate } from './candidates.ts';

/** How long names are good for, milliseconds. */
const maxAgeMs = 60_000;
/** How long a shell is kept waiting for them, milliseconds. */
const defaultTimeoutMs = 60;

interface CachedNames {
  at: number;
  words: Candidate[];
}

type Asked = Pick<Context, 'api' | 'settings' | 'project' | 'now'>;

/** Values that the platform knows, by the name the help gives them. */
const sources: Record<string, (context: Asked, typed: string[]) => Promise<Candidate[]>> = {
  async app({ api, project }) {
    const apps = await api(listApps, { project });
    return apps.map((app) => [app.name ?? toAppName(project, app.id), app.status ?? '']);
  },

  async build({ api, project }, [app = '']) {
    const builds = await api(listBuilds, { project, app });
    return builds.map((build) => [build.id, build.status]);
  },

  async project({ api }) {
    const projects = await api(listProjects, {});
    return projects.map(({ id, name }) => [id, name ?? '']);
  },
};

export function isPlatformName(value: string): boolean {
  return value in sources;
}

/**
 * The names of apps, builds or projects: kept ones if they are a minute old at most, else new ones if they come at once,
 * else the old ones. Never throws: a shell that completes has no use for an error. `inTime` tells whether they are new.
 */
export async function completePlatformName(
  context: Asked,
  value: string,
  typed: string[],
  patience = defaultTimeoutMs,
): Promise<{ words: Candidate[]; inTime: boolean }> {
  const ask = sources[value];
  if (!ask) return { words: [], inTime: true };
  const { file, key } = cacheLocation(context, value, typed);
  const kept = readCache(file);
  const old = kept[key];
  if (old && context.now() - old.at < maxAgeMs) return { words: old.words, inTime: true };
  try {
    const words = await within(patience, ask(context, typed));
    writeCache(file, { ...kept, [key]: { at: context.now(), words } });
    return { words, inTime: true };
  } catch {
    return { words: old?.words ?? [], inTime: false };
  }
}

function cacheLocation(context: Asked, value: string, typed: string[]): { file: string; key: string } {
  const { folders, addresses, profile } = context.settings;
  const file = join(folders.cache, 'names.json');
  if (value === 'project') return { file, key: `${addresses.management.value} ${profile.value} project` };
  const app = value === 'build' ? ` ${typed[0]}` : '';
  return { file, key: `${addresses.management.value} ${projectOf(context)} ${value}${app}` };
}

/** Not knowing the project is no error here. */
function projectOf(context: Asked): string {
  try {
    return context.project;
  } catch {
    return '';
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('too late')), ms);
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

/** Replaced whole, and for oneself only; a folder that cannot be written to means no cache. */
function writeCache(file: string, kept: Record<string, CachedNames>): void {
  try {
    makePrivateFolder(dirname(file));
    writeFileAtomicSync(file, JSON.stringify(kept), { mode: 0o600 });
  } catch {}
}
