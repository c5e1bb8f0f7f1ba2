import type { Context } from '../../context.ts';
import { shortAppName } from '../../contract/endpoint.ts';
import { count, latestFirst, size } from '../../output/format.ts';
import { type KeptArchive, readRecords, removeRecord } from './archive-store.ts';
import { removeUnused } from './limits.ts';

/** An archive that is kept on this machine. */
export interface ListedArchive extends Pick<KeptArchive, 'project' | 'app' | 'build' | 'bytes' | 'sha256' | 'keptAt'> {
  files: number;
  /** Whether it was removed by this command. */
  removed: boolean;
}

interface ArchiveFilter {
  app?: string | undefined;
  /** In ms. */
  olderThan?: number | undefined;
}

/** What is kept, newest first: of one app, or of all apps of any project and platform. */
export async function listArchives(context: Context, filter: ArchiveFilter): Promise<ListedArchive[]> {
  return (await findArchives(context, filter)).map((kept) => listed(kept, false));
}

/** Removes what {@link listArchives} lists, after a question. */
export async function pruneArchives(context: Context, filter: ArchiveFilter): Promise<ListedArchive[]> {
  const { prompt, willChange, settings, now } = context;
  const found = await findArchives(context, filter);
  if (found.length === 0) return [];
  const result = found.map((kept) => listed(kept, true));
  const bytes = new Map(found.map((kept) => [kept.sha256, kept.bytes]));
  const total = size([...bytes.values()].reduce((sum, each) => sum + each, 0));
  const what = `${count(found.length, 'kept archive')} (${total})`;
  await prompt.confirm(`Remove ${what}? gantry rollback cannot use them afterwards.`);
  willChange(`remove ${what}`, result);
  for (const kept of found) await removeRecord(settings.folders.state, kept);
  await removeUnused(settings.folders.state, now());
  return result;
}

async function findArchives(context: Context, { app, olderThan }: ArchiveFilter): Promise<KeptArchive[]> {
  const oldest = olderThan === undefined ? Number.POSITIVE_INFINITY : -olderThan + context.now();
  const all = await readRecords(context.settings.folders.state);
  return all
    .filter((kept) => app === undefined || kept.app === shortAppName(kept.project, app))
    .filter(({ keptAt }) => Date.parse(keptAt) <= oldest)
    .sort(latestFirst(({ keptAt }) => keptAt));
}

function listed({ project, app, build, bytes, sha256, keptAt, entries }: KeptArchive, removed: boolean): ListedArchive {
  return { project, app, build, bytes, files: entries.length, sha256, keptAt, removed };
}
