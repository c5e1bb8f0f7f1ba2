import { settingDifferences } from '../apps/setting-fidelity.ts';
import type { AppSettings } from '../apps/settings.ts';
import type { NotStarted } from '../state/records.ts';

export interface BuildInput {
  settings: AppSettings;
  /** Registries that credentials were sent for. */
  registries: readonly string[];
  /** The uploaded archive, or why it cannot be unpacked. A partner's app has none. */
  archive?: ReadArchive | Error;
  /** What the emulator does itself. Without it the log is made up: for seed data, faults and simulated builds. */
  plan?: BuildPlan;
}

export interface BuildPlan {
  /** Whether the Python of the app and the packages of `requirements.txt` are installed. */
  installs: boolean;
  /** Why the app is not started; undefined if it is. */
  obstacle: NotStarted | undefined;
}

/** A part of a build that prints these lines. */
export interface BuildStage {
  lines: string[];
  /** Whether the emulator does it, and adds what that prints. */
  isPerformed?: boolean;
}

/**
 * The log of each build stage, in the platform's order (docs/platform.md#builds). A stage without work prints nothing.
 * Every dependency and command is printed, so that a deploy that lost one shows it.
 */
export function buildStages(input: BuildInput, dockerfile?: string): BuildStage[] {
  const { settings, registries, plan } = input;
  const words = plan ? plainWords : madeUpWords;
  const archive = input.archive as ReadArchive | undefined;
  const read = (name: string) => meaningfulLines(String(archive?.contents.get(name) ?? ''));
  const logins = registries.map(words.login);
  if (!archive) return withLines([...logins, words.partnerImage(settings)]);
  if (dockerfile)
    return [
      ...withLines(
        [...logins, ...(plan ? settingDifferences(settings) : dockerLines(dockerfile, read(dockerfile)))],
        copyLines(archive, words),
      ),
      { lines: [], isPerformed: plan !== undefined && plan.obstacle === undefined },
    ];
  return [
    ...withLines(
      [...logins, words.image(settings.baseImage)],
      plan ? settingDifferences(settings) : [],
      commandLines(words.commands('pre-build'), settings.preBuildCommands),
      words.apt(read('pkglist.txt')),
      words.conda(read('conda_pkglist.txt')),
    ),
    pipStage(read('requirements.txt'), settings.useUv, input),
    ...withLines(copyLines(archive, words), commandLines(words.commands('shell'), settings.shellCommands)),
  ];
}

export function startLines({ runtime, entrypoint, port }: AppSettings): string[] {
  if (runtime !== 'custom') return [runtime === 'cortex' ? 'Loading main.py' : `Starting ${runtime}`];
  return [`Starting: ${entrypoint.join(' ') || 'the command in the image'}`, `Waiting for port ${port}`];
}

function withLines(...stages: string[][]): BuildStage[] {
  return stages.map((lines) => ({ lines }));
}

function pipStage(packages: string[], useUv: boolean, { plan }: BuildInput): BuildStage {
  if (plan?.installs) return { lines: [], isPerformed: true };
  return { lines: (plan ? plainWords : madeUpWords).pip(packages, useUv) };
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

function commandLines(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `+ ${line}`)];
}

function copyLines({ files }: ReadArchive, words: StageWords): string[] {
  const bytes = [...files.values()].reduce((sum, file) => sum + file.size, 0);
  return [words.copy(files.size, bytes)];
}

interface StageWords {
  login(registry: string): string;
  image(name: string): string;
  partnerImage(settings: AppSettings): string;
  commands(kind: string): string;
  apt(packages: string[]): string[];
  conda(packages: string[]): string[];
  pip(packages: string[], useUv: boolean): string[];
  copy(files: number, bytes: number): string;
}

/** Says what the emulator does with an app that was deployed to it, and what it leaves out. */
const plainWords: StageWords = {
  login: (registry) => `Login for ${registry} received; the emulator does not use it`,
  image: (name) => `FROM ${name} (not pulled: the app runs on this machine)`,
  partnerImage: ({ runtime, imageVersion }) => `FROM ${runtime}:${imageVersion ?? 'latest'} (not pulled)`,
  commands: (kind) => `The emulator runs no ${kind} commands; only false and exit end the build`,
  apt: (packages) => notInstalled('apt', packages),
  conda: (packages) => notInstalled('conda', packages),
  pip: (packages) => notInstalled('pip', packages, '; gantry deploy --install does'),
  copy: (files, bytes) => `Received ${files} ${files === 1 ? 'file' : 'files'} (${bytes} bytes)`,
};

function notInstalled(manager: string, packages: string[], hint = ''): string[] {
  if (packages.length === 0) return [];
  return [`The emulator does not install ${manager} packages${hint}`, ...packages.map((name) => `- ${name}`)];
}

/** The log of builds that do not take place: those of seed data, simulated ones, and those that a fault makes fail. */
const madeUpWords: StageWords = {
  login: (registry) => `Logging in to ${registry}`,
  image: (name) => `FROM ${name}`,
  partnerImage: ({ runtime, imageVersion }) => `Pulling ${runtime} image ${imageVersion ?? 'latest'}`,
  commands: (kind) => `Running ${kind} commands`,
  apt: (packages) => listed('Reading package lists...', packages, (name) => `Setting up ${name} ...`),
  conda: (packages) => listed('Collecting package metadata: done', packages, (name) => `Linking ${name}`),
  pip(packages, useUv) {
    if (packages.length === 0) return [];
    return [
      useUv ? 'UV_PIP_INSTALL_STARTED' : 'PIP_INSTALL_STARTED',
      ...packages.map((name) => `Collecting ${name}`),
      // A progress bar that redraws itself, as pip prints it.
      [5, 20, 40].map((done) => `   ${'━'.repeat(done).padEnd(40)} ${done / 10}/4.0 MB 21.3 MB/s`).join('\r'),
      `Successfully installed ${packages.join(' ')}`,
    ];
  },
  copy: (files, bytes) => `Copying ${files} files (${bytes} bytes) to /cortex`,
};

function listed(title: string, packages: string[], line: (name: string) => string): string[] {
  return packages.length === 0 ? [] : [title, ...packages.map(line)];
}

/** Unpacked sizes in bytes and checksums, by path. */
export type FileList = Map<string, { size: number; crc32: number }>;

export interface ReadArchive {
  files: FileList;
  /** The content of the requested files that exist. */
  contents: Map<string, Buffer>;
}
