import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { attempt } from './errors.ts';

/** The Python of a version such as `3.12`, which may not work: only files are looked at. Undefined on Windows. */
export function locatePython(version: string, env: NodeJS.ProcessEnv): string | undefined {
  if (process.platform === 'win32') return undefined;
  const folders = [...(env.PATH ?? '').split(delimiter), ...managedFolders(version, env)];
  // A shim is there for every version, and fails for all but the selected one.
  const usable = folders.filter((folder) => folder !== '' && !/[/\\]shims[/\\]?$/.test(folder));
  return usable.map((folder) => join(folder, `python${version}`)).find((path) => existsSync(path));
}

/** Where a program is, not on Windows. Starting one that is not there takes as long as one that is. */
export function folderOnPath(program: string, { PATH = '' }: NodeJS.ProcessEnv): string | undefined {
  return PATH.split(delimiter).find((folder) => existsSync(join(folder, program)));
}

function managedFolders(version: string, env: NodeJS.ProcessEnv): string[] {
  const { HOME: home } = env;
  if (home === undefined) return [];
  const data = env.XDG_DATA_HOME ?? join(home, '.local/share');
  const managers = [
    env.UV_PYTHON_INSTALL_DIR ?? join(data, 'uv/python'),
    join(env.PYENV_ROOT ?? join(home, '.pyenv'), 'versions'),
    join(env.MISE_DATA_DIR ?? join(data, 'mise'), 'installs/python'),
    join(env.ASDF_DATA_DIR ?? join(home, '.asdf'), 'installs/python'),
  ];
  return managers.flatMap((folder) => installed(folder, version).map((name) => join(folder, name, 'bin')));
}

function installed(folder: string, version: string): string[] {
  const patchOf = (name: string) => Number(/^(?:cpython-)?\d+\.\d+\.(\d+)(?:-|$)/.exec(name)?.[1] ?? Number.NaN);
  const isVersion = (name: string) => name.replace(/^cpython-/, '').startsWith(`${version}.`);
  const names =
    attempt(() => readdirSync(folder))?.filter((name) => isVersion(name) && !Number.isNaN(patchOf(name))) ?? [];
  return names.sort((a, b) => patchOf(b) - patchOf(a));
}
