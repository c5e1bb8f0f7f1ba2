import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { clearPackingCache, packingUsage } from '../app/packing-cache/index.ts';
import { listArchives } from '../deploys/archives/index.ts';
import { entriesIn, sizesBelow, toDiskErrorOf } from '../kernel/disk/index.ts';
import { count, latestFirst, size } from '../kernel/output/format.ts';
import { boolean, choice, integer, nullable, type ObjectOf, text } from '../kernel/shape.ts';
import type { Context } from '../platform/context.ts';
import { shortAppName } from '../platform/contract/endpoint.ts';

export const cacheKinds = ['packing', 'archives', 'python', 'runs'] as const;

type CacheKind = (typeof cacheKinds)[number];

export const cacheEntryFields = {
  kind: choice(cacheKinds, 'packing, archives, python or runs'),
  app: nullable(text('app of an archive or of runs; null otherwise')),
  build: nullable(text('build that an archive was deployed as; null otherwise')),
  project: nullable(text('project of an archive or of runs; null otherwise')),
  files: integer('number of files'),
  bytes: integer('size'),
  usedAt: text('when it was kept, or used last: RFC 3339, UTC'),
  path: text('where it is; equal archives share a file'),
  removed: boolean('true if this command removed it'),
};
export type CacheEntry = ObjectOf<typeof cacheEntryFields>;

interface CacheFilter {
  kind?: CacheKind | undefined;
  app?: string | undefined;
  /** In ms. */
  olderThan?: number | undefined;
}

/** What is kept, by kind and newest first. */
export async function listCache(context: Context, filter: CacheFilter): Promise<CacheEntry[]> {
  return (await find(context, filter)).map(({ entry }) => entry);
}

/** Removes what {@link listCache} lists. Asks before it removes archives, which cannot be made again. */
export async function clearCache(context: Context, filter: CacheFilter): Promise<CacheEntry[]> {
  const { prompt, progress, willChange } = context;
  const files = await find(context, filter);
  if (files.length === 0) return [];
  const entries = files.map(({ entry }) => ({ ...entry, removed: true }));
  const archives = entries.filter(({ kind }) => kind === 'archives');
  if (archives.length > 0) {
    const what = `${count(archives.length, 'kept archive')} (${totalSize(archives)})`;
    await prompt.confirm(`Remove ${what}? gantry rollback cannot use them afterwards.`);
  }
  willChange(`remove ${totalSize(entries)}`, entries);
  for (const { entry, remove } of files) {
    try {
      await remove();
    } catch (error) {
      throw toDiskErrorOf(`cannot remove ${entry.path}`, error);
    }
  }
  progress.note(`removed ${totalSize(entries)}`);
  return entries;
}

interface KeptItem {
  entry: CacheEntry;
  remove: () => unknown;
}

async function find(context: Context, { kind, app, olderThan }: CacheFilter): Promise<KeptItem[]> {
  const oldest = olderThan === undefined ? Number.POSITIVE_INFINITY : -olderThan + context.now();
  const kinds = cacheKinds.filter((each) => kind === undefined || each === kind);
  const lists = await Promise.all(kinds.map((each) => sources[each](context)));
  return lists
    .flatMap((list) => list.sort(latestFirst(({ entry }) => entry.usedAt)))
    .filter(({ entry }) => app === undefined || entry.app === app || `${entry.project}-${entry.app}` === app)
    .filter(({ entry }) => Date.parse(entry.usedAt) <= oldest);
}

const sources: Record<CacheKind, (context: Context) => KeptItem[] | Promise<KeptItem[]>> = {
  packing({ settings }) {
    const { cache } = settings.folders;
    const { folder: path, files, bytes, usedAt } = packingUsage(cache);
    const entry = entryOf('packing', { files, bytes, usedAt: new Date(usedAt).toISOString(), path });
    return files === 0 ? [] : [{ entry, remove: () => clearPackingCache(cache) }];
  },
  async archives(context) {
    return (await listArchives(context)).map(({ kept, path, remove }) => {
      const { app, build, project, bytes, keptAt, entries } = kept;
      const facts = { app, build, project, files: entries.length, bytes, usedAt: keptAt, path };
      return { entry: entryOf('archives', facts), remove };
    });
  },
  python({ settings }) {
    const folder = pythonFolder(settings.folders.cache);
    const environments = entriesIn(folder).filter((entry) => entry.isDirectory());
    return Promise.all(environments.map(({ name }) => describeEnvironment(join(folder, name))));
  },
  async runs({ settings }) {
    const { listKeptRuns } = await import('../insight/run-mirror/index.ts');
    const kept = await listKeptRuns(settings.folders.cache);
    return kept.map(({ remove, app, project, ...facts }) => {
      const owner = { app: shortAppName(project, app), project };
      return { entry: entryOf('runs', { ...facts, ...owner }), remove };
    });
  },
};

type EntryFacts = Pick<CacheEntry, 'files' | 'bytes' | 'usedAt' | 'path'> & Partial<CacheEntry>;

function entryOf(kind: CacheKind, facts: EntryFacts): CacheEntry {
  return { kind, app: null, build: null, project: null, ...facts, removed: false };
}

/** Equal archives share a file. */
function totalSize(entries: readonly CacheEntry[]): string {
  const bytes = new Map(entries.map((entry) => [entry.path, entry.bytes]));
  return size([...bytes.values()].reduce((sum, each) => sum + each, 0));
}

/** Where the emulator keeps Python environments, one for each list of requirements. `cache`: gantry's folder for caches. */
export function pythonFolder(cache: string): string {
  return join(cache, 'python');
}

async function describeEnvironment(path: string): Promise<KeptItem> {
  // The emulator writes this file each time it uses the environment.
  const used = (await stat(join(path, 'complete')).catch(() => undefined)) ?? (await stat(path));
  const sizes = await sizesBelow(path);
  const bytes = sizes.reduce((sum, each) => sum + each, 0);
  const facts = { files: sizes.length, bytes, usedAt: used.mtime.toISOString(), path };
  return { entry: entryOf('python', facts), remove: () => rm(path, { recursive: true, force: true }) };
}
