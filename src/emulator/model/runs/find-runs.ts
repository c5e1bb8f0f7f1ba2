import { refuse } from '../../http/reply.ts';
import { findGeneratedRun, generateRuns } from '../seed/traffic.ts';
import type { AppRecord, RunRecord } from '../state/records.ts';
import type { Store } from '../state/store.ts';
import type { TimeRange } from '../time.ts';

/** Recorded and generated runs of an app that were created in a range, newest first. */
export function findRuns(app: AppRecord, { start, end }: TimeRange, { runs }: Store): RunRecord[] {
  const recorded = [...runs.values()].filter(
    (run) => run.app === app.id && run.createdAt >= start && run.createdAt <= end,
  );
  // A generated run that was changed is recorded.
  const generated = generateRuns(app, { start, end }).filter((run) => !runs.has(run.id));
  return recorded.length === 0 ? generated : [...recorded, ...generated].sort(compareNewestFirst);
}

/** Refuses with 404 if the app has no run with this id, or will only have it later. */
export function findRun(app: AppRecord, id: string, { runs }: Store, now: number): RunRecord {
  const run = runs.get(id) ?? findGeneratedRun(app, id);
  return run?.app === app.id && run.createdAt <= now ? run : refuse(404, `run ${id} not found`);
}

export type RunPosition = Pick<RunRecord, 'createdAt' | 'id'>;

export function compareNewestFirst(a: RunPosition, b: RunPosition): number {
  return b.createdAt - a.createdAt || Number(a.id < b.id) - Number(a.id > b.id);
}
