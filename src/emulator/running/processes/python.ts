import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { delimiter, join, sep } from 'node:path';
import { after } from '../../../kernel/clock.ts';
import { makePrivateFolder, waitForLock } from '../../../kernel/disk/index.ts';
import { locatePython } from '../../../kernel/interpreters.ts';
import { onceFor } from '../../../kernel/once.ts';
import { AppProcess, outputOf } from './process.ts';

export interface Python {
  path: string;
  /** `3.12.1` */
  version: string;
}

/** Python 3 as `python3` starts it, or of a version such as `3.12`; undefined if it is not installed. */
export function findPython(version = ''): Promise<Python | undefined> {
  const key = `${version} ${process.env.PATH}`;
  return onceFor(pythons, key, () => {
    const search = version === '' ? firstThatRuns(commands) : findVersion(version);
    // It may be installed later. Without any, each call of an app would search.
    search.then((python) => version !== '' && !python && pythons.delete(key));
    return search;
  });
}

const pythons = new Map<string, Promise<Python | undefined>>();

/** Whether a program with the name of an interpreter is on the PATH. Starts none, unlike {@link findPython}. */
export function isPythonOnPath(): boolean {
  const { PATH: path = '' } = process.env;
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return path
    .split(delimiter)
    .some((folder) => commands.some(([name]) => existsSync(join(folder, `${name}${suffix}`))));
}

/** In pip's format. `latest`, `*` and an empty version mean any version; a bare number is exact. */
export function formatRequirements(versions: Record<string, string>): string {
  return Object.entries(versions)
    .map(([name, version]) => {
      if (['', '*', 'latest'].includes(version)) return `${name}\n`;
      return /^[=<>!~]/.test(version) ? `${name}${version}\n` : `${name}==${version}\n`;
    })
    .sort()
    .join('');
}

const isWindows = process.platform === 'win32';

/** People install their packages for `python3`. On Windows, it may be a program that only opens the store. */
const commands = isWindows ? [['py', '-3'], ['python'], ['python3']] : [['python3'], ['python']];

/** Another than the usual one. */
async function findVersion(version: string): Promise<Python | undefined> {
  const isWanted = (python: Python | undefined) => python?.version.startsWith(`${version}.`);
  const located = isWindows ? 'py' : locatePython(version, process.env);
  const python = located === undefined ? undefined : await ask([located, ...(isWindows ? [`-${version}`] : [])]);
  if (isWanted(python)) return python;
  const fromUv = await outputOf(['uv', 'python', 'find', version], { ...process.env, UV_PYTHON_DOWNLOADS: 'never' });
  const managed = fromUv ? await ask([fromUv]) : undefined;
  return isWanted(managed) ? managed : undefined;
}

async function firstThatRuns([command, ...others]: string[][]): Promise<Python | undefined> {
  if (!command) return undefined;
  return (await ask(command)) ?? firstThatRuns(others);
}

async function ask(command: string[]): Promise<Python | undefined> {
  const script = 'import sys; print("%d.%d.%d" % sys.version_info[:3], sys.executable)';
  const [, version, path] = /^(3\.\S+) (.+)$/.exec((await outputOf([...command, '-c', script])) ?? '') ?? [];
  return version !== undefined && path !== undefined ? { path, version } : undefined;
}

export interface AppPython extends Python {
  /** Whether it is that of an environment with the packages of the app. */
  hasPackages?: boolean;
  /** Why it has another version than on the platform. */
  differs?: string;
}

/** The interpreter of an app's `python_version`: one of this machine, else uv fetches it. The next best is `python3`. */
export async function choosePython(
  version: string,
  options: InstallerOptions & { installs: boolean },
): Promise<AppPython | undefined> {
  const usual = await findPython();
  if (!usual || usual.version.startsWith(`${version}.`)) return usual;
  const instead = (why: string) => ({ ...usual, differs: `Python ${usual.version} instead of ${version}: ${why}` });
  // Who activates an environment wants the packages in it.
  if (!options.installs && isActiveEnvironment(usual)) return instead('a virtual environment is active');
  const python = await findPython(version);
  if (python) return python;
  if (!options.installs) return instead('not found on this machine; with --install, uv fetches it');
  if (!(await hasUv())) return instead('not found on this machine; uv would fetch it');
  const failure = await fetchPython(version, options);
  return (await findPython(version)) ?? instead(`uv cannot fetch it: ${failure}`);
}

/** Resolves to why it may not be there afterwards. */
function fetchPython(version: string, options: InstallerOptions): Promise<string> {
  return runInstaller('uv', ['python', 'install', '--no-progress', version], options).then(
    () => 'it cannot be found afterwards',
    (error: Error) => error.message,
  );
}

function isActiveEnvironment({ path }: Python): boolean {
  const { VIRTUAL_ENV: folder } = process.env;
  return folder !== undefined && folder !== '' && path.startsWith(join(folder, sep));
}

/** The message is that of pip or uv. */
export class InstallError extends Error {
  constructor(
    message: string,
    /** The last lines that it printed: they say of which package. */
    readonly output: readonly string[] = [],
  ) {
    super(message);
  }
}

/** For the processes of pip and uv. */
export interface InstallerOptions {
  log: (line: string) => void;
  /** Stops the process with the emulator. */
  track: (process: AppProcess) => AppProcess;
}

interface InstallOptions extends InstallerOptions {
  /** The interpreter that environments are made of. */
  python: string;
}

/**
 * Python virtual environments in a private folder, one for each list of requirements. They are kept for later builds, also
 * of other emulators.
 */
export class PythonPackages {
  readonly #environments = new Map<string, Promise<string>>();

  constructor(private readonly folder: string) {}

  /**
   * Returns the interpreter of an environment with these requirements, and creates it if necessary. Rejects with an
   * `InstallError`.
   */
  install(requirements: Buffer, options: InstallOptions): Promise<string> {
    const key = keyOf(requirements, options);
    const existing = this.#environments.get(key);
    if (existing) {
      existing.then(
        () => options.log(reused),
        () => {},
      );
      return existing;
    }
    const interpreter = this.#prepare(key, requirements, options);
    this.#environments.set(key, interpreter);
    interpreter.catch(() => this.#environments.delete(key));
    return interpreter;
  }

  /** The interpreter of such an environment, if it was created before. */
  find(requirements: Buffer, options: InstallOptions): string | undefined {
    const folder = join(this.folder, keyOf(requirements, options));
    if (!existsSync(join(folder, marker))) return undefined;
    options.log(reused);
    return interpreterOf(folder);
  }

  async #prepare(key: string, requirements: Buffer, options: InstallOptions): Promise<string> {
    makePrivateFolder(this.folder);
    const folder = join(this.folder, key);
    const lock = await waitForLock(`${folder}.lock`, lockWaitMs);
    if (!lock) throw new InstallError('another gantry process has been installing the same packages for 15 minutes');
    try {
      if (existsSync(join(folder, marker))) options.log(reused);
      else await createEnvironment(folder, requirements, options);
      // `gantry cache` shows when it was used last.
      await utimes(join(folder, marker), new Date(), new Date());
      return interpreterOf(folder);
    } finally {
      lock.release();
    }
  }
}

function keyOf(requirements: Buffer, { python }: InstallOptions): string {
  const hash = createHash('sha256')
    .update(`${python}\n${realpathSync(python)}\n`)
    .update(requirements);
  return hash.digest('hex').slice(0, 16);
}

const reused = 'The packages are installed already';

/** In an environment whose installation has succeeded. */
const marker = 'complete';

const lockWaitMs = 15 * 60_000;
const installSeconds = 30 * 60;
const outputLines = 10;

function interpreterOf(folder: string): string {
  return join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
}

async function createEnvironment(folder: string, requirements: Buffer, options: InstallOptions): Promise<void> {
  const { python, log } = options;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
  const list = join(folder, 'requirements.txt');
  await writeFile(list, requirements);
  const interpreter = interpreterOf(folder);
  const usesUv = await hasUv();
  log(usesUv ? 'UV_PIP_INSTALL_STARTED' : 'PIP_INSTALL_STARTED');
  // An environment without pip uses that of the interpreter: installing one takes longer than most packages.
  await runInstaller(python, ['-m', 'venv', '--without-pip', folder], options);
  const install = usesUv
    ? ['uv', 'pip', 'install', '--no-progress', '--python', interpreter, '-r', list]
    : [python, '-m', 'pip', '--python', interpreter, 'install', ...pipFlags, '-r', list];
  const [program = '', ...args] = install;
  await runInstaller(program, args, options);
  await writeFile(join(folder, marker), '');
}

const pipFlags = ['--disable-pip-version-check', '--progress-bar', 'off'];

/** Whether uv is installed. */
export async function hasUv(): Promise<boolean> {
  return (await outputOf(['uv', '--version'])) !== undefined;
}

// pip may need the machine's settings of proxies, certificates and indexes.
const environment = () => ({ ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined });

/** Rejects with an `InstallError`. */
export async function runInstaller(program: string, args: string[], { log, track }: InstallerOptions): Promise<void> {
  const started = track(new AppProcess(program, args, { env: environment(), stdio: ['ignore', 'pipe', 'pipe'] }));
  let lastError = '';
  const output: string[] = [];
  const print = (line: string) => {
    output.push(line);
    log(line);
  };
  const onError = (line: string) => {
    if (/^(ERROR|error|[A-Z]\w+Error): ?|^\s*[×╰]/.test(line))
      lastError = line.replace(/^\s*(ERROR:|error:|[×╰─▶]+)\s*/, '');
    print(line);
  };
  started.onLine(started.child.stdout, print);
  started.onLine(started.child.stderr, onError);
  let isLate = false;
  const stopTimer = after(installSeconds * 1000, () => {
    isLate = true;
    started.kill('SIGKILL');
  });
  const { code, signal } = await started.ended.finally(stopTimer);
  if (code === 0) return;
  if (isLate) throw new InstallError(`installing packages took longer than ${installSeconds / 60} minutes`);
  throw new InstallError(
    lastError || `${args.includes('venv') ? 'venv' : 'pip'} ended with ${signal ?? `exit code ${code}`}`,
    output.slice(-outputLines),
  );
}
