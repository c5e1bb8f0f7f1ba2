import type { Context } from '../../context.ts';
import { followLog } from './follow.ts';
import { Gaps } from './gaps.ts';
import { forwards, lastLines, type Range } from './history.ts';
import { type LogLine, withoutSplitSecrets } from './line.ts';
import { Seen } from './seen.ts';
import type { LogSource } from './source.ts';

export interface Asked extends Range {
  /** The last lines only; all of them when there is no number. */
  tail?: number | undefined;
  follow?: boolean | undefined;
  /** Lines that may be missing make it fail. */
  failOnGap?: boolean | undefined;
}

/** A line, and what is needed to tell it from its neighbours. */
export interface ShownLine {
  line: LogLine;
  /** More than one container, or more than one stream, has been seen. */
  containers: boolean;
  streams: boolean;
}

type Needs = Pick<Context, 'now' | 'elapsed' | 'delay' | 'signal' | 'progress' | 'silenceMs' | 'secrets'>;

/**
 * The lines of a log, oldest first, each once. Throws FailedError at the end, or when it is followed at once, if lines
 * may be missing and `failOnGap` was asked for.
 */
export async function* readLog(context: Needs, source: LogSource, asked: Asked): AsyncGenerator<ShownLine> {
  const gaps = new Gaps(context.progress);
  const containers = new Set<string>();
  const streams = new Set<string>();
  const secrets = context.secrets.inSequence();
  let some = false;
  for await (const batch of batches(context, source, asked, gaps)) {
    some ||= batch.length > 0;
    // Of lines that come together the first is shown as the last is.
    for (const { container, stream } of batch) {
      if (container) containers.add(container);
      if (stream) streams.add(stream);
    }
    for (const came of batch) {
      const line = withoutSplitSecrets(came, secrets);
      yield { line, containers: containers.size > 1, streams: streams.size > 1 };
    }
    if (asked.failOnGap && asked.follow) gaps.fail();
  }
  if (!some && asked.tail !== 0) context.progress.note(nothing(source, asked));
  if (asked.failOnGap) gaps.fail();
}

async function* batches(context: Needs, source: LogSource, asked: Asked, gaps: Gaps): AsyncGenerator<LogLine[]> {
  const seen = new Seen();
  const { tail, follow, since, until = Number.POSITIVE_INFINITY } = asked;
  const range = { since, until: asked.until };
  // What is new is what comes after the latest line there is: our clock may be ahead of the platform's (H-60).
  const latest = follow && since !== undefined ? await lastLines(source, {}, 1, new Seen(), () => {}) : undefined;
  if (tail === undefined) {
    const { ended } = yield* forwards(source, range, seen, gaps.note);
    if (ended || !follow) return;
  } else {
    if (tail === 0 && !follow) return;
    const { lines, ended } = await lastLines(source, range, Math.max(1, tail), seen, gaps.note);
    if (tail > 0) yield lines;
    if (ended || !follow) return;
  }
  if (!seen.last) for (const line of latest?.lines ?? []) seen.isNew(line, 'history', latest);
  if (!seen.last) context.progress.note(nothing(source, asked));
  yield* followLog(context, { source, seen, gaps, until });
}

function nothing({ narrowed }: LogSource, { since, until }: Asked): string {
  return narrowed || since !== undefined || until !== undefined ? 'no log lines match' : 'no log lines yet';
}
