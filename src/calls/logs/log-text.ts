import type { Context } from '../../platform/context.ts';
import { contextWith } from '../../platform/waiting/index.ts';
import type { LogEnding } from './ending.ts';
import { splitLogText } from './log-line.ts';
import type { LogSource } from './log-source.ts';
import { readLog } from './read-log.ts';

interface LogTextOptions {
  /** When the work ended that prints. Lines that may be late are waited for. */
  ending?: LogEnding | undefined;
  /** What was there before, in ms since 1970, is of other work. */
  since?: number | undefined;
  /** Without the lines of runs. */
  ofNoRun?: boolean;
}

/** The end of a log has the failure. */
const maxLines = 5_000;

/** The end of a log, without the note that it is empty: then other evidence may explain a failure. */
export async function readLogText(
  context: Context,
  source: LogSource,
  { ending, since, ofNoRun }: LogTextOptions,
): Promise<string> {
  const silent = contextWith(context, { progress: { ...context.progress, note: () => {} } });
  const lines: string[] = [];
  const reading = readLog(silent, source, { tail: maxLines, since, readEnding: async () => ending });
  for await (const { text, original } of reading)
    for (const each of ofNoRun && original.runId ? [] : splitLogText(text)) lines.push(each);
  return lines.join('\n');
}
