import type { AppConfig } from '../../app/config.ts';
import { generateDependencyFiles } from '../../app/dependencies.ts';
import { readRequirements } from '../../app/requirements.ts';
import { listAppSettings } from '../../app/settings.ts';
import { recordEvent } from '../../deploys/history/index.ts';
import { chooseRegion } from '../../deploys/send/index.ts';
import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import {
  BuildFailedError,
  FailedError,
  type GantryError,
  NotFoundError,
  PendingError,
  type Problem,
  ProjectError,
  UnavailableError,
} from '../../kernel/errors.ts';
import { stringifyJson } from '../../kernel/json-text.ts';
import { duration, size } from '../../kernel/output/format.ts';
import { overLimit } from '../../kernel/sizes.ts';
import type { Context } from '../../platform/context.ts';
import type { DecodedReply } from '../../platform/contract/endpoint.ts';
import {
  type BaseImage,
  createRunApp,
  prepareBaseImage,
  runLimits,
  startRun,
} from '../../platform/contract/run-app.ts';
import { fetchApp } from '../../platform/replies/index.ts';
import {
  cancelAbandoned,
  completeDespiteInterrupt,
  Deadline,
  isRefusal,
  isTooEarly,
  type PollOptions,
  pollUntil,
  type TimeLimit,
  throwUnlessTransient,
  tryUntilKnown,
  untilKnown,
} from '../../platform/waiting/index.ts';
import type { WorkLine } from '../logs/index.ts';
import { type FinishedRun, type FollowRunOptions, finishedRun, followRun, remoteRun } from '../runs/index.ts';
import type { Program } from './read-program.ts';

interface RunOptions {
  /** The arguments of the function or program, as JSON. */
  data: string;
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
  const region = options.region ?? (await readRegion(context, program.config));
  const { api, project, progress } = context;
  const { name: app } = program.config;
  const image = await readBaseImage(program.config, (problem) => progress.warn(problem));
  await api(createRunApp, { project, app, query: { region } });
  const imageDigest =
    image && (await limit.wait((timeoutMs) => prepareImage(context, program.config, { region, image, timeoutMs })));
  const { runId: run } = await send(program, { ...options, region, imageDigest });
  progress.event('started', { app, run });
  return { app, run };
}

/** The region, as for a deploy. Only that of a profile needs to know whether the app is new. */
async function readRegion({ api, project, settings }: Context, { name, hardware }: AppConfig) {
  const typed = chooseRegion(settings.region, hardware.region, { isNew: false });
  if (typed !== undefined || settings.region.value === undefined) return typed;
  const app = await fetchApp(api, { project, app: name }).catch((error: unknown) => {
    if (isRefusal(error)) return { region: error instanceof NotFoundError ? settings.region.value : undefined };
    throw error;
  });
  return app.region;
}

/** Passes on what a run prints until it ends. Ctrl-C cancels the run. */
export async function followProgram(
  context: Context,
  { app, run }: StartedProgram,
  { config }: Program,
  waiting: Pick<FollowRunOptions, 'timeoutMs' | 'forwardExitCode' | 'sent'>,
  onLine: (line: WorkLine) => unknown,
): Promise<FinishedRun> {
  try {
    context.signal.throwIfAborted();
    return finishedRun(await followRun(context, { app, run, config, ...waiting, onLine }), app);
  } catch (error) {
    if (context.signal.aborted) await abandon(context, app, run);
    throw error;
  }
}

/** Never sends the program twice unless the first request provably did not arrive: it would run twice. */
async function send(
  { config, file, functionName, tar }: Program,
  { limit, data, region, detach, imageDigest }: RunOptions & { imageDigest: string | undefined },
) {
  const context = limit.unlimited;
  const { name: app } = config;
  const { project, signal, interruption } = context;
  const query = {
    filename: file,
    appName: app,
    region,
    functionName,
    imageDigest,
    ...hardwareQuery(config),
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
    ? sentence`stopping; run ${runId} continues; to follow it: ${gantryCommand`logs ${app} --run ${runId} -f`}`
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
  if (status === 'canceled') context.progress.event('canceled', { app, run });
}

/**
 * The hardware of a run, which takes one kind: the first of the list. Defaults are sent as well: else its app would keep
 * what the run before had.
 */
function hardwareQuery(config: AppConfig) {
  const settings = listAppSettings(config).filter(({ section }) => section === 'hardware');
  const of = (name: string) => {
    const { value, default: usual } = settings.find(({ key }) => key === name) ?? {};
    return [value ?? usual].flat()[0];
  };
  return {
    computeType: String(of('compute')),
    gpuCount: String(of('gpu_count')),
    cpu: withDecimal(Number(of('cpu'))),
    memoryGb: withDecimal(Number(of('memory'))),
  };
}

/** `2.0`: the platform requires a decimal point. */
function withDecimal(number: number): string {
  return Number.isInteger(number) ? number.toFixed(1) : String(number);
}

/**
 * Returns the packages and commands for the image of a run in the platform's form, undefined if it needs none. Throws
 * ProjectError if they exceed the limit of a run.
 */
async function readBaseImage(
  { root, dependencies, deployment, custom }: AppConfig,
  warn: (problem: Problem) => void,
): Promise<BaseImage | undefined> {
  if (custom?.dockerfile_path) warn(unusedDockerfile(custom.dockerfile_path));
  const lists = generateDependencyFiles({ root, dependencies, deployment: {} });
  const list = async (name: string) => {
    const { entry: found } = lists.find(({ entry }) => entry.path === name) ?? {};
    return found ? readRequirements(found, warn) : {};
  };
  const image = {
    dependencies: {
      pip: await list('requirements.txt'),
      conda: await list('conda_pkglist.txt'),
      apt: await list('pkglist.txt'),
    },
    preBuildCommands: encodeCommands(deployment.pre_build_commands),
    shellCommands: encodeCommands(deployment.shell_commands),
    ...(deployment.docker_base_image_url && { baseImageURI: deployment.docker_base_image_url }),
  };
  checkSize(image.dependencies);
  const { baseImageURI, preBuildCommands, shellCommands } = image;
  const hasPackages = Object.values(image.dependencies).some((names) => Object.keys(names).length > 0);
  return hasPackages || baseImageURI || preBuildCommands.length > 0 || shellCommands.length > 0 ? image : undefined;
}

/** Short at first: the image may already exist. */
const pauses = { firstMs: 250, maxMs: 2_000, growth: 2 };

/**
 * Waits until the platform has built the image and returns its digest. Throws BuildFailedError if that fails,
 * PendingError at the timeout.
 */
async function prepareImage(
  context: Context,
  config: AppConfig,
  { region, image, timeoutMs }: { region: string | undefined; image: BaseImage; timeoutMs: number },
): Promise<string> {
  const { name: app } = config;
  const { project, progress } = context;
  const step = progress.step('Preparing the base image');
  let shownStatus = '';
  const deadline = new Deadline(context, timeoutMs, (saidMs) => timeoutError(app, shownStatus, saidMs));
  const work = { name: `the base image for ${app}`, fix: retryFix, details: { app } };
  const pollOptions: PollOptions<DecodedReply<typeof prepareBaseImage>> = {
    poll: (api) => api(prepareBaseImage, { project, app, query: { region }, body: image }),
    deadline,
    pauses,
    onFailure(error, silentMs) {
      if (error instanceof FailedError) throw buildFailure(app, error.message);
      // Before the first reply nothing is known to be in progress.
      if (shownStatus === '' && !isTooEarly(error, deadline.waitedMs)) throw error;
      throwUnlessTransient(error, silentMs, { ...work, ageMs: deadline.waitedMs });
    },
  };
  try {
    return await pollUntil(context, pollOptions, ({ status, digest }) => {
      shownStatus = status;
      if (status === 'ready' && digest) {
        step.done(`Base image ready in ${duration(deadline.waitedMs)}`);
        return digest;
      }
      if (/fail|error|cancel|timeout|timed/i.test(status)) throw buildFailure(app, status);
      step.update({ text: `${status}, ${duration(deadline.waitedMs)}` });
    });
  } catch (error) {
    step.fail();
    await (await import('../../causes/index.ts')).addCause(context, error, config);
    throw error;
  }
}

const retryFix = 'run the same command again: the image is kept';

/** The platform takes commands in base64. */
function encodeCommands(commands: readonly string[] = []): string[] {
  return commands.filter((command) => command.trim() !== '').map((command) => Buffer.from(command).toString('base64'));
}

function checkSize(dependencies: BaseImage['dependencies']): void {
  const bytes = Buffer.byteLength(stringifyJson(dependencies));
  if (bytes <= runLimits.dependenciesBytes) return;
  const message = `the list of dependencies is too large for a run: ${overLimit(bytes, runLimits.dependenciesBytes).join(' (maximum ')})`;
  const why = Object.entries(dependencies)
    .map(([kind, names]) => `${String(Object.keys(names ?? {}).length).padStart(7)}  ${kind} packages`)
    .join('\n');
  throw new ProjectError(message, [{ severity: 'error', message, why }]);
}

function unusedDockerfile(path: string): Problem {
  const why = 'a run has no build: its image contains only the packages and commands of cerebrium.toml';
  return { severity: 'warning', message: `${path} is not used`, why };
}

/** `said`: a status that the platform shows, or why it refuses to build the image. */
function buildFailure(app: string, said: string): BuildFailedError {
  const isStatus = /^\w+$/.test(said);
  return new BuildFailedError(`the base image for ${app} failed to build${isStatus ? ` (${said})` : ''}`, {
    why: isStatus ? 'a package, a command or the base image in cerebrium.toml may be invalid' : said,
    details: { app, status: isStatus ? said : 'failed' },
    log: said.split('\n'),
  });
}

function timeoutError(app: string, status: string, timeoutMs: number): GantryError {
  if (status === '') {
    const why = 'its build may have started';
    return new UnavailableError(`no reply about the base image for ${app} within ${duration(timeoutMs)}`, { why });
  }
  return new PendingError(`the base image for ${app} is not ready after ${duration(timeoutMs)}; the build continues`, {
    fix: retryFix,
    details: { app, status },
  });
}
