import type { Context } from '../../context.ts';
import { type BaseImage, prepareBaseImage, runLimits } from '../../contract/run-app.ts';
import { BuildFailedError, PendingError, type Problem, ProjectError } from '../../errors.ts';
import { duration, size } from '../../output/format.ts';
import type { AppConfig } from '../../project/config.ts';
import { generateDependencyFiles } from '../../project/dependencies.ts';
import type { FileEntry } from '../../project/files/entry.ts';
import { type RequiredPackages, readRequirements } from '../../project/requirements.ts';
import { Deadline, type PollOptions, pollUntil, throwUnlessTransient } from '../waiting/index.ts';

/**
 * What has to be in the image of a run, as the platform wants to hear it; undefined when nothing is. Throws
 * ProjectError when it is more than a run takes.
 */
export async function readBaseImage(
  { root, dependencies, deployment, custom }: AppConfig,
  warn: (problem: Problem) => void,
): Promise<BaseImage | undefined> {
  if (custom?.dockerfile_path) warn(noDockerfile(custom.dockerfile_path));
  const lists = await generateDependencyFiles({ ...dependencies, root, shellCommands: [], preBuildCommands: [] });
  const list = async (name: string) =>
    packages(
      lists.find(({ path }) => path === name),
      warn,
    );
  const image = {
    dependencies: {
      pip: await list('requirements.txt'),
      conda: await list('conda_pkglist.txt'),
      apt: await list('pkglist.txt'),
    },
    preBuildCommands: encoded(deployment.pre_build_commands),
    shellCommands: encoded(deployment.shell_commands),
    ...(deployment.docker_base_image_url && { baseImageURI: deployment.docker_base_image_url }),
  };
  checkSize(image.dependencies);
  const { baseImageURI, preBuildCommands, shellCommands } = image;
  const wanted = Object.values(image.dependencies).some((names) => Object.keys(names).length > 0);
  return wanted || baseImageURI || preBuildCommands.length > 0 || shellCommands.length > 0 ? image : undefined;
}

/** Short pauses at first, since the image may exist already. */
const pauses = { firstMs: 250, maxMs: 2_000, growth: 2 };

export interface PrepareImageOptions {
  app: string;
  region: string | undefined;
  image: BaseImage;
  timeoutMs: number;
}

/**
 * Waits until the platform has the image and returns its digest. Throws BuildFailedError at once when it cannot be
 * built, PendingError at the time limit.
 */
export async function prepareImage(
  context: Context,
  { app, region, image, timeoutMs }: PrepareImageOptions,
): Promise<string> {
  const { project, progress } = context;
  const step = progress.step('Preparing the base image');
  let shown = '';
  const deadline = new Deadline(context, timeoutMs, () => late(app, shown, timeoutMs));
  const followed = { name: `the base image for ${app}`, fix: retryFix, details: { app } };
  const query = region === undefined ? {} : { region };
  const polling: PollOptions<{ status: string; digest?: string | null | undefined }> = {
    poll: (api) => api(prepareBaseImage, { project, app, query, body: image }),
    deadline,
    pauses,
    onFailure(error, silentMs) {
      // Before the first answer nothing is known to be going on.
      if (shown === '') throw error;
      throwUnlessTransient(error, silentMs, followed);
    },
  };
  try {
    return await pollUntil(context, polling, ({ status, digest }) => {
      shown = status;
      if (status === 'ready' && digest) {
        step.done(`Base image is ready after ${duration(deadline.waitedMs)}`);
        return digest;
      }
      if (/fail|error|cancel|timeout|timed/i.test(status)) throw unmade(app, status);
      step.update({ text: `${status}, ${duration(deadline.waitedMs)}` });
    });
  } catch (error) {
    step.fail();
    throw error;
  }
}

const retryFix = 'run it again: the image is kept';

function packages(
  list: FileEntry | undefined,
  warn: (problem: Problem) => void,
): RequiredPackages | Promise<RequiredPackages> {
  return list ? readRequirements(list, warn) : {};
}

/** The platform wants them in base64. */
function encoded(commands: readonly string[] = []): string[] {
  return commands.filter((command) => command.trim() !== '').map((command) => Buffer.from(command).toString('base64'));
}

function checkSize(dependencies: BaseImage['dependencies']): void {
  const bytes = Buffer.byteLength(JSON.stringify(dependencies));
  if (bytes <= runLimits.dependenciesBytes) return;
  const message = `the dependencies come to ${size(bytes)}, and a run takes ${size(runLimits.dependenciesBytes)}`;
  const why = Object.entries(dependencies)
    .map(([kind, names]) => `${String(Object.keys(names ?? {}).length).padStart(7)}  ${kind} packages`)
    .join('\n');
  throw new ProjectError(message, [{ severity: 'error', message, why }], { why });
}

function noDockerfile(path: string): Problem {
  const why = 'a run has no build: only packages and commands of cerebrium.toml are in its image';
  return { severity: 'warning', message: `${path} is not used`, why };
}

function unmade(app: string, status: string): BuildFailedError {
  return new BuildFailedError(`the base image for ${app} could not be made (${status})`, {
    why: 'a package, a command or the base image in cerebrium.toml does not work there',
    details: { app, status },
  });
}

function late(app: string, status: string, timeoutMs: number): PendingError {
  return new PendingError(`the base image for ${app} is not ready after ${duration(timeoutMs)}; it goes on`, {
    fix: retryFix,
    details: { app, status },
  });
}
