import { type CommandLine, gantryCommand } from '../../kernel/command-line.ts';
import { toMs } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { runOutcome } from '../../platform/contract/run-outcome.ts';
import { type Run, replicaOf } from '../../platform/contract/runs.ts';
import { fetchApp } from '../../platform/replies/index.ts';
import { tryRequest } from '../../platform/waiting/index.ts';
import { type AppLogFilter, appLogSource, type LogEnding, msToSettle, readLogText } from '../logs/index.ts';
import { runEnding } from './fetch-run.ts';

/** What a log has, and the command that shows all of it. */
export interface RunLog {
  text: string;
  command: CommandLine;
}

interface PossibleLog extends Pick<RunLog, 'command'> {
  read: (ending: LogEnding) => Promise<string>;
}

/** How long lines are waited for that come soon or not at all, in ms. */
export const soonMs = 3_000;

/**
 * The lines of a run that has ended. Those of a server of the app's own are of no run: then what its replica printed since
 * the call. Late lines are waited for, at most for `limitMs`, but none of a call that was refused: its answer says why.
 */
export async function readRunLog(
  context: Context,
  app: string,
  run: Run,
  limitMs = Number.POSITIVE_INFINITY,
): Promise<RunLog> {
  const [ofRun, ...around] = logsOf(context, app, run);
  const ended = runEnding(context, run);
  if (!ended) return { text: '', command: ofRun.command };
  const limited = (ms: number) => ({ ...ended, limitMs: Math.min(ended.limitMs, limitMs, ms) });
  const text = await firstText([ofRun, ...around], limited(0));
  const isAround = text.command !== ofRun.command;
  if (isAround || runOutcome(run) === 'failed by the caller' || msToSettle(context, ended) === 0) return text;
  const printsNone = text.text === '' && (await isServer(context, app));
  return printsNone ? firstText([...around, ofRun], limited(soonMs)) : firstText([ofRun, ...around], limited(limitMs));
}

/** The log of a run, and that of its replica, if that is known. */
function logsOf(context: Context, app: string, run: Run): [PossibleLog, ...PossibleLog[]] {
  const read = (filter: AppLogFilter, since?: number) => (ending: LogEnding) =>
    readLogText(context, appLogSource(context, app, filter), { ending, since, ofNoRun: filter.runId === undefined });
  const { id: runId, createdAt } = run;
  const container = replicaOf(run);
  const ofRun = { command: gantryCommand`logs ${app} --run ${runId}`, read: read({ runId }) };
  if (!container) return [ofRun];
  const command = gantryCommand`logs ${app} --container ${container}`;
  return [ofRun, { command, read: read({ container }, toMs(createdAt)) }];
}

/** Whether its lines are of no run. */
export async function isServer(context: Context, app: string): Promise<boolean> {
  const { project } = context;
  const { runtime } = (await tryRequest(context, (api) => fetchApp(api, { project, app }))) ?? {};
  return runtime === 'custom';
}

/** What the first log has that has anything; the first log, if none has. */
async function firstText(logs: readonly PossibleLog[], ending: LogEnding): Promise<RunLog> {
  for (const { command, read } of logs) {
    const text = await read(ending);
    if (text !== '') return { text, command };
  }
  return { text: '', command: (logs[0] as PossibleLog).command };
}
