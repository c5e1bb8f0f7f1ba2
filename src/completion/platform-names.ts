import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Context } from '../context.ts';
import { listApps } from '../contract/apps.ts';
import { listBuilds } from '../contract/builds.ts';
import { shortAppName } from '../contract/endpoint.ts';
import { listProjects } from '../contract/projects.ts';
import { makePrivateFolder, writeFileAtomicSync } from '../disk/index.ts';
import type { Candidate } from './candidates.ts';

/** Maximum age of cached names. */
const maxAgeMs = 60_000;
/** Maximum time a shell waits. */
const defaultTimeoutMs = 60;

interface CachedNames {
  at: number;
  words: Candidate[];
}

type NamesContext = Pick<Context, 'api' | 'settings' | 'project' | 'now'>;

/** Values that need a request, by their name in the help. */
const sources: Record<string, (context: NamesContext, typed: string[]) => Promise<Candidate[]>> = {
  async app({ api, project }) {
    const apps = await api(listApps, { project });
    return apps.map((app) => [app.name ?? shortAppName(project, app.id), app.status ?? '']);
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
 * The names of apps, builds or projects: cached ones if they are fresh, else new ones if they arrive in time, else stale
 * ones (`inTime` is false then). Never throws.
 */
export async function completePlatformName(
  context: NamesContext,
  value: string,
  typed: string[],
  timeoutMs = defaultTimeoutMs,
): Promise<{ words: Candidate[]; inTime: boolean }> {
  const request = sources[value];
  if (!request) return { words: [], inTime: true };
  const { file, key } = cacheLocation(context, value, typed);
  const kept = readCache(file);
  const old = kept[key];
  if (old && context.now() - old.at < maxAgeMs) return { words: old.words, inTime: true };
  try {
    const words = await withTimeout(timeoutMs, request(context, typed));
    writeCache(file, { ...kept, [key]: { at: context.now(), words } });
    return { words, inTime: true };
  } catch {
    return { words: old?.words ?? [], inTime: false };
  }
}

function cacheLocation(context: NamesContext, value: string, typed: string[]): { file: string; key: string } {
  const { folders, addresses, profile } = context.settings;
  const file = join(folders.cache, 'names.json');
  if (value === 'project') return { file, key: `${addresses.management.value} ${profile.value} project` };
  const app = value === 'build' ? ` ${typed[0]}` : '';
  return { file, key: `${addresses.management.value} ${projectOf(context)} ${value}${app}` };
}

/** Empty if no project is set. */
function projectOf(context: NamesContext): string {
  try {
    return context.project;
  } catch {
    return '';
  }
}

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
