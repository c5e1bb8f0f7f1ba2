import { join } from 'node:path';
import { type Environment, readVariable, type Variable } from './environment.ts';

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
export function resolveFolders(env: Environment): Folders {
  const own = readVariable(env, 'GANTRY_CONFIG_DIR');
  if (own) return { config: own, state: join(own, 'state'), cache: join(own, 'cache') };
  const home = readVariable(env, 'HOME') ?? readVariable(env, 'USERPROFILE') ?? '/';
  const folder = (variable: Variable, local: Variable, below: string) =>
    join(readVariable(env, variable) ?? readVariable(env, local) ?? join(home, below), 'gantry');
  return {
    config: folder('XDG_CONFIG_HOME', 'APPDATA', '.config'),
    state: folder('XDG_STATE_HOME', 'LOCALAPPDATA', '.local/state'),
    cache: folder('XDG_CACHE_HOME', 'LOCALAPPDATA', '.cache'),
  };
}
