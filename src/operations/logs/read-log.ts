import type { Context } from '../../context.ts';
import { followLog } from './follow-log.ts';
import { LogGaps } from './gaps.ts';
import { type LogRange, readForward, readLastLines } from './history.ts';
import { type LogLine, withoutSplitSecrets } from './log-line.ts';
import type { LogSource } from './log-source.ts';
import { SeenLines } from './seen-lines.ts';

export interface ReadLogOptions extends LogRange {
  /** Number of last lines; all lines if absent. */
  tail?: number | undefined;
  follow?: boolean | undefined;
  /** Fail if lines may be missing. */
  failOnGap?: boolean | undefined;
  /** Called if there are no lines, unless following: throws if that has a reason. */
  onEmpty?: (() => Promise<void>) | undefined;
}

export interface ReadLine {
  line: LogLine;
  /** Whether stdout and stderr may be told apart: the live log does not say, so none of the lines before it do. */
  hasStream: boolean;
}

type Needs = Pick<Context, 'now' | 'elapsed' | 'delay' | 'signal' | 'progress' | 'silenceMs' | 'secrets'>;

/**
 * Yields the lines of a log, oldest first, each once. With `failOnGap`, throws FailedError if lines may be missing: at
 * once when following, otherwise at the end.
 */
export async function* readLog(context: Needs, source: LogSource, options: ReadLogOptions): AsyncGenerator<ReadLine> {
  const gaps = new LogGaps(context.progress);
  const hasStream = !(options.follow && source.openLive);
  const secrets = context.secrets.inSequence();
  let isEmpty = true;
  for await (const batch of readBatches(context, source, options, gaps)) {
    isEmpty &&= batch.length === 0;
    for (const received of batch) yield { line: withoutSplitSecrets(received, secrets), hasStream };
    if (options.failOnGap && options.follow) gaps.throwIfAny();
  }
  if (isEmpty && !options.follow) await options.onEmpty?.();
  if (isEmpty && options.tail !== 0) context.progress.note(emptyText(source, options));
  if (options.failOnGap) gaps.throwIfAny();
}

async function* readBatches(
  context: Needs,
  source: LogSource,
  options: ReadLogOptions,
  gaps: LogGaps,
): AsyncGenerator<LogLine[]> {
  const seen = new SeenLines();
  const { tail, follow, since, until = Number.POSITIVE_INFINITY } = options;
  const range = { since, until: options.until };
  // New lines are those after the latest one, not after the current time: the clocks may differ.
  const latest =
    follow && since !== undefined ? await readLastLines(source, {}, 1, new SeenLines(), () => {}) : undefined;
  if (tail === undefined) {
    const { ended } = yield* readForward(source, range, seen, gaps.add);
    if (ended || !follow) return;
  } else {
    if (tail === 0 && !follow) return;
    const { lines, ended } = await readLastLines(source, range, Math.max(1, tail), seen, gaps.add);
    if (tail > 0) yield lines;
    if (ended || !follow) return;
  }
  if (!seen.last) for (const line of latest?.lines ?? []) seen.isNew(line, 'history', latest);
  if (!seen.last) context.progress.note(emptyText(source, options));
  yield* followLog(context, { source, seen, gaps, until });
}

function emptyText({ isFiltered }: LogSource, { since, until }: ReadLogOptions): string {
  return isFiltered || since !== undefined || until !== undefined ? 'no log lines match' : 'no log lines yet';
}
