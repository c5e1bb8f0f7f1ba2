import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { namesIn } from '../../kernel/disk/index.ts';
import { version } from '../../kernel/version.ts';
import { isExecutable, ownLocation } from '../../own-files.ts';

const updates = {
  package: 'install a newer package in the same way',
  homebrew: 'brew upgrade gantry',
  image: 'pull the newest image',
  executable: 'replace the executable by that of the latest release',
  source: 'git pull && npm install',
};
type Method = keyof typeof updates;

interface Installation {
  version: string;
  installedWith: Method;
  /** The executable, or the folder of the program. */
  path: string;
  node: string;
  platform: string;
  /** A command, or what to do. */
  update: string;
}

/** How this gantry was installed, as far as its path tells. */
export function readInstallation(location = ownLocation(), alone = isExecutable()): Installation {
  const path = existsSync(location) ? realpathSync(location) : location;
  const installedWith = installMethodOf(path.replaceAll('\\', '/'), alone);
  return {
    version,
    installedWith,
    path,
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    update: updates[installedWith],
  };
}

/** In a folder of npm, pnpm, yarn or bun, or in one of pip, pipx or uv, which have the executable beside their libraries. */
const packageFolder =
  /\/(node_modules|site-packages|dist-packages|gantry_cli|pipx|uv\/(tools|cache|archive-v\d+|environments-v\d+|builds-v\d+))\//;

function installMethodOf(path: string, alone: boolean): Method {
  if (path.includes('/Cellar/')) return 'homebrew';
  if (packageFolder.test(`${path}/`)) return 'package';
  if (!alone) return 'source';
  const prefix = join(dirname(path), '..');
  // The Dockerfile puts the notices below /usr.
  if (existsSync(join(prefix, '../share/doc/gantry/THIRD-PARTY-NOTICES.txt'))) return 'image';
  return existsSync(join(prefix, 'pyvenv.cfg')) || hasWheel(prefix) ? 'package' : 'executable';
}

function hasWheel(prefix: string): boolean {
  const libraries = namesIn(join(prefix, 'lib'))
    .filter((name) => name.startsWith('python'))
    .map((name) => join(prefix, 'lib', name));
  return [...libraries, join(prefix, 'Lib')]
    .flatMap((folder) => ['site-packages', 'dist-packages'].map((name) => join(folder, name)))
    .some((folder) => namesIn(folder).some((name) => /^gantry_cli-.*\.dist-info$/.test(name)));
}
