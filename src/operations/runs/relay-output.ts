import type { Progress } from '../../output/progress.ts';
import type { FinishedRun } from './follow-run.ts';
import type { RunLine } from './run-log.ts';

type RunOutput = AsyncGenerator<RunLine, FinishedRun>;

/** Relays stdout of the run to `writeStdout` and its stderr to `writeStderr`. */
export async function relayOutput(
  output: RunOutput,
  writeStdout: (bytes: Uint8Array) => Promise<void>,
  writeStderr: Progress['relay'],
): Promise<FinishedRun> {
  return forEachLine(output, ({ line, stream }) =>
    stream === 'stderr' ? writeStderr(line) : writeStdout(Buffer.from(`${line}\n`)),
  );
}

/** Prints the output to stderr and returns the run, for `--json`. With `keepLines`, the output is in the value too. */
export async function collectOutput(
  output: RunOutput,
  keepLines: boolean,
  log: Progress['log'],
): Promise<FinishedRun & { logs?: RunLine[] }> {
  const logs: RunLine[] = [];
  const finished = await forEachLine(output, (line) => {
    log(line.line);
    if (keepLines) logs.push(line);
  });
  return keepLines ? { ...finished, logs } : finished;
}

async function forEachLine(output: RunOutput, onLine: (line: RunLine) => unknown): Promise<FinishedRun> {
  for (;;) {
    const next = await output.next();
    if (next.done) return next.value;
    await onLine(next.value);
  }
}
