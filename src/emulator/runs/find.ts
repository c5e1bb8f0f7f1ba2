import { callsOf, findCall } from '../seed/traffic.ts';
import { refuse } from '../server/reply.ts';
import type { AppRecord, RunRecord } from '../state/records.ts';
import type { Store } from '../state/store.ts';
import type { Range } from '../time.ts';

/** The runs of an app that came in a range, newest first: those recorded, and those its traffic makes up. */
export function runsOf(app: AppRecord, { start, end }: Range, { runs }: Store): RunRecord[] {
  const recorded = [...runs.values()].filter(
    (run) => run.app === app.id && run.createdAt >= start && run.createdAt <= end,
  );
  // Of a call that was made up and then changed, the change is recorded.
  const madeUp = callsOf(app, { start, end }).filter((run) => !runs.has(run.id));
  return recorded.length === 0 ? madeUp : [...recorded, ...madeUp].sort(newestFirst);
}

/** The run a path names. Refused with 404 when the app has none of that id, or will have it only later. */
export function findRun(app: AppRecord, id: string, { runs }: Store, now: number): RunRecord {
  const found = runs.get(id) ?? findCall(app, id);
  return found?.app === app.id && found.createdAt <= now ? found : refuse(404, `run ${id} not found`);
}

/** Where a run stands in a list. */
export type Place = Pick<RunRecord, 'createdAt' | 'id'>;

export function newestFirst(a: Place, b: Place): number {
  return b.createdAt - a.createdAt || Number(a.id < b.id) - Number(a.id > b.id);
}
