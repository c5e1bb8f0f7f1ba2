import { isCi } from '../../kernel/environment.ts';
import type { Context } from '../../platform/context.ts';
import { isNewer, newestVersionOfToday, readInstallation } from '../version/index.ts';
import { type Check, okCheck, warningCheck } from './check.ts';

/** How gantry was installed, and whether there is a newer version. Nothing asks the registry in a pipeline. */
export async function checkVersion(context: Context): Promise<Check> {
  const { version, installedWith, path, update } = readInstallation();
  const origin = `installed with ${installedWith}: ${path}; to update: ${update}`;
  const isAsked = context.terminal.stderr && !isCi(context.env);
  const newest = isAsked ? await newestVersionOfToday(context) : undefined;
  if (newest === undefined) return okCheck('version', `gantry ${version}, ${origin}`);
  if (!isNewer(newest, version)) return okCheck('version', `gantry ${version} is the newest version, ${origin}`);
  return warningCheck('version', `gantry ${newest} is available; this is ${version}`, update);
}
