import type { Context } from '../../context.ts';
import { followLog } from './follow-log.ts';
import { LogGaps } from './gaps.ts';
import { readForward, readLastLines, type TimeRange } from './history.ts';
import type { LogLine } from './log-line.ts';
import type { LogSource } from './log-source.ts';
import { SeenLines } from './seen-lines.ts';

export interface ReadLogOptions extends TimeRange {
  /** The last lines only; all of them when there is no number. */
  tail?: number | undefined;
  follow?: boolean | undefined;
  /** Lines that may be missing make it fail. */
  failOnGap?: boolean | undefined;
}

/** A line, and what is needed to tell it from its neighbours. */
export interface LabeledLine {
  line: LogLine;
  /** More than one container, or more than one stream, has been seen. */
  containers: boolean;
  streams: boolean;
}

type Needs = Pick<Context, 'now' | 'elapsed' | 'delay' | 'signal' | 'progress' | 'silenceMs'>;

/**
 * The lines of a log, oldest first, each once. Throws FailedError at the end, or when it is followed at once, if lines
 * may be missing and `failOnGap` was asked for.
 */
export async function* readLog(context: Needs, source: LogSource, asked: ReadLogOptions): AsyncGenerator<LabeledLine> {
  const gaps = new LogGaps(context.progress);
  const containers = new Set<string>();
  const streams = new Set<string>();
  let some = false;
  for await (const batch of batches(context, source, asked, gaps)) {
    some ||= batch.length > 0;
    // Of lines that come together the first is shown as the last is.
    for (const { container, stream } of batch) {
      if (container) containers.add(container);
      if (stream) streams.add(stream);
    }
    for (const line of batch) yield { line, containers: containers.size > 1, streams: streams.size > 1 };
    if (asked.failOnGap && asked.follow) gaps.fail();
  }
  if (!some && asked.tail !== 0) context.progress.note(nothing(source, asked));
  if (asked.failOnGap) gaps.fail();
}

async function* batches(
  context: Needs,
  source: LogSource,
  asked: ReadLogOptions,
  gaps: LogGaps,
): AsyncGenerator<LogLine[]> {
  const seen = new SeenLines();
  const { tail, follow, since, until = Number.POSITIVE_INFINITY } = asked;
  const range = { since, until: asked.until };
  // New lines are those after the latest existing line: the local clock may be ahead of the platform's.
  const latest =
    follow && since !== undefined ? await readLastLines(source, {}, 1, new SeenLines(), () => {}) : undefined;
  if (tail === undefined) {
    const { ended } = yield* readForward(source, range, seen, gaps.note);
    if (ended || !follow) return;
  } else {
    if (tail === 0 && !follow) return;
    const { lines, ended } = await readLastLines(source, range, Math.max(1, tail), seen, gaps.note);
    if (tail > 0) yield lines;
    if (ended || !follow) return;
  }
  if (!seen.last) for (const line of latest?.lines ?? []) seen.isNew(line, 'history', latest);
  if (!seen.last) context.progress.note(nothing(source, asked));
  yield* followLog(context, { source, seen, gaps, until });
}

function nothing({ isFiltered }: LogSource, { since, until }: ReadLogOptions): string {
  return isFiltered || since !== undefined || until !== undefined ? 'no log lines match' : 'no log lines yet';
}
