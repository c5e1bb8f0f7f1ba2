import { realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Environment, readVariable, type Variable } from '../../kernel/environment.ts';
import { attempt } from '../../kernel/errors.ts';

/** gantry's folders on this machine. They may not exist or not be writable. */
export interface Folders {
  config: string;
  state: string;
  /** Compressed files of apps, runs. */
  cache: string;
}

/** The XDG or Windows folders, or folders below GANTRY_CONFIG_DIR if that is set. Absolute: apps of the emulator use them. */
export function resolveFolders(env: Environment): Folders {
  const given = readVariable(env, 'GANTRY_CONFIG_DIR');
  const chosen = given && resolve(given);
  if (chosen) return { config: chosen, state: join(chosen, 'state'), cache: join(chosen, 'cache') };
  const home = homeFolder(env);
  const folder = (variable: Variable, local: Variable, below: string) =>
    resolve(readVariable(env, variable) ?? readVariable(env, local) ?? join(home, below), 'gantry');
  return {
    config: folder('XDG_CONFIG_HOME', 'APPDATA', '.config'),
    state: folder('XDG_STATE_HOME', 'LOCALAPPDATA', '.local/state'),
    cache: folder('XDG_CACHE_HOME', 'LOCALAPPDATA', '.cache'),
  };
}

/** That of the user's entry in the system if the environment has none: a service may start without. */
export function homeFolder(env: Environment): string {
  // In containers, a user may have no entry.
  const ofSystem = () => attempt(() => process.getBuiltinModule('node:os').userInfo().homedir) || '/';
  return readVariable(env, 'HOME') ?? readVariable(env, 'USERPROFILE') ?? ofSystem();
}

/** The nearest of a folder and its parents that is a key. None is above a folder that `isTop`. */
export function nearestFolder(keyed: object, start: string, isTop = (_: string) => false): string | undefined {
  if (Object.keys(keyed).length === 0) return undefined;
  for (let folder = realFolder(start); ; folder = dirname(folder)) {
    if (Object.hasOwn(keyed, folder)) return folder;
    if (dirname(folder) === folder || isTop(folder)) return undefined;
  }
}

/** Without symbolic links, so that a folder is the same by whatever path it was entered. */
export function realFolder(folder: string): string {
  return attempt(() => realpathSync(folder)) ?? folder;
}
