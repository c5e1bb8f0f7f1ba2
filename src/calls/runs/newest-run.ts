import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { toMs } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { tryRequest } from '../../platform/waiting/index.ts';
import { appLogSource, type LogSource } from '../logs/index.ts';
import { readRunList } from './list-runs.ts';
import { hasEnded } from './run-status.ts';

/** How young a run is whose lines may not be there yet, in ms. */
const recentMs = 15_000;
/** How long they are waited for, and between two looks. In ms. */
const waitMs = 3_000;
const pauseMs = 500;

/**
 * The log of an app up to now, with the lines of the call that was just made: they are later than its status. Where none
 * comes in time, a note names the call and the command that waits for them.
 */
export function withNewestRun(context: Context, app: string, source: LogSource): LogSource {
  const { project, progress, delay, platformNow } = context;
  let newest = tryRequest(context, async (api) => {
    const { runs } = await readRunList({ api, project, platformNow }, app, { isEnough: () => true });
    const run = runs[0];
    return run && platformNow() - toMs(run.createdAt) <= recentMs ? run : undefined;
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
      const flags = { '--follow': !hasEnded(run) || undefined };
      const command = gantryCommand`logs ${app} --run ${run.id} ${flags}`;
      progress.footnote(sentence`no lines of run ${run.id}, the newest, have arrived; to wait for them: ${command}`);
      return page;
    },
  };
}
