import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppProcess } from './process.ts';

/** Packages that could not be installed: the message says why, in pip's words. */
export class InstallError extends Error {}

/** Environments of Python with packages in them, one for each list of requirements. They stay where they are. */
export class PythonPackages {
  readonly #folder: string;
  readonly #made = new Map<string, Promise<string>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * The interpreter of an environment that has these requirements; it is made when there is none. `say` hears what pip
   * prints. Rejects with an `InstallFailure`.
   */
  install(requirements: string, python: string, say: (line: string) => void, own: Own): Promise<string> {
    const key = createHash('sha256').update(`${python}\n${requirements}`).digest('hex').slice(0, 16);
    const known = this.#made.get(key) ?? this.#make(join(this.#folder, key), requirements, python, say, own);
    this.#made.set(key, known);
    known.catch(() => this.#made.delete(key));
    return known;
  }

  async #make(folder: string, requirements: string, python: string, say: (line: string) => void, own: Own) {
    const interpreter = join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
    const whole = join(folder, 'whole');
    if (existsSync(whole)) return interpreter;
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const list = join(folder, 'requirements.txt');
    await writeFile(list, requirements);
    await succeed(own(new AppProcess(python, ['-m', 'venv', '--without-pip', folder], options)), say);
    // With the pip there is: to give each its own takes longer than most installations.
    const words = ['-m', 'pip', '--python', interpreter, 'install', '--disable-pip-version-check'];
    await succeed(own(new AppProcess(python, [...words, '--progress-bar', 'off', '-r', list], options)), say);
    await writeFile(whole, '');
    return interpreter;
  }
}

/** Makes a process one that is stopped with the emulator. */
type Own = (process: AppProcess) => AppProcess;

// pip may need what the machine says about proxies, certificates and indexes.
const options = {
  env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined },
  stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'],
};

async function succeed(process: AppProcess, say: (line: string) => void): Promise<void> {
  let last = '';
  process.onLine(process.child.stdout, say);
  process.onLine(process.child.stderr, (line) => {
    if (/^ERROR/.test(line)) last = line.replace(/^ERROR: /, '');
    say(line);
  });
  const { code, signal } = await process.ended;
  if (code !== 0) throw new InstallError(last || `pip ended with ${signal ?? `exit code ${code}`}`);
}

/** Names and versions as pip wants them: `latest`, `*` and nothing are no version; a bare number is exact. */
export function formatRequirements(versions: Record<string, string>): string {
  return Object.entries(versions)
    .map(([name, version]) => {
      if (['', '*', 'latest'].includes(version)) return `${name}\n`;
      return /^[=<>!~]/.test(version) ? `${name}${version}\n` : `${name}==${version}\n`;
    })
    .sort()
    .join('');
}

/** The interpreter that `python3` is on this machine; undefined when there is none. */
export function findPython(): Promise<string | undefined> {
  known ??= new Promise((found) => {
    // A version manager puts a script in its place, which takes longer than the interpreter itself.
    execFile('python3', ['-c', 'import sys; print(sys.executable)'], { timeout: 10_000 }, (error, stdout) => {
      found(error ? undefined : stdout.trim() || undefined);
    });
  });
  return known;
}

let known: Promise<string | undefined> | undefined;
