import { resolveSettings } from '../../config/settings.ts';
import type { Context } from '../../context.ts';
import type { GantryError } from '../../errors.ts';
import type { Check } from './check.ts';
import { checkFiles, checkNode, checkProxy, checkSettings } from './machine-checks.ts';
import { checkPlatform } from './platform-checks.ts';
import { checkToken } from './token-check.ts';

export type { Check };

/**
 * Looks at all that a command needs, from this machine to the platform. Works where nothing else does: what is wrong is
 * an answer here, never an error. At most ten seconds for each address, all at the same time.
 */
export async function runChecks(context: Context): Promise<Check[]> {
  const { env, flags, progress } = context;
  const refused: GantryError[] = [];
  const settings = resolveSettings(env, flags, (error) => refused.push(error));
  const here = [
    ...[checkNode(process.versions.node), ...checkSettings(settings, refused)],
    ...checkFiles(settings, env),
    checkProxy(settings),
  ];
  // After the files: to look for the token makes them private.
  const token = checkToken(env, settings, context.now());
  context.secrets.add(token.credential?.token, token.credential?.refreshToken);
  const step = progress.step('asking the platform');
  try {
    const there = await checkPlatform(context, settings, token);
    step.done('asked the platform');
    return [...here, ...there];
  } catch (error) {
    step.fail();
    throw error;
  }
}
