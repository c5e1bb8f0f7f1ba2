import type { WorkLine } from '../../calls/logs/index.ts';
import type { FinishedRun } from '../../calls/runs/index.ts';
import { duration } from '../../kernel/output/format.ts';
import { RawOutput } from '../../kernel/output/raw-output.ts';
import type { Context } from '../../platform/context.ts';
import { choice, integer, list, nullable, number, object, optional, text } from '../result-schema.ts';

/**
 * The result of `run`: stdout and stderr of the program, or with `--json` one value, which has them
 * unless they are events; then they are shown on stderr.
 */
export function runOutput(
  { progress }: Context,
  follow: (onLine: (line: WorkLine) => unknown) => Promise<FinishedRun>,
  { events = false }: { events?: boolean | undefined },
): RawOutput<FinishedRun & { logs?: WorkLine[] }> {
  const onEnd = ({ run, durationMs }: FinishedRun) =>
    progress.step('Running').done(`Run ${run} succeeded in ${duration(durationMs)}`);
  const relay = (take: (bytes: Uint8Array) => Promise<void>) =>
    follow(({ line, stream }) => (stream === 'stderr' ? progress.relay(line) : take(Buffer.from(`${line}\n`))));
  const collect = async () => {
    const logs: WorkLine[] = [];
    const finished = await follow((line) => {
      progress.log(line.line);
      if (!events) logs.push(line);
    });
    return events ? finished : { ...finished, logs };
  };
  return new RawOutput(async (take) => onEnd(await relay(take)), { untrusted: 'text', jsonValue: collect });
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
