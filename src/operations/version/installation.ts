import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isExecutable, ownLocation } from '../../own-files.ts';
import { version } from '../../version.ts';

export const installMethods = ['npm', 'pip', 'homebrew', 'executable', 'source'] as const;

export interface Installation {
  version: string;
  installedWith: (typeof installMethods)[number];
  /** The executable, or the folder of the program. */
  path: string;
  /** The version of Node that runs gantry. */
  node: string;
  platform: string;
  /** A command, or an address. */
  update: string;
}

/** How this gantry was installed, as far as its path tells. */
export function readInstallation(location = ownLocation(), alone = isExecutable()): Installation {
  const path = existsSync(location) ? realpathSync(location) : location;
  const installedWith = alone ? methodOfExecutable(path) : methodOfFolder(path);
  return {
    version,
    installedWith,
    path,
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    update: updates[installedWith],
  };
}

/** pip puts the executable into the folder of programs of an environment. */
function methodOfExecutable(path: string): Installation['installedWith'] {
  if (/[\\/]Cellar[\\/]/.test(path)) return 'homebrew';
  return existsSync(join(dirname(path), '../pyvenv.cfg')) ? 'pip' : 'executable';
}

function methodOfFolder(path: string): Installation['installedWith'] {
  if (/[\\/]gantry_cli[\\/]program[\\/]/.test(path)) return 'pip';
  return /[\\/]node_modules[\\/]/.test(path) ? 'npm' : 'source';
}

const updates: Record<Installation['installedWith'], string> = {
  npm: 'npm install --global gantry@latest',
  pip: 'pip install --upgrade gantry-cli',
  homebrew: 'brew upgrade gantry',
  executable: 'replace the executable by that of the latest release',
  source: 'git pull && npm install',
};
