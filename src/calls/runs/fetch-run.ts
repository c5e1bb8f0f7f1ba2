import { type CommandLine, gantryCommand } from '../../kernel/command-line.ts';
import type { Api } from '../../platform/api/client.ts';
import type { Context } from '../../platform/context.ts';
import { getRun, type Run } from '../../platform/contract/runs.ts';
import { expectId } from '../../platform/replies/index.ts';
import { endingOf, type LogEnding } from '../logs/index.ts';
import { hasEnded, runHasFailed } from './run-status.ts';

/** Reads one run. Throws UnexpectedReplyError if the platform replies with another run. */
export async function fetchRun(api: Api, params: { project: string; app: string; run: string }): Promise<Run> {
  return expectId('run', params.run, (await api(getRun, params)).item);
}

/** When a run ended; undefined if it is in progress. Throws as the request does. */
export async function readRunEnding(context: Context, app: string, run: string): Promise<LogEnding | undefined> {
  const { api, project } = context;
  return runEnding(context, await fetchRun(api, { project, app, run }));
}

/** The same of a run that was read. */
export function runEnding(context: Pick<Context, 'elapsed' | 'platformNow'>, run: Run): LogEnding | undefined {
  return hasEnded(run) ? endingOf(context, run.completedAt || run.updatedAt) : undefined;
}

/** Where to look after a run has ended. */
export function commandAfter(app: string, run: Run): CommandLine {
  return runHasFailed(run) ? gantryCommand`explain ${app} ${run.id}` : gantryCommand`runs get ${app} ${run.id}`;
}
