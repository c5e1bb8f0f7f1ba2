import { mkdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from './files.ts';

/** A folder to work in, with these files, on a machine where no home can be read or written. */
export function homeless(files: Record<string, string> = {}) {
  const inside = Object.entries(files).map(([name, text]) => [`work/${name}`, text]);
  const folder = newFolder({ file: 'it stands in the place of a folder', ...Object.fromEntries(inside) });
  const cwd = join(folder, 'work');
  mkdirSync(cwd, { recursive: true });
  const file = join(folder, 'file');
  const nowhere = { GANTRY_CONFIG_DIR: '', XDG_CONFIG_HOME: '', XDG_STATE_HOME: '', XDG_CACHE_HOME: '' };
  return {
    cwd,
    /** Each in its way without a home. */
    environments: [
      { ...nowhere, HOME: file },
      { ...nowhere, HOME: '/nonexistent', GANTRY_CONFIG_DIR: join(file, 'gantry') },
    ],
    /** What lies in the folder now. */
    left: () => readdir(cwd, { recursive: true }),
  };
}
