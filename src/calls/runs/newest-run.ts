import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { toMs } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import type { Run } from '../../platform/contract/runs.ts';
import { tryRequest } from '../../platform/waiting/index.ts';
import { appLogSource, endingOf, type LogSource, msToSettle } from '../logs/index.ts';
import { runEnding } from './fetch-run.ts';
import { readRunList } from './list-runs.ts';
import { isServer, soonMs } from './run-log.ts';
import { hasEnded } from './run-status.ts';

/** How young a run is whose lines may not be there yet, in ms. */
const recentMs = 15_000;
/** Between two looks, in ms. */
const pauseMs = 500;

/**
 * The log of an app up to now, with the lines of the call that was just made: they are later than its status. Where none
 * comes in time, a note names the call and the command that waits for them.
 */
export function withNewestRun(context: Context, app: string, source: LogSource): LogSource {
  const { project, progress, platformNow } = context;
  let newest = tryRequest(context, async (api) => {
    const { runs } = await readRunList({ api, project, platformNow }, app, { isEnough: () => true });
    const [run] = runs;
    const isOld = ({ createdAt }: Run) => platformNow() - toMs(createdAt) > recentMs;
    return run && !isOld(run) ? { run, before: runs.find(isOld) } : undefined;
  });
  return {
    ...source,
    async readPage(query) {
      const [page, { run, before } = {}] = await Promise.all([source.readPage(query), newest]);
      const isOlder = query.direction === 'forward' && page.next !== undefined;
      if (!run?.id || isOlder) return page;
      newest = Promise.resolve(undefined);
      const hasLines = ({ id }: Run) => page.lines.some(({ original }) => original.runId === id);
      // The lines of an app that prints nothing do not come.
      const isSilent = before && page.next === undefined && !hasLines(before);
      if (hasLines(run) || isSilent || (await isServer(context, app))) return page;
      if (await waitForLines(context, app, run)) return source.readPage(query);
      const flags = { '--follow': !hasEnded(run) || undefined };
      const command = gantryCommand`logs ${app} --run ${run.id} ${flags}`;
      progress.footnote(sentence`no lines of run ${run.id}, the newest, have arrived; to wait for them: ${command}`);
      return page;
    },
  };
}

/** Whether lines of a run have come in time: once it has ended, they come soon or not at all. */
async function waitForLines(context: Context, app: string, run: Run): Promise<boolean> {
  const ofRun = appLogSource(context, app, { runId: run.id });
  const ending = { ...(runEnding(context, run) ?? endingOf(context)), limitMs: soonMs };
  for (;;) {
    const { lines } = await ofRun.readPage({ direction: 'backward', size: 1 });
    if (lines.length > 0 || msToSettle(context, ending) === 0) return lines.length > 0;
    await context.delay(pauseMs);
  }
}
