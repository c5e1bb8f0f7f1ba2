import type { AppSettings } from '../apps/settings.ts';
import type { ReadArchive } from '../archives/archive.ts';

/**
 * The log of each build stage, in the platform's order (docs/platform.md#builds). A stage without work prints nothing.
 * Every dependency and command is printed, so that a deploy that lost one shows it.
 */
export function buildStages(input: BuildInput, dockerfile?: string): string[][] {
  const { settings, registries } = input;
  const archive = input.archive as ReadArchive | undefined;
  const read = (name: string) => meaningfulLines(archive?.texts.get(name) ?? '');
  const logins = registries.map((registry) => `Logging in to ${registry}`);
  if (!archive) return [logins, [`Pulling ${settings.runtime} image ${settings.imageVersion ?? 'latest'}`]];
  if (dockerfile) return [logins, dockerLines(dockerfile, read(dockerfile)), copyLines(archive)];
  return [
    [...logins, `FROM ${settings.baseImage}`],
    commandLines('pre-build', settings.preBuildCommands),
    aptLines(read('pkglist.txt')),
    condaLines(read('conda_pkglist.txt')),
    pipLines(read('requirements.txt'), settings.useUv),
    copyLines(archive),
    commandLines('shell', settings.shellCommands),
  ];
}

export function startLines({ runtime, entrypoint, port }: AppSettings): string[] {
  if (runtime !== 'custom') return [runtime === 'cortex' ? 'Loading main.py' : `Starting ${runtime}`];
  return [`Starting: ${entrypoint.join(' ') || 'the command in the image'}`, `Waiting for port ${port}`];
}

/** Without blank lines, comments and options. */
function meaningfulLines(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('-'));
}

function dockerLines(path: string, instructions: string[]): string[] {
  const steps = instructions.map((line, index) => `#${index + 2} [${index + 1}/${instructions.length}] ${line}`);
  return [`#1 [internal] load build definition from ${path}`, ...steps];
}

function commandLines(kind: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`Running ${kind} commands`, ...lines.map((line) => `+ ${line}`)];
}

function aptLines(packages: string[]): string[] {
  return packages.length === 0 ? [] : ['Reading package lists...', ...packages.map((name) => `Setting up ${name} ...`)];
}

function condaLines(packages: string[]): string[] {
  if (packages.length === 0) return [];
  return ['Collecting package metadata: done', ...packages.map((name) => `Linking ${name}`)];
}

function pipLines(packages: string[], useUv: boolean): string[] {
  if (packages.length === 0) return [];
  return [
    useUv ? 'UV_PIP_INSTALL_STARTED' : 'PIP_INSTALL_STARTED',
    ...packages.map((name) => `Collecting ${name}`),
    // A progress bar that redraws itself, as pip prints it.
    [5, 20, 40].map((done) => `   ${'━'.repeat(done).padEnd(40)} ${done / 10}/4.0 MB 21.3 MB/s`).join('\r'),
    `Successfully installed ${packages.join(' ')}`,
  ];
}

function copyLines({ files }: ReadArchive): string[] {
  const bytes = [...files.values()].reduce((sum, file) => sum + file.size, 0);
  return [`Copying ${files.size} files (${bytes} bytes) to /cortex`];
}

export interface BuildInput {
  settings: AppSettings;
  /** Registries that credentials were sent for. */
  registries: readonly string[];
  /** The uploaded archive, or why it cannot be unpacked. A partner's app has none. */
  archive?: ReadArchive | Error;
}
