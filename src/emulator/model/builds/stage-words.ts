import type { AppSettings } from '../apps/settings.ts';

/** What the stages of a build print. */
export interface StageWords {
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
export const plainWords: StageWords = {
  login: (registry) => `Login for ${registry} received; the emulator does not use it`,
  image: (name) => `FROM ${name} (not pulled: the app runs on this machine)`,
  partnerImage: ({ runtime, imageVersion }) => `FROM ${runtime}:${imageVersion ?? 'latest'} (not pulled)`,
  commands: (kind) => `The emulator does not run ${kind} commands`,
  apt: (packages) => notInstalled('apt', packages),
  conda: (packages) => notInstalled('conda', packages),
  pip: (packages) => notInstalled('pip', packages, '; pass --install to install them'),
  copy: (files, bytes) => `Received ${files} ${files === 1 ? 'file' : 'files'} (${bytes} bytes)`,
};

function notInstalled(manager: string, packages: string[], hint = ''): string[] {
  if (packages.length === 0) return [];
  return [`The emulator does not install ${manager} packages${hint}`, ...packages.map((name) => `- ${name}`)];
}

/** The log of builds that do not take place: those of seed data, simulated ones, and those that a fault makes fail. */
export const madeUpWords: StageWords = {
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
