import { delimiter, join, sep } from 'node:path';
import { findPython, forgetPython, type Python } from './python.ts';
import { hasInstaller, type InstallerOptions, runInstaller } from './python-packages.ts';

/** The interpreter that an app runs with. */
export interface AppPython extends Python {
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
  if (!(await hasInstaller('uv', options))) return instead('not found on this machine; uv would fetch it');
  const failure = await fetchOnce(version, options);
  return (await findPython(version)) ?? instead(`uv cannot fetch it: ${failure ?? 'it cannot be found afterwards'}`);
}

function isActiveEnvironment({ path }: Python): boolean {
  const { VIRTUAL_ENV: folder } = process.env;
  return folder !== undefined && folder !== '' && path.startsWith(join(folder, sep));
}

/** Each call of an app asks for its interpreter. Resolves to what went wrong. */
function fetchOnce(version: string, options: InstallerOptions): Promise<string | undefined> {
  const key = [version, process.env.PATH].join(delimiter);
  const fetched =
    fetches.get(key) ??
    runInstaller('uv', ['python', 'install', '--no-progress', version], options).then(
      () => {
        forgetPython(version);
        return undefined;
      },
      (error: Error) => error.message,
    );
  fetches.set(key, fetched);
  return fetched;
}

const fetches = new Map<string, Promise<string | undefined>>();
