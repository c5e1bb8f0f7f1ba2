import { findGeneratedRun, generateRuns } from '../seed/traffic.ts';
import { refuse } from '../server/reply.ts';
import type { AppRecord, RunRecord } from '../state/records.ts';
import type { Store } from '../state/store.ts';
import type { TimeRange } from '../time.ts';

/** The runs of an app that came in a range, newest first: those recorded, and those its traffic makes up. */
export function findRuns(app: AppRecord, { start, end }: TimeRange, { runs }: Store): RunRecord[] {
  const recorded = [...runs.values()].filter(
    (run) => run.app === app.id && run.createdAt >= start && run.createdAt <= end,
  );
  // Of a call that was made up and then changed, the change is recorded.
  const madeUp = generateRuns(app, { start, end }).filter((run) => !runs.has(run.id));
  return recorded.length === 0 ? madeUp : [...recorded, ...madeUp].sort(compareNewestFirst);
}

/** The run a path names. Refused with 404 when the app has none of that id, or will have it only later. */
export function findRun(app: AppRecord, id: string, { runs }: Store, now: number): RunRecord {
  const found = runs.get(id) ?? findGeneratedRun(app, id);
  return found?.app === app.id && found.createdAt <= now ? found : refuse(404, `run ${id} not found`);
}

/** Where a run stands in a list. */
export type RunPosition = Pick<RunRecord, 'createdAt' | 'id'>;

export function compareNewestFirst(a: RunPosition, b: RunPosition): number {
  return b.createdAt - a.createdAt || Number(a.id < b.id) - Number(a.id > b.id);
}
