import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppProcess } from './process.ts';

/** The message is pip's. */
export class InstallError extends Error {}

/** Python virtual environments, one for each list of requirements. They are reused. */
export class PythonPackages {
  readonly #environments = new Map<string, Promise<string>>();

  constructor(private readonly folder: string) {}

  /**
   * Returns the interpreter of an environment with these requirements, and creates it if necessary. `log` gets pip's
   * output. Rejects with an `InstallError`.
   */
  install(requirements: string, python: string, log: (line: string) => void, track: TrackProcess): Promise<string> {
    const key = createHash('sha256').update(`${python}\n${requirements}`).digest('hex').slice(0, 16);
    const interpreter =
      this.#environments.get(key) ?? this.#create(join(this.folder, key), requirements, python, log, track);
    this.#environments.set(key, interpreter);
    interpreter.catch(() => this.#environments.delete(key));
    return interpreter;
  }

  async #create(
    folder: string,
    requirements: string,
    python: string,
    log: (line: string) => void,
    track: TrackProcess,
  ) {
    const interpreter = join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
    const marker = join(folder, 'whole');
    if (existsSync(marker)) return interpreter;
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const list = join(folder, 'requirements.txt');
    await writeFile(list, requirements);
    await expectSuccess(track(new AppProcess(python, ['-m', 'venv', '--without-pip', folder], options)), log);
    // Uses the existing pip: installing one per environment takes longer than most packages.
    const pipArgs = ['-m', 'pip', '--python', interpreter, 'install', '--disable-pip-version-check'];
    await expectSuccess(track(new AppProcess(python, [...pipArgs, '--progress-bar', 'off', '-r', list], options)), log);
    await writeFile(marker, '');
    return interpreter;
  }
}

/** Stops the process with the emulator. */
type TrackProcess = (process: AppProcess) => AppProcess;

// pip may need the machine's settings of proxies, certificates and indexes.
const options = {
  env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined },
  stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'],
};

async function expectSuccess(process: AppProcess, log: (line: string) => void): Promise<void> {
  let lastError = '';
  process.onLine(process.child.stdout, log);
  process.onLine(process.child.stderr, (line) => {
    if (/^ERROR/.test(line)) lastError = line.replace(/^ERROR: /, '');
    log(line);
  });
  const { code, signal } = await process.ended;
  if (code !== 0) throw new InstallError(lastError || `pip ended with ${signal ?? `exit code ${code}`}`);
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

/** The path of the interpreter of Python 3; undefined if it is not installed. */
export function findPython(): Promise<string | undefined> {
  python ??= firstPython(commands);
  return python;
}

let python: Promise<string | undefined> | undefined;

/** On Windows, `python3` may be a program that only opens the store. */
const commands = process.platform === 'win32' ? [['py', '-3'], ['python'], ['python3']] : [['python3'], ['python']];

async function firstPython([command, ...others]: string[][]): Promise<string | undefined> {
  if (!command) return undefined;
  return (await interpreterOf(command)) ?? firstPython(others);
}

function interpreterOf([program = '', ...args]: string[]): Promise<string | undefined> {
  const script = 'import sys; print(sys.executable if sys.version_info[0] == 3 else "")';
  return new Promise((resolve) => {
    // It may be a slow script of a version manager.
    execFile(program, [...args, '-c', script], { timeout: 10_000, windowsHide: true }, (error, stdout) => {
      resolve(error ? undefined : stdout.trim() || undefined);
    });
  });
}
