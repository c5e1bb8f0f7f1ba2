import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { latestFirst } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { runOutcome } from '../../platform/contract/run-outcome.ts';
import { listRuns } from '../../platform/contract/runs.ts';
import { tryRequest } from '../../platform/waiting/index.ts';
import { appLogSource, type LogSource } from './log-source.ts';

/** How young a run is whose lines may not be there yet, how long they are waited for, and between two looks. In ms. */
const [recentMs, waitMs, pauseMs] = [15_000, 3_000, 500];

/**
 * The log of an app up to now, with the lines of the call that was just made: they are later than its status. Where none
 * comes in time, a note names the call and the command that waits for them.
 */
export function withNewestRun(context: Context, app: string, source: LogSource): LogSource {
  const { project, progress, delay, platformNow } = context;
  let newest = tryRequest(context, async (api) => {
    const { items } = await api(listRuns, { project, app, query: {} });
    const [run] = items.sort(latestFirst(({ createdAt }) => createdAt));
    return run && platformNow() - Date.parse(run.createdAt ?? '') <= recentMs ? run : undefined;
  });
  return {
    ...source,
    async readPage(query) {
      const [page, run] = await Promise.all([source.readPage(query), newest]);
      const isOlder = query.direction === 'forward' && page.next !== undefined;
      if (!run?.id || isOlder) return page;
      newest = Promise.resolve(undefined);
      if (page.lines.some(({ original }) => original.runId === run.id)) return page;
      const ofRun = appLogSource(context, app, { runId: run.id });
      for (let waitedMs = 0; waitedMs <= waitMs; waitedMs += pauseMs) {
        const { lines } = await ofRun.readPage({ direction: 'backward', size: 1 });
        if (lines.length > 0) return source.readPage(query);
        await delay(pauseMs);
      }
      const flags = { '--follow': runOutcome(run) === 'in progress' || undefined };
      const command = gantryCommand`logs ${app} --run ${run.id} ${flags}`;
      progress.footnote(sentence`no lines of run ${run.id}, the newest, have arrived; to wait for them: ${command}`);
      return page;
    },
  };
}
