import { GantryError, UnavailableError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { timeoutSignal } from '../../platform/waiting/index.ts';
import { type AppLogFilter, appLogSource } from './app-log.ts';
import { endingOf } from './ending.ts';
import { readLastLines } from './history.ts';
import { splitLogText } from './log-line.ts';
import { SeenLines } from './seen-lines.ts';
import { WorkLog } from './work-log.ts';

const timeoutMs = 5_000;
/** Lines that a cause is looked for in. */
const causeLines = 200;

/** The last lines that a replica or a run printed before it failed, oldest first, also those that are late. */
export async function readFailureLog(context: Context, app: string, filter: AppLogFilter): Promise<string[]> {
  const source = (client: Parameters<typeof appLogSource>[0]) => appLogSource(client, app, filter);
  const log = new WorkLog(context, {
    source,
    name: 'log',
    deadline: { signal: context.signal, remainingMs: Number.POSITIVE_INFINITY },
  });
  await log.finish(endingOf(context));
  return log.tail(causeLines).map((line) => line.trimEnd());
}

/** The last lines that an app or a run printed as far as they are visible now. Empty if they cannot be read. */
export async function readLogTail(
  { apiWithSignal, project, openLog, signal }: Pick<Context, 'apiWithSignal' | 'project' | 'openLog' | 'signal'>,
  app: string,
  filter: AppLogFilter,
  limit: number,
): Promise<string[]> {
  const until = timeoutSignal(timeoutMs, () => new UnavailableError('request timed out'), signal);
  const source = appLogSource({ api: apiWithSignal(until, () => {}), project, openLog }, app, filter);
  try {
    const { lines } = await readLastLines(source, {}, limit, new SeenLines(), () => {});
    return lines.flatMap(({ text }) => splitLogText(text)).map((line) => line.trimEnd());
  } catch (error) {
    if (signal.aborted || !(error instanceof GantryError)) throw error;
    return [];
  }
}
