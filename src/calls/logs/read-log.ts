import { GantryError, NotFoundError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import type { LogEnding } from './ending.ts';
import { followLog } from './follow-log.ts';
import { LogGaps } from './gaps.ts';
import { type LogRange, readForward, readLastLines } from './history.ts';
import { compareLines, type LogLine, withoutSplitSecrets } from './log-line.ts';
import type { LogSource } from './log-source.ts';
import { SeenLines } from './seen-lines.ts';

export interface ReadLogOptions extends LogRange {
  /** Number of last lines; all lines if absent. */
  tail?: number | undefined;
  follow?: boolean | undefined;
  /** Fail if lines may be missing. */
  failOnGap?: boolean | undefined;
  /** Of a build or a run: when it ended, undefined if it has not. Shortly after the end, its last lines are waited for. */
  readEnding?: (() => Promise<LogEnding | undefined>) | undefined;
  /** Aborts when the work that prints has ended. Its reason is a `LogEnding`. */
  ended?: AbortSignal | undefined;
}

export interface ReadLine {
  line: LogLine;
  /** Whether stdout and stderr may be told apart: the live log does not say, so none of the lines before it do. */
  hasStream: boolean;
}

type Needs = Parameters<typeof followLog>[0] & Pick<Context, 'secrets'>;

/**
 * Yields the lines of a log, oldest first, each once. With `failOnGap`, throws FailedError if lines may be missing: at
 * once when following, otherwise at the end.
 */
export async function* readLog(context: Needs, source: LogSource, options: ReadLogOptions): AsyncGenerator<ReadLine> {
  const gaps = new LogGaps(context.progress);
  const hasStream = !(options.follow && source.openLive);
  const secrets = context.secrets.inSequence();
  let isEmpty = true;
  let missing: NotFoundError | undefined;
  // The log itself can be read without.
  const known: LogEnding | undefined = options.ended?.aborted ? options.ended.reason : undefined;
  const ending =
    known ??
    (await options.readEnding?.().catch((error: unknown) => {
      if (!(error instanceof GantryError) || context.signal.aborted) throw error;
      missing = error instanceof NotFoundError ? error : undefined;
      return undefined;
    }));
  for await (const batch of readBatches(context, source, { ...options, ending }, gaps)) {
    isEmpty &&= batch.length === 0;
    for (const received of batch) yield { line: withoutSplitSecrets(received, secrets), hasStream };
    if (options.failOnGap && options.follow) gaps.throwIfAny();
  }
  if (isEmpty && !options.follow && missing) throw missing;
  if (isEmpty && options.tail !== 0) context.progress.note(emptyText(source, options));
  if (options.failOnGap) gaps.throwIfAny();
}

async function* readBatches(
  context: Needs,
  source: LogSource,
  options: ReadLogOptions & { ending: LogEnding | undefined },
  gaps: LogGaps,
): AsyncGenerator<LogLine[]> {
  const seen = new SeenLines();
  const { tail, since, until = Number.POSITIVE_INFINITY, ending } = options;
  const following = { source, seen, gaps, until, ...(options.ended && { ended: options.ended }) };
  if (ending && tail !== 0 && context.elapsed() - ending.at < ending.limitMs) {
    yield* readSettled(followLog(context, { ...following, ended: AbortSignal.abort(ending) }), options);
    return;
  }
  if (options.ended && tail === undefined && !ending) {
    yield* readSettled(followLog(context, following), options);
    return;
  }
  const follow = options.follow && !ending;
  const range = { since, until: options.until };
  // New lines are those after the latest one, not after the current time: the clocks may differ.
  const latest =
    follow && since !== undefined ? await readLastLines(source, {}, 1, new SeenLines(), () => {}) : undefined;
  if (tail === undefined) {
    yield* readForward(source, range, seen, gaps.add);
    if (!follow) return;
  } else {
    if (tail === 0 && !follow) return;
    const { lines } = await readLastLines(source, range, Math.max(1, tail), seen, gaps.add);
    if (tail > 0) yield lines;
    if (!follow) return;
  }
  if (!seen.last) for (const line of latest?.lines ?? []) seen.isNew(line, 'history', latest);
  if (!seen.last) context.progress.note(emptyText(source, options));
  yield* followLog(context, following);
}

/** The lines in the range, of a log that is read as a whole. */
async function* readSettled(
  batches: AsyncGenerator<LogLine[]>,
  { tail, since = 0 }: ReadLogOptions,
): AsyncGenerator<LogLine[]> {
  let last: LogLine[] = [];
  for await (const batch of batches) {
    const lines = batch.filter(({ at, timestamp }) => !timestamp || at >= since);
    if (tail === undefined) yield lines;
    else last = [...last, ...lines].sort(compareLines).slice(-tail);
  }
  yield last;
}

function emptyText({ isFiltered }: LogSource, { since, until, follow }: ReadLogOptions): string {
  if (isFiltered || since !== undefined || until !== undefined) return 'no log lines match';
  return follow ? 'no log lines yet' : 'no log lines yet: they take some seconds to arrive; -f waits for them';
}
