import type { AppConfig } from '../../app/config.ts';
import { generateDependencyFiles } from '../../app/dependencies.ts';
import type { FileEntry } from '../../app/files/entry.ts';
import { type RequiredPackages, readRequirements } from '../../app/requirements.ts';
import {
  BuildFailedError,
  type GantryError,
  PendingError,
  type Problem,
  ProjectError,
  UnavailableError,
} from '../../kernel/errors.ts';
import { stringifyJson } from '../../kernel/json-text.ts';
import { duration, size } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { type BaseImage, prepareBaseImage, runLimits } from '../../platform/contract/run-app.ts';
import {
  Deadline,
  isTooEarly,
  type PollOptions,
  pollUntil,
  throwUnlessTransient,
} from '../../platform/waiting/index.ts';

/**
 * Returns the packages and commands for the image of a run in the platform's form, undefined if it needs none. Throws
 * ProjectError if they exceed the limit of a run.
 */
export async function readBaseImage(
  { root, dependencies, deployment, custom }: AppConfig,
  warn: (problem: Problem) => void,
): Promise<BaseImage | undefined> {
  if (custom?.dockerfile_path) warn(unusedDockerfile(custom.dockerfile_path));
  const lists = generateDependencyFiles({ root, dependencies, deployment: {} });
  const list = async (name: string) => parsePackages(lists.find(({ entry }) => entry.path === name)?.entry, warn);
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

export interface PrepareImageOptions {
  app: string;
  region: string | undefined;
  image: BaseImage;
  timeoutMs: number;
}

/**
 * Waits until the platform has built the image and returns its digest. Throws BuildFailedError if that fails,
 * PendingError at the timeout.
 */
export async function prepareImage(
  context: Context,
  { app, region, image, timeoutMs }: PrepareImageOptions,
): Promise<string> {
  const { project, progress } = context;
  const step = progress.step('Preparing the base image');
  let shownStatus = '';
  const deadline = new Deadline(context, timeoutMs, () => timeoutError(app, shownStatus, timeoutMs));
  const work = { name: `the base image for ${app}`, fix: retryFix, details: { app } };
  const query = region === undefined ? {} : { region };
  const pollOptions: PollOptions<{ status: string; digest?: string | null | undefined }> = {
    poll: (api) => api(prepareBaseImage, { project, app, query, body: image }),
    deadline,
    pauses,
    onFailure(error, silentMs) {
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
    throw error;
  }
}

const retryFix = 'run the same command again: the image is kept';

function parsePackages(
  list: FileEntry | undefined,
  warn: (problem: Problem) => void,
): RequiredPackages | Promise<RequiredPackages> {
  return list ? readRequirements(list, warn) : {};
}

/** The platform takes commands in base64. */
function encodeCommands(commands: readonly string[] = []): string[] {
  return commands.filter((command) => command.trim() !== '').map((command) => Buffer.from(command).toString('base64'));
}

function checkSize(dependencies: BaseImage['dependencies']): void {
  const bytes = Buffer.byteLength(stringifyJson(dependencies));
  if (bytes <= runLimits.dependenciesBytes) return;
  const message = `the list of dependencies is too large for a run: ${size(bytes)} (maximum ${size(runLimits.dependenciesBytes)})`;
  const why = Object.entries(dependencies)
    .map(([kind, names]) => `${String(Object.keys(names ?? {}).length).padStart(7)}  ${kind} packages`)
    .join('\n');
  throw new ProjectError(message, [{ severity: 'error', message, why }], { why });
}

function unusedDockerfile(path: string): Problem {
  const why = 'a run has no build: its image contains only the packages and commands of cerebrium.toml';
  return { severity: 'warning', message: `${path} is not used`, why };
}

function buildFailure(app: string, status: string): BuildFailedError {
  return new BuildFailedError(`the base image for ${app} failed to build (${status})`, {
    why: 'a package, a command or the base image in cerebrium.toml may be invalid',
    details: { app, status },
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
