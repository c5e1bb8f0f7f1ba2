import type { Progress } from '../../output/progress.ts';
import type { FinishedRun } from './follow-run.ts';
import type { RunLine } from './run-log.ts';

type Coming = AsyncGenerator<RunLine, FinishedRun>;

/** What the program printed goes where it printed it: `take` is our stdout, the rest goes to our stderr. */
export async function relayOutput(
  coming: Coming,
  take: (bytes: Uint8Array) => Promise<void>,
  say: Progress['request'],
): Promise<FinishedRun> {
  return watched(coming, ({ line, stream }) => (stream === 'stderr' ? say(line) : take(Buffer.from(`${line}\n`))));
}

/** One value for programs, its lines in it unless they have been told already; people see them on stderr. */
export async function collectOutput(coming: Coming, kept: boolean, log: Progress['log']): Promise<unknown> {
  const logs: RunLine[] = [];
  const finished = await watched(coming, (line) => {
    log(line.line);
    if (kept) logs.push(line);
  });
  return kept ? { ...finished, logs } : finished;
}

async function watched(coming: Coming, each: (line: RunLine) => unknown): Promise<FinishedRun> {
  for (;;) {
    const next = await coming.next();
    if (next.done) return next.value;
    await each(next.value);
  }
}
