import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The path of the interpreter of Python 3; undefined if it is not installed. */
export function findPython(): Promise<string | undefined> {
  python ??= firstPython(commands);
  return python;
}

let python: Promise<string | undefined> | undefined;

/** Whether a program with the name of an interpreter is on the PATH. Starts none, unlike {@link findPython}. */
export function isPythonOnPath(path = process.env.PATH ?? ''): boolean {
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
