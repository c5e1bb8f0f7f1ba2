import { GantryError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { contextUntil } from '../../platform/waiting/index.ts';
import type { ReadLine } from './read-log.ts';
import type { FollowedLog } from './work-log.ts';

/** Lines for the cause of a failure. */
const keptLines = 1_000;

/**
 * Yields the lines of a build or a run that `read` reads, until `wait` knows its end and the last lines have arrived.
 * Throws what `wait` throws: a failed build, a time limit.
 */
export async function* readWorkLog(
  context: Context,
  read: (context: Context, ended: AbortSignal) => AsyncIterable<ReadLine>,
  wait: (context: Context, log: FollowedLog) => Promise<unknown>,
): AsyncGenerator<ReadLine, void> {
  const [ended, failed, unread] = [new AbortController(), new AbortController(), new AbortController()];
  let lines: string[] = [];
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  // Lines of the log are all that is printed.
  const progress = { ...context.progress, event() {} };
  const waiting = wait(contextUntil(context, AbortSignal.any([context.signal, unread.signal]), { progress }), {
    follow: begin,
    async finish(ending) {
      ended.abort(ending);
      begin();
      await finished;
    },
    tail: (count = keptLines) => lines.slice(-count),
    async abort() {},
  });
  waiting.catch((error: unknown) => failed.abort(error));
  let isRead = false;
  try {
    // What ended long ago is not followed.
    await Promise.race([begun, waiting]);
    const until = AbortSignal.any([context.signal, failed.signal]);
    for await (const each of read(contextUntil(context, until), ended.signal)) {
      lines = [...lines.slice(-keptLines), each.line.text];
      yield each;
    }
    isRead = true;
  } catch (error) {
    if (failed.signal.aborted) throw failed.signal.reason;
    if (!(error instanceof GantryError) || context.signal.aborted) throw error;
    // The end is known without it.
    isRead = true;
    context.progress.warn(`cannot read the log: ${error.message}`);
  } finally {
    if (!isRead) unread.abort();
    finish();
  }
  await waiting;
}
