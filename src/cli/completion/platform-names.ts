import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after } from '../../kernel/clock.ts';
import { makePrivateFolder, writeFileAtomicSync } from '../../kernel/disk/index.ts';
import { platformOf, stateKey } from '../../platform/config/state-key.ts';
import type { Candidate } from './candidates.ts';
import { type NamesContext, nameKeys, type Place, type PlatformName } from './name-keys.ts';

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

/**
 * Names of the platform: cached ones if they are fresh, else new ones if they arrive in time, else stale ones (`inTime` is
 * false then). Never throws.
 */
export async function completePlatformName(
  context: NamesContext,
  kind: PlatformName,
  place: Place,
  timeoutMs = defaultTimeoutMs,
): Promise<{ words: Candidate[]; inTime: boolean }> {
  const { file, key } = cacheLocation(context, nameKeys[kind](place, context));
  const kept = readCache(file);
  const old = kept[key];
  if (old && context.now() - old.at < maxAgeMs) return { words: old.words, inTime: true };
  try {
    // Not loaded for cached names: endpoints and their schemas take longer than all else here.
    const { nameSources } = await import('./name-sources.ts');
    const words = (await withTimeout(timeoutMs, nameSources[kind](context, place))).slice(0, maxNames);
    writeCache(file, { ...withoutOld(kept, context.now()), [key]: { at: context.now(), words } });
    return { words, inTime: true };
  } catch {
    return { words: old?.words ?? [], inTime: false };
  }
}

function cacheLocation(context: NamesContext, key: string): { file: string; key: string } {
  const { settings } = context;
  const project = key === 'project' ? '' : projectOf(context);
  return {
    file: join(settings.folders.cache, 'names.json'),
    key: stateKey(platformOf(settings), settings.profile.value, project, key),
  };
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
  let stopTimer = () => {};
  const late = new Promise<never>((_, reject) => {
    stopTimer = after(ms, () => reject(new Error('timed out')));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    stopTimer();
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
