import { platformOf, type StateKey, stateKey } from '../../config/state-key.ts';
import type { Context } from '../../context.ts';
import { isLoopbackHost } from '../../contract/address.ts';
import { pastOf, servedBefore } from '../../deploys/served-before.ts';
import { latestFirst } from '../../output/format.ts';
import { type AppHistory, readOwnHistory } from '../history/index.ts';
import { type KeptArchive, readRecords, recordName } from './archive-store.ts';

/**
 * The names of records that a rollback of some app rests on: of what serves and served before it, and of the two newest,
 * which may be these and were not seen yet. None of an app that is deleted, or of another emulator: it has ended.
 */
export async function neededRecords({ settings }: Context): Promise<Set<string>> {
  const { state } = settings.folders;
  const apps = new Map<StateKey, KeptArchive[]>();
  for (const kept of await readRecords(state)) {
    const key = stateKey(kept.platform, kept.project, kept.app);
    apps.set(key, [...(apps.get(key) ?? []), kept]);
  }
  const needed = new Set<string>();
  for (const [key, records] of apps) {
    if (records.some(({ platform }) => platform !== platformOf(settings) && isEmulator(platform))) continue;
    const history = await readOwnHistory(settings, key);
    if (!history.served() && !history.sent()) continue;
    const builds = neededBuilds(history, new Set(records.map(({ build }) => build)));
    const newest = records.sort(latestFirst(({ keptAt }) => keptAt)).slice(0, 2);
    for (const kept of [...newest, ...records.filter(({ build }) => builds.has(build))]) needed.add(recordName(kept));
  }
  return needed;
}

/**
 * What serves, what served before it, and the last one before that was not found sick. Of one whose archive is not kept,
 * the other builds of its files.
 */
export function neededBuilds(history: AppHistory, kept: ReadonlySet<string>): Set<string> {
  const [live, ...before] = servedBefore(pastOf([], history)).map(({ id }) => id);
  const found = [live, before[0], before.find((build) => !history.isSick(build))];
  const served = found.filter((build) => build !== undefined);
  return new Set(served.flatMap((build) => (kept.has(build) ? [build] : history.ofSame(build))));
}

function isEmulator(platform: string): boolean {
  return URL.canParse(platform) && isLoopbackHost(new URL(platform));
}
