import { type CommandLine, gantryCommand } from '../../kernel/command-line.ts';
import type { Api } from '../../platform/api/client.ts';
import type { Context } from '../../platform/context.ts';
import { cancelRun, getRun, listRuns, type Run } from '../../platform/contract/runs.ts';
import { expectId } from '../../platform/replies/index.ts';
import { type RemoteWork, untilShown } from '../../platform/waiting/index.ts';
import { endingOf, type LogEnding } from '../logs/index.ts';
import { hasEnded, runHasFailed, runStatus } from './run-status.ts';

/** Reads one run. Throws UnexpectedReplyError if the platform replies with another run. */
export async function fetchRun(api: Api, params: { project: string; app: string; run: string }): Promise<Run> {
  return expectId('run', params.run, (await api(getRun, params)).item);
}

/** Reads a run that another command may just have started: it is waited for. */
export function fetchShownRun(context: Context, app: string, run: string): Promise<Run> {
  const { api, project } = context;
  return untilShown(() => fetchRun(api, { project, app, run }), context, { kind: 'run', id: run });
}

/** When a run ended; undefined if it is in progress. Throws as the request does. */
export async function readRunEnding(context: Context, app: string, run: string): Promise<LogEnding | undefined> {
  return runEnding(context, await fetchShownRun(context, app, run));
}

/** The ending of a run that was read. */
export function runEnding(context: Pick<Context, 'elapsed' | 'platformNow'>, run: Run): LogEnding | undefined {
  return hasEnded(run) ? endingOf(context, run.completedAt || run.updatedAt) : undefined;
}

/** Where to look after a run has ended. */
export function commandAfter(app: string, run: Run): CommandLine {
  return runHasFailed(run) ? gantryCommand`explain ${app} ${run.id}` : gantryCommand`runs get ${app} ${run.id}`;
}

/** A run as something that can be canceled. */
export function remoteRun(project: string, app: string, run: string): RemoteWork {
  const params = { project, app, run };
  return {
    kind: 'run',
    app,
    id: run,
    async readStatus(api) {
      const item = await fetchRun(api, params);
      return { status: runStatus(item), hasEnded: hasEnded(item) };
    },
    async isListed(api) {
      const { items } = await api(listRuns, { project, app, query: {} });
      return items.some(({ id }) => id === run);
    },
    cancel: (api) => api(cancelRun, params),
  };
}
