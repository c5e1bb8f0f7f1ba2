import type { GantryError } from '../../kernel/errors.ts';
import { version } from '../../kernel/version.ts';
import { ownLocation } from '../../own-files.ts';
import { resolveSettings } from '../../platform/config/settings.ts';
import type { Context } from '../../platform/context.ts';
import { type Check, checkFiles, checkProxy, checkSettings, okCheck } from './machine-checks.ts';
import { checkPlatform, checkToken } from './platform-checks.ts';

export type { Check } from './machine-checks.ts';

/** Checks everything a command needs, on this machine and on the platform. Problems are results, not errors. */
export async function runChecks(context: Context): Promise<Check[]> {
  const { env, flags, progress } = context;
  // One variable may be read for several settings.
  const invalid = new Map<string, GantryError>();
  const settings = resolveSettings(env, flags, (error) => invalid.set(`${error.message}${error.facts.why}`, error));
  const local = [
    okCheck('node', `Node ${process.versions.node}`),
    ...checkSettings(settings, [...invalid.values()]),
    ...checkFiles(settings, env),
    checkProxy(settings),
    okCheck('version', `gantry ${version}: ${ownLocation()}`),
  ];
  // After checkFiles: looking for the token changes the permissions of its file.
  const token = checkToken(env, settings, context.now(), context.flags.local);
  context.secrets.add(token.credential?.token, token.credential?.refreshToken);
  const step = progress.step('Checking the platform');
  const remote = await step.show(checkPlatform(context, settings, token));
  step.clear();
  return [...local, ...remote];
}
