import { existsSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';
import { locatePython } from '../../../kernel/interpreters.ts';
import { onceFor } from '../../../kernel/once.ts';
import { outputOf } from './process.ts';
import { hasUv, type InstallerOptions, runInstaller } from './python-packages.ts';

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

interface ChoiceOptions extends InstallerOptions {
  /** Whether packages are installed for apps (`--install`). */
  installs: boolean;
}

/** The interpreter of an app's `python_version`: one of this machine, else uv fetches it. The next best is `python3`. */
export async function choosePython(version: string, options: ChoiceOptions): Promise<AppPython | undefined> {
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
