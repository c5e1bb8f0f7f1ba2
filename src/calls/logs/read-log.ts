import { NotFoundError, throwUnexpected } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { contextWith } from '../../platform/waiting/index.ts';
import { type LogEnding, msToSettle, noteLate } from './ending.ts';
import { followLog } from './follow-log.ts';
import { type LogRange, readForward, readLastLines } from './history.ts';
import { compareLines, type LogLine, splitLogText, withoutSplitSecrets } from './log-line.ts';
import type { LogSource } from './log-source.ts';
import { type OnGap, SeenLines, warnOfGaps } from './seen-lines.ts';

export interface ReadLogOptions extends LogRange {
  /** Number of last lines; all lines if absent. */
  tail?: number | undefined;
  follow?: boolean | undefined;
  /** When a build or a run ended, undefined if it has not. Shortly after the end, its last lines are waited for. */
  readEnding?: (() => Promise<LogEnding | undefined>) | undefined;
  /** Aborts when the work that prints has ended. Its reason is a `LogEnding`. */
  ended?: AbortSignal | undefined;
}

type Needs = Parameters<typeof followLog>[0] & Pick<Context, 'secrets'>;

/**
 * Yields the lines of a log, oldest first, each once. Warns if lines may be missing. The live log does not tell stdout from
 * stderr: then no line has a stream.
 */
export async function* readLog(context: Needs, source: LogSource, options: ReadLogOptions): AsyncGenerator<LogLine> {
  const stream = options.follow && source.openLive ? { stream: undefined } : {};
  const secrets = context.secrets.inSequence();
  let isEmpty = true;
  const { ending, missing } = await readEnding(context, options);
  for await (const batch of readBatches(context, source, { ...options, ending })) {
    isEmpty &&= batch.length === 0;
    for (const received of batch) yield { ...withoutSplitSecrets(received, secrets), ...stream };
  }
  if (isEmpty) throwOrNoteEmpty(context, source, { ...options, ending }, missing);
}

/** When the work has ended. The log itself can be read without. */
async function readEnding(
  { signal }: Needs,
  options: ReadLogOptions,
): Promise<{ ending?: LogEnding | undefined; missing?: NotFoundError }> {
  if (options.ended?.aborted) return { ending: options.ended.reason };
  try {
    return { ending: await options.readEnding?.() };
  } catch (error) {
    throwUnexpected(error, signal);
    return error instanceof NotFoundError ? { missing: error } : {};
  }
}

interface EndedLogOptions extends ReadLogOptions {
  ending: LogEnding | undefined;
}

async function* readBatches(context: Needs, source: LogSource, options: EndedLogOptions) {
  const onGap = warnOfGaps(context.progress);
  const seenLines = new SeenLines();
  const { since, until = Number.POSITIVE_INFINITY, ended } = options;
  const following = { source, seen: seenLines, onGap, until, ended, onLate: noteLate(context.progress) };
  const end = endToSettle(context, options);
  if (end) {
    yield* readSettled(followLog(context, { ...following, ended: end }), options);
    return;
  }
  const follow = Boolean(options.follow && !options.ending);
  // New lines are those after the latest one, not after the current time: the clocks may differ.
  const latest = follow && since !== undefined ? await readLastLines(source, {}, 1, new SeenLines(), () => {}) : [];
  yield* readRange(source, { ...options, follow }, seenLines, onGap);
  if (!follow) return;
  if (!seenLines.last) for (const line of latest) seenLines.isNew(line, 'history', latest);
  if (!seenLines.last)
    throwOrNoteEmpty(context, source, { since, until: options.until, follow: true, ending: undefined });
  yield* followLog(context, following);
}

/** The end of the work, if its last lines may still be on their way: they are waited for. */
function endToSettle(context: Needs, { tail, ending, ended }: EndedLogOptions): AbortSignal | undefined {
  if (!ending) return tail === undefined ? ended : undefined;
  return tail !== 0 && msToSettle(context, ending) > 0 ? AbortSignal.abort(ending) : undefined;
}

/** What there is now. The last line is read in any case if others are to follow it. */
async function* readRange(
  source: LogSource,
  { tail, since, until, follow }: ReadLogOptions,
  seenLines: SeenLines,
  onGap: OnGap,
): AsyncGenerator<LogLine[]> {
  if (tail === undefined) yield* readForward(source, { since, until }, seenLines, onGap);
  else if (tail > 0 || follow) {
    const lines = await readLastLines(source, { since, until }, Math.max(1, tail), seenLines, onGap);
    if (tail > 0) yield lines;
  }
}

/** The lines in the range, of a log that is read as a whole. */
async function* readSettled(batches: AsyncGenerator<LogLine[]>, { tail, since = 0 }: ReadLogOptions) {
  let last: LogLine[] = [];
  for await (const batch of batches) {
    const lines = batch.filter(({ at, timestamp }) => !timestamp || at >= since);
    if (tail === undefined) yield lines;
    else last = [...last, ...lines].sort(compareLines).slice(-tail);
  }
  yield last;
}

/** `missing`: what prints the log does not exist. */
function throwOrNoteEmpty(
  { progress }: Needs,
  { isFiltered }: LogSource,
  { tail, since, until, follow, ending }: Pick<EndedLogOptions, 'tail' | 'since' | 'until' | 'follow' | 'ending'>,
  missing?: NotFoundError,
): void {
  if (missing && !follow) throw missing;
  if (tail === 0) return;
  if (isFiltered || since !== undefined || until !== undefined) progress.note('no log lines match');
  else if (ending) progress.note('it has ended, and no line of the log is of it');
  else progress.note(`no log lines yet${follow ? '' : ': they take some seconds to arrive; -f waits for them'}`);
}

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
