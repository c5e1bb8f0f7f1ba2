import type { Context } from '../context.ts';
import { collectOutput, type FinishedRun, type RunLine, relayOutput } from '../operations/run/index.ts';
import { duration } from '../output/format.ts';
import { RawOutput } from '../output/raw-output.ts';

/** The result of `run` and `runs follow`: the program's output, or with `--json` one value. */
export function runOutput(
  { progress }: Context,
  output: AsyncGenerator<RunLine, FinishedRun>,
  { events = false }: { events?: boolean | undefined },
): RawOutput {
  const onEnd = ({ runId, seconds }: FinishedRun) =>
    progress.step('Running').done(`Run ${runId} succeeded in ${duration(seconds * 1_000)}`);
  return new RawOutput(async (take) => onEnd(await relayOutput(output, take, progress.request)), {
    untrusted: 'text',
    jsonValue: () => collectOutput(output, !events, progress.log),
  });
}

export const runFields = {
  runId: 'run id',
  app: 'app name',
  status: 'final status',
  exitCode: "the program's exit code; null if unknown",
  seconds: 'duration in seconds',
  logs: 'output: line, stream (stdout or stderr), time',
};
