import { createHash } from 'node:crypto';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after } from '../../../kernel/clock.ts';
import { makePrivateFolder, waitForLock } from '../../../kernel/disk/index.ts';
import { AppProcess, outputOf } from './process.ts';

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
      // Marks it as used.
      await utimes(join(folder, marker), new Date(), new Date());
      await this.#removeUnused(key);
      return interpreterOf(folder);
    } finally {
      lock.release();
    }
  }

  /** Removes those that were not used for a month: a running app may need a later one. */
  async #removeUnused(current: string): Promise<void> {
    const names = (await readdir(this.folder)).filter((name) => /^[0-9a-f]{16}$/.test(name));
    const oldest = lastUse(join(this.folder, current)) - maxIdleMs;
    for (const folder of names.map((name) => join(this.folder, name))) {
      if (lastUse(folder) < oldest) await rm(folder, { recursive: true, force: true });
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
const maxIdleMs = 30 * 24 * 60 * 60_000;

function lastUse(folder: string): number {
  const paths = [join(folder, marker), folder];
  return (
    paths.map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs).find((time) => time !== undefined) ?? 0
  );
}

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
