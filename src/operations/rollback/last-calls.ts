import type { Context } from '../../context.ts';
import type { Build } from '../../contract/builds.ts';
import type { Run } from '../../contract/runs.ts';
import { pastOf, servingTimes } from '../../deploys/served-before.ts';
import type { AppHistory } from '../history/index.ts';
import { countErrors, findJobs, hasEnded, readRunList } from '../runs/index.ts';
import { contextWith, tryRequest } from '../waiting/index.ts';

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
  const served = servingTimes(pastOf(builds, history)).find((time) => time.build === build);
  const isOf = ({ buildId, createdAt }: Run) => {
    if (buildId) return buildId === build;
    const at = Date.parse(createdAt ?? '');
    return served !== undefined && at >= served.since && at < served.until;
  };
  const found = await tryRequest(context, async (api) => {
    const source = contextWith(context, { api });
    const jobs = await findJobs(source, app);
    const callsOf = (runs: readonly Run[]) => jobs.calls(runs.filter(isOf));
    const isEnough = (_: unknown, runs: readonly Run[]) =>
      countErrors(callsOf(runs)).calls >= maxCalls || runs.length >= maxRead;
    const { runs } = await readRunList(source, app, { isEnough });
    return callsOf(runs).filter(hasEnded).slice(0, maxCalls);
  });
  const { calls, failed } = countErrors(found ?? []);
  return calls === 0 ? null : { calls, failed };
}
