import type { AppConfig } from '../../app/config.ts';
import { recordEvent } from '../../deploys/history/index.ts';
import { chooseRegion } from '../../deploys/send/index.ts';
import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { size } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { createRunApp, startRun } from '../../platform/contract/run-app.ts';
import { fetchApp } from '../../platform/replies/index.ts';
import {
  cancelAbandoned,
  completeDespiteInterrupt,
  isRefusal,
  type TimeLimit,
  tryUntilKnown,
  untilKnown,
} from '../../platform/waiting/index.ts';
import type { WorkLine } from '../logs/index.ts';
import { type FinishedRun, type FollowRunOptions, followRun, remoteRun } from '../runs/index.ts';
import { prepareImage, readBaseImage } from './base-image.ts';
import type { Program } from './read-program.ts';

export interface RunOptions {
  /** The arguments of the function or program, as JSON. */
  data: string;
  /** Of the command line. */
  region: string | undefined;
  limit: TimeLimit;
  /** Do not wait for the run; Ctrl-C does not cancel it. */
  detach: boolean;
}

export interface StartedProgram {
  run: string;
  app: string;
}

/** Creates the app, builds its image if it needs one, and starts the run. */
export async function startProgram(program: Program, options: RunOptions): Promise<StartedProgram> {
  const { limit } = options;
  const { context } = limit;
  const region = options.region ?? (await readRegion(context, program.project));
  const { api, project, progress } = context;
  const { name: app } = program.project;
  const image = await readBaseImage(program.project, (problem) => progress.warn(problem));
  await api(createRunApp, { project, app, query: { ...(region && { region }) } });
  const imageDigest =
    image && (await limit.wait((timeoutMs) => prepareImage(context, { app, region, image, timeoutMs })));
  const { runId: run } = await send(program, { ...options, region, imageDigest });
  progress.event('started', { app, run });
  return { app, run };
}

/** As for a deploy. Only the region of a profile needs to know whether the app is new: without any, the platform does. */
async function readRegion({ api, project, settings }: Context, { name, hardware }: AppConfig) {
  const typed = chooseRegion(settings.region, hardware.region, { isNew: false });
  if (typed !== undefined || settings.region.value === undefined) return typed;
  const app = await fetchApp(api, { project, app: name }).catch((error: unknown) => {
    if (isRefusal(error)) return { region: error instanceof NotFoundError ? settings.region.value : undefined };
    throw error;
  });
  return app.region ?? undefined;
}

/** Passes on what a run prints until it ends. Ctrl-C cancels the run. */
export async function followProgram(
  context: Context,
  { app, run }: StartedProgram,
  { project }: Program,
  waiting: Pick<FollowRunOptions, 'timeoutMs' | 'forwardExitCode'>,
  onLine: (line: WorkLine) => unknown,
): Promise<FinishedRun> {
  try {
    context.signal.throwIfAborted();
    return await followRun(context, { app, run, config: project, ...waiting }, onLine);
  } catch (error) {
    if (context.signal.aborted) await abandon(context, app, run);
    throw error;
  }
}

/** Never sends the program twice unless the first request provably did not arrive: it would run twice. */
async function send(
  { project: { name: app, hardware }, file, functionName, tar }: Program,
  { limit, data, region, detach, imageDigest }: RunOptions & { imageDigest: string | undefined },
) {
  const context = limit.unlimited;
  const { project, signal, interruption } = context;
  const query = {
    filename: file,
    appName: app,
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
  const step = limit.context.progress.step(`Sending ${size(tar.length)}`);
  const request = () => completeDespiteInterrupt(limit, (api) => api(startRun, { project, app, query, body }));
  const started = await untilKnown(request, limit.context.delay).catch((error) => {
    step.fail();
    throw error;
  });
  const { runId } = started;
  interruption.message = detach
    ? sentence`stopping; run ${runId} continues; to follow it: ${gantryCommand`runs follow ${app} ${runId}`}`
    : `canceling run ${runId} of ${app}`;
  step.done(`Started run ${runId} of ${app}`);
  await recordEvent(context, app, 'job', { run: runId });
  if (detach) await tryUntilKnown(context, remoteRun(project, app, runId).readStatus);
  if (!signal.aborted) return started;
  if (!detach) await abandon(context, app, runId);
  throw signal.reason;
}

async function abandon(context: Context, app: string, run: string): Promise<void> {
  const status = await cancelAbandoned(context, remoteRun(context.project, app, run));
  if (status === 'cancelled') context.progress.event('cancelled', { app, run });
}

/** A run takes one kind of hardware: the first of the list. */
function hardwareQuery({ compute, gpu_count, cpu, memory }: AppConfig['hardware']): Record<string, string> {
  const [computeType] = [compute ?? []].flat();
  return {
    ...(computeType && { computeType }),
    ...(gpu_count && { gpuCount: String(gpu_count) }),
    ...(cpu !== undefined && { cpu: withDecimal(cpu) }),
    ...(memory !== undefined && { memoryGb: withDecimal(memory) }),
  };
}

/** `2.0`: the platform requires a decimal point. */
function withDecimal(number: number): string {
  return Number.isInteger(number) ? number.toFixed(1) : String(number);
}
