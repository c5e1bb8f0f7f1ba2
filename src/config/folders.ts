import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Environment, read, type Variable } from './environment.ts';

/** Where gantry keeps things on this machine. None of them need exist, or be writable. */
export interface Folders {
  /** Settings and credentials. */
  config: string;
  /** What an interrupted transfer needs to continue. */
  state: string;
  /** What can be asked for again: names for shell completion. */
  cache: string;
}

/** The folders of XDG, or of Windows; all three below `$GANTRY_CONFIG_DIR` when that is set. */
export function foldersOf(env: Environment): Folders {
  const own = read(env, 'GANTRY_CONFIG_DIR');
  if (own) return { config: own, state: join(own, 'state'), cache: join(own, 'cache') };
  const home = read(env, 'HOME') ?? read(env, 'USERPROFILE') ?? '/';
  const folder = (variable: Variable, local: Variable, below: string) =>
    join(read(env, variable) ?? read(env, local) ?? join(home, below), 'gantry');
  return {
    config: folder('XDG_CONFIG_HOME', 'APPDATA', '.config'),
    state: folder('XDG_STATE_HOME', 'LOCALAPPDATA', '.local/state'),
    cache: folder('XDG_CACHE_HOME', 'LOCALAPPDATA', '.cache'),
  };
}

/**
 * Makes a folder that only its owner may enter, and those above it. Throws what the file system says. Node's own
 * recursion is not used: where no folder can be made (`/proc`) it never ends.
 */
export function makePrivateFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(folder).isDirectory()) return;
    const above = dirname(folder);
    if (code !== 'ENOENT' || existsSync(above)) throw error;
    makePrivateFolder(above);
    makePrivateFolder(folder);
  }
}
