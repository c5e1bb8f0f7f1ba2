import type { Context } from '../../context.ts';
import { type BaseImage, prepareBaseImage, runLimits } from '../../contract/run-app.ts';
import { BuildFailedError, PendingError, type Problem, ProjectError } from '../../errors.ts';
import { duration, size } from '../../output/words.ts';
import type { Entry } from '../../project/collect.ts';
import type { Project } from '../../project/config.ts';
import { generatedEntries } from '../../project/dependencies.ts';
import { type Packages, packagesIn } from '../../project/requirements.ts';

/**
 * What has to be in the image of a run, as the platform wants to hear it; undefined when nothing is. Throws
 * ProjectError when it is more than a run takes.
 */
export async function imageOf(
  { root, dependencies, deployment, custom }: Project,
  warn: (problem: Problem) => void,
): Promise<BaseImage | undefined> {
  if (custom?.dockerfile_path) warn(noDockerfile(custom.dockerfile_path));
  const lists = await generatedEntries({ ...dependencies, root, shellCommands: [], preBuildCommands: [] });
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

/** Between two looks at the image, milliseconds: short at first, since it may be there already. */
const firstPauseMs = 250;
const longestPauseMs = 2_000;

export interface ImageWish {
  app: string;
  region: string | undefined;
  image: BaseImage;
  timeoutMs: number;
}

/** Waits until the platform has the image and gives its digest. Throws BuildFailedError at once when it cannot be made. */
export async function prepareImage(
  { api, project, progress, delay, now }: Context,
  { app, region, image, timeoutMs }: ImageWish,
): Promise<string> {
  const step = progress.step('Preparing the base image');
  const started = now();
  try {
    for (let pause = firstPauseMs; ; pause = Math.min(longestPauseMs, pause * 2)) {
      const query = region === undefined ? {} : { region };
      const { status, digest } = await api(prepareBaseImage, { project, app, query, body: image });
      if (status === 'ready' && digest) {
        step.done(`Base image is ready after ${duration(now() - started)}`);
        return digest;
      }
      if (/fail|error|cancel|timeout|timed/i.test(status)) throw unmade(app, status);
      if (now() - started >= timeoutMs) throw late(app, status, timeoutMs);
      step.update({ text: `${status}, ${duration(now() - started)}` });
      await delay(pause);
    }
  } catch (error) {
    step.fail();
    throw error;
  }
}

function packages(list: Entry | undefined, warn: (problem: Problem) => void): Packages | Promise<Packages> {
  return list ? packagesIn(list, warn) : {};
}

/** The platform wants them in base64. */
function encoded(commands: readonly string[] = []): string[] {
  return commands.filter((command) => command.trim() !== '').map((command) => Buffer.from(command).toString('base64'));
}

function checkSize(dependencies: BaseImage['dependencies']): void {
  const bytes = Buffer.byteLength(JSON.stringify(dependencies));
  if (bytes <= runLimits.dependencies) return;
  const message = `the dependencies come to ${size(bytes)}, and a run takes ${size(runLimits.dependencies)}`;
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
    fix: 'run it again: the image is kept',
    details: { app, status },
  });
}
