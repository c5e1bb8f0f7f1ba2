import type { Context } from '../../context.ts';
import { createRunApp, startRun } from '../../contract/run-app.ts';
import { size } from '../../output/format.ts';
import type { AppConfig } from '../../project/config.ts';
import { remoteRun } from '../runs/index.ts';
import { cancelAbandoned, completeDespiteInterrupt, explainLostReply } from '../waiting/index.ts';
import { prepareImage, readBaseImage } from './base-image.ts';
import { type FinishedRun, followRun } from './follow-run.ts';
import type { Program } from './read-program.ts';
import type { RunLine } from './run-log.ts';

export interface RunOptions {
  /** JSON: what the function, or the program, is given. */
  data: string;
  region: string | undefined;
  /** Stop waiting after so long; the run goes on. */
  timeoutMs: number;
  /** Nobody waits for the run: Ctrl-C never cancels it. */
  detach: boolean;
}

/** A run that goes on without us. */
export interface StartedProgram {
  runId: string;
  app: string;
}

/** Create the app, then its image if it needs one, then the run (wire §6). Throws what the platform says against it. */
export async function startProgram(context: Context, program: Program, options: RunOptions): Promise<StartedProgram> {
  const { api, project, progress } = context;
  const { name: app } = program.project;
  const { region, timeoutMs } = options;
  const image = await readBaseImage(program.project, (problem) => progress.warn(problem));
  await api(createRunApp, { project, app, query: { ...(region && { region }) } });
  const imageDigest = image && (await prepareImage(context, { app, region, image, timeoutMs }));
  const { runId } = await send(context, program, { ...options, imageDigest });
  progress.event('started', { app, runId });
  return { app, runId };
}

/** Shows what a run prints until it ends. Ctrl-C cancels it. */
export async function* followProgram(
  context: Context,
  { app, runId }: StartedProgram,
  timeoutMs: number,
): AsyncGenerator<RunLine, FinishedRun> {
  try {
    context.signal.throwIfAborted();
    return yield* followRun(context, { app, run: runId, timeoutMs });
  } catch (error) {
    if (context.signal.aborted) await abandon(context, app, runId);
    throw error;
  }
}

/** Sends the program. It is never sent twice unless the first try provably did not arrive: it would run twice. */
async function send(
  context: Context,
  { project: { name: app, hardware }, file, functionName, tar }: Program,
  { data, region, detach, imageDigest }: RunOptions & { imageDigest: string | undefined },
) {
  const { project, progress, signal, interruption } = context;
  const query = {
    ...{ filename: file, appName: app },
    ...(region && { region }),
    ...(functionName && { functionName }),
    ...(imageDigest && { imageDigest }),
    ...hardwareQuery(hardware),
  };
  const body = {
    projectId: project,
    data: { filename: 'data.json', type: 'application/json', content: Buffer.from(data) },
    file: { filename: 'app.tar', type: 'application/x-tar', content: tar },
  };
  const step = progress.step(`Sending ${size(tar.length)}`);
  const started = await completeDespiteInterrupt(context, (api) => api(startRun, { project, app, query, body })).catch(
    (error) => {
      step.fail();
      throw explainLostReply(error, { why: 'it may run all the same', fix: `gantry runs list ${app}` });
    },
  );
  const { runId } = started;
  interruption.message = detach
    ? `stopping; run ${runId} goes on: gantry runs follow ${app} ${runId}`
    : `cancelling run ${runId} of ${app}`;
  step.done(`Started run ${runId} of ${app}`);
  if (!signal.aborted) return started;
  if (!detach) await abandon(context, app, runId);
  throw signal.reason;
}

/** Cancels a run that nobody waits for any more. Never hides the error it follows. */
async function abandon(context: Context, app: string, run: string): Promise<void> {
  const isCancelled = await cancelAbandoned(context, remoteRun(context.project, app, run));
  if (isCancelled) context.progress.event('cancelled', { app, runId: run });
}

/** Of several kinds of hardware a run takes the first (wire §6). */
function hardwareQuery({ compute, gpu_count, cpu, memory }: AppConfig['hardware']): Record<string, string> {
  const [computeType] = [compute ?? []].flat();
  return {
    ...(computeType && { computeType }),
    ...(gpu_count && { gpuCount: String(gpu_count) }),
    ...(cpu !== undefined && { cpu: withDecimal(cpu) }),
    ...(memory !== undefined && { memoryGb: withDecimal(memory) }),
  };
}

/** `2.0`: without its decimal the platform does not take it for a number with a fraction (wire §6). */
function withDecimal(number: number): string {
  return Number.isInteger(number) ? number.toFixed(1) : String(number);
}
