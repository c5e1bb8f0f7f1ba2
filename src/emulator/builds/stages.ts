import type { Settings } from '../apps/settings.ts';
import type { Archive } from './archive.ts';

/**
 * The log of each stage of a build, in the platform's order (wire §4). A stage without work has no lines. Every
 * dependency and command is echoed, so a deploy that lost one shows it here.
 */
export function buildStages(job: Job, dockerfile?: string): string[][] {
  const { settings, registries } = job;
  const archive = job.archive as Archive | undefined;
  const read = (name: string) => meaningfulLines(archive?.texts.get(name) ?? '');
  const logins = registries.map((registry) => `Logging in to ${registry}`);
  if (!archive) return [logins, [`Pulling ${settings.runtime} image ${settings.imageVersion ?? 'latest'}`]];
  if (dockerfile) return [logins, docker(dockerfile, read(dockerfile)), copied(archive)];
  return [
    [...logins, `FROM ${settings.baseImage}`],
    commands('pre-build', settings.preBuildCommands),
    apt(read('pkglist.txt')),
    conda(read('conda_pkglist.txt')),
    pip(read('requirements.txt'), settings.useUv),
    copied(archive),
    commands('shell', settings.shellCommands),
  ];
}

/** What an app prints while it starts. */
export function startLines({ runtime, entrypoint, port }: Settings): string[] {
  if (runtime !== 'custom') return [runtime === 'cortex' ? 'Loading main.py' : `Starting ${runtime}`];
  return [`Starting: ${entrypoint.join(' ') || 'the command of the image'}`, `Waiting for port ${port}`];
}

/** Blank lines, comments and options of a package list name no package. */
function meaningfulLines(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('-'));
}

function docker(path: string, instructions: string[]): string[] {
  const steps = instructions.map((line, index) => `#${index + 2} [${index + 1}/${instructions.length}] ${line}`);
  return [`#1 [internal] load build definition from ${path}`, ...steps];
}

function commands(kind: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`Running ${kind} commands`, ...lines.map((line) => `+ ${line}`)];
}

function apt(packages: string[]): string[] {
  return packages.length === 0 ? [] : ['Reading package lists...', ...packages.map((name) => `Setting up ${name} ...`)];
}

function conda(packages: string[]): string[] {
  if (packages.length === 0) return [];
  return ['Collecting package metadata: done', ...packages.map((name) => `Linking ${name}`)];
}

function pip(packages: string[], useUv: boolean): string[] {
  if (packages.length === 0) return [];
  return [
    useUv ? 'UV_PIP_INSTALL_STARTED' : 'PIP_INSTALL_STARTED',
    ...packages.map((name) => `Collecting ${name}`),
    // One line that draws over itself, as pip sends it.
    [5, 20, 40].map((done) => `   ${'━'.repeat(done).padEnd(40)} ${done / 10}/4.0 MB 21.3 MB/s`).join('\r'),
    `Successfully installed ${packages.join(' ')}`,
  ];
}

function copied({ files }: Archive): string[] {
  const bytes = [...files.values()].reduce((sum, file) => sum + file.size, 0);
  return [`Copying ${files.size} files (${bytes} bytes) to /cortex`];
}

/** What a build has to work with. */
export interface Job {
  settings: Settings;
  /** Registries to log in to. */
  registries: readonly string[];
  /** What was uploaded, or why that could not be unpacked. A partner's app has neither. */
  archive?: Archive | Error;
}
