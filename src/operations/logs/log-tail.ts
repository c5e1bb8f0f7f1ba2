import type { Context } from '../../context.ts';
import { GantryError, UnavailableError } from '../../errors.ts';
import { timeoutSignal } from '../waiting/index.ts';
import { appLogSource } from './app-log.ts';
import { readLastLines } from './history.ts';
import { splitLogText } from './log-line.ts';
import { SeenLines } from './seen-lines.ts';

const timeoutMs = 5_000;

/** The last lines that a replica, a run or an app printed, oldest first. Empty if they cannot be read: best effort. */
export async function readLogTail(
  { apiWithSignal, project, openLog, signal }: Pick<Context, 'apiWithSignal' | 'project' | 'openLog' | 'signal'>,
  app: string,
  filter: Parameters<typeof appLogSource>[2],
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
