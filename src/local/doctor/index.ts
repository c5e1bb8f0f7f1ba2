import { isCi } from '../../kernel/environment.ts';
import type { GantryError } from '../../kernel/errors.ts';
import { resolveSettings } from '../../platform/config/settings.ts';
import type { Context } from '../../platform/context.ts';
import { findNewestVersion, isNewer, readInstallation, registryUrl } from '../version/index.ts';
import { type Check, okCheck, warningCheck } from './check.ts';
import { checkCache, checkFiles, checkNode, checkProxy, checkSettings } from './machine-checks.ts';
import { checkPlatform, checkToken } from './platform-checks.ts';

export type { Check } from './check.ts';

/** Checks everything a command needs, on this machine and on the platform. Problems are results, not errors. */
export async function runChecks(context: Context): Promise<Check[]> {
  const { env, flags, progress } = context;
  const invalid: GantryError[] = [];
  const settings = resolveSettings(env, flags, (error) => invalid.push(error));
  const local = [
    checkNode(process.versions.node),
    ...checkSettings(settings, invalid),
    ...checkFiles(settings, env),
    checkProxy(settings),
    checkCache(settings),
    await checkVersion(context),
  ];
  // After checkFiles: looking for the token changes the permissions of its file.
  const token = checkToken(env, settings, context.now(), context.flags.local);
  context.secrets.add(token.credential?.token, token.credential?.refreshToken);
  const step = progress.step('Checking the platform');
  try {
    const remote = await checkPlatform(context, settings, token);
    step.clear();
    return [...local, ...remote];
  } catch (error) {
    step.fail();
    throw error;
  }
}

/** How gantry was installed, and whether there is a newer version. Nothing asks the registry in a pipeline. */
async function checkVersion(context: Context): Promise<Check> {
  const { version, installedWith, path, update } = readInstallation();
  const origin = `installed with ${installedWith}: ${path}; to update: ${update}`;
  const url = context.terminal.stderr && !isCi(context.env) ? registryUrl(context.env) : undefined;
  const newest = url && (await findNewestVersion(context, url).catch(() => undefined));
  context.signal.throwIfAborted();
  if (newest === undefined) return okCheck('version', `gantry ${version}, ${origin}`);
  if (!isNewer(newest, version)) return okCheck('version', `gantry ${version} is the newest version, ${origin}`);
  return warningCheck('version', `gantry ${newest} is available; this is ${version}`, update);
}
