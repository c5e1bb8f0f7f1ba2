import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import type { Build } from '../../contract/builds.ts';
import { listRuns, type Run } from '../../contract/runs.ts';
import { type AppHistory, servingTimes } from '../history/index.ts';
import { readPages } from '../replies/index.ts';
import { hasEnded, runHasFailed, runKey } from '../runs/index.ts';
import { tryRequest } from '../waiting/index.ts';

/** How the last calls of a build went, of those that the platform still lists. */
export interface LastCalls {
  calls: number;
  failed: number;
}

/** Enough to judge by, and of the list, which has those of later builds first. */
const maxCalls = 20;
const maxRead = 1_000;

/** Calls belong to the build that served then, where they do not name it. Best effort: null if none is listed. */
export async function readLastCalls(
  context: Context,
  app: string,
  { builds, history }: { builds: readonly Build[]; history: AppHistory },
  build: string,
): Promise<LastCalls | null> {
  const served = servingTimes(history, builds).find((time) => time.build === build);
  const isOf = ({ buildId, createdAt }: Run) => {
    if (buildId) return buildId === build;
    const at = Date.parse(createdAt ?? '');
    return served !== undefined && at >= served.since && at < served.until;
  };
  const runs = (await tryRequest(context, (api) => readNewest({ api, project: context.project }, app, isOf))) ?? [];
  const failed = runs.filter(runHasFailed).length;
  return runs.length === 0 ? null : { calls: runs.length, failed };
}

async function readNewest(
  { api, project }: Pick<Context, 'api' | 'project'>,
  app: string,
  isOf: (run: Run) => boolean,
): Promise<Run[]> {
  const pages = readPages<Run>({
    read: (position) => {
      const query = position && 'token' in position ? { nextToken: position.token } : {};
      return api(listRuns, { project, app, query });
    },
    key: runKey,
    by: 'token',
    fix: gantryCommand`runs list ${app}`,
  });
  const found: Run[] = [];
  let read = 0;
  for await (const { items } of pages) {
    found.push(...items.filter((run) => hasEnded(run) && isOf(run)));
    read += items.length;
    if (found.length >= maxCalls || read >= maxRead) break;
  }
  return found.slice(0, maxCalls);
}
