import { isCi } from '../../config/environment.ts';
import type { Context } from '../../context.ts';
import { isNewer, newestVersionOfToday, readInstallation } from '../version/index.ts';
import { type Check, okCheck, warningCheck } from './check.ts';

/** Whether there is a newer version. Only people are told: nothing asks the registry in a pipeline. */
export async function checkVersion(context: Context): Promise<Check[]> {
  if (!context.terminal.stderr || isCi(context.env)) return [];
  const newest = await newestVersionOfToday(context);
  if (newest === undefined) return [];
  const { version, update } = readInstallation();
  if (!isNewer(newest, version)) return [okCheck('version', `gantry ${version} is the newest version`)];
  return [warningCheck('version', `gantry ${newest} is available; this is ${version}`, update)];
}
