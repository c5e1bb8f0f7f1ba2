import type { Context } from '../context.ts';
import { collectOutput, type FinishedRun, type RunLine, relayOutput } from '../operations/runs/index.ts';
import { duration } from '../output/format.ts';
import { RawOutput } from '../output/raw-output.ts';
import { choice, integer, list, nullable, number, object, optional, text } from '../result-schema.ts';

/** The result of `run` and `runs follow`: the program's output, or with `--json` one value. */
export function runOutput(
  { progress }: Context,
  output: AsyncGenerator<RunLine, FinishedRun>,
  { events = false }: { events?: boolean | undefined },
): RawOutput<FinishedRun & { logs?: RunLine[] }> {
  const onEnd = ({ run, durationMs }: FinishedRun) =>
    progress.step('Running').done(`Run ${run} succeeded in ${duration(durationMs)}`);
  return new RawOutput(async (take) => onEnd(await relayOutput(output, take, progress.relay)), {
    untrusted: 'text',
    jsonValue: () => collectOutput(output, !events, progress.log),
  });
}

const runLine = {
  line: text('text of the line'),
  stream: choice(['stdout', 'stderr'], 'stream'),
  loggedAt: nullable(text('RFC 3339, UTC')),
};

/** The fields of a run that has ended. */
export const runFields = {
  run: text('run id'),
  app: text('app name'),
  status: text('final status'),
  programExitCode: nullable(integer("the program's exit code; null if unknown")),
  durationMs: number('duration, in ms'),
  logs: optional(list(object(runLine), 'output: line, stream (stdout or stderr), loggedAt')),
};
