import type { Context } from '../context.ts';
import { collectOutput, type FinishedRun, type RunLine, relayOutput } from '../operations/run/index.ts';
import { duration } from '../output/format.ts';
import { RawOutput } from '../output/raw-output.ts';

/** What `run` and `runs follow` answer: the program's own output, or with `--json` one value. */
export function runOutput(
  { progress }: Context,
  coming: AsyncGenerator<RunLine, FinishedRun>,
  { events = false }: { events?: boolean | undefined },
): RawOutput {
  const ended = ({ runId, seconds }: FinishedRun) =>
    progress.step('Running').done(`Run ${runId} succeeded after ${duration(seconds * 1_000)}`);
  return new RawOutput(async (take) => ended(await relayOutput(coming, take, progress.request)), {
    untrusted: 'text',
    jsonValue: () => collectOutput(coming, !events, progress.log),
  });
}

export const runFields = {
  runId: 'run id',
  app: 'app name',
  status: 'how it ended',
  exitCode: "the program's own exit code; null where the platform does not tell it",
  seconds: 'how long it ran',
  logs: 'what it printed: line, stream (stdout or stderr), time',
};
