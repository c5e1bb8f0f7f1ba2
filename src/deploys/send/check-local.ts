import { resolveRequirements } from '../../app/resolver.ts';
import type { Problem } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { checkLocalSource, type LocalApp, tellProblems } from './local-app.ts';

/** The secrets that an app gets, by their names. Undefined if they may not be read. */
type ReadNames = () => Promise<object | undefined>;

/**
 * Refuses an app that needs a secret which is not there. `end` refuses packages that do not fit together: they are asked for
 * beside all that comes before the upload. An emulator installs nothing.
 */
export async function checkLocal(context: Context, local: LocalApp, secrets: ReadNames, signal: AbortSignal) {
  const { env, target } = context;
  await checkLocalSource(context, local);
  tellProblems(context, await checkSecrets(local, secrets));
  const isInstalled = target.platform.value !== 'emulator';
  const asked = isInstalled ? checkPackages({ env, signal }, local, { timeoutMs: 5_000 }) : [];
  return { end: async () => tellProblems(context, await asked) };
}

/** Variables that are no secret of the project or the app. Asks nothing if the code needs none. */
export async function checkSecrets({ seen }: Pick<LocalApp, 'seen'>, read: ReadNames): Promise<Problem[]> {
  if (!seen?.needed.length) return [];
  const secrets = await read();
  return secrets ? seen.secretProblems(Object.keys(secrets)) : [];
}

/** Asks a resolver whether the packages of the app can be installed together. Claims nothing that it does not say. */
export async function checkPackages(
  { env, signal }: Pick<Context, 'env' | 'signal'>,
  { seen }: Pick<LocalApp, 'seen'>,
  { timeoutMs, note }: { timeoutMs: number; note?: (text: string) => void },
): Promise<Problem[]> {
  if (!seen?.requirements) return [];
  const found = await resolveRequirements(seen.requirements, { env, signal, timeoutMs });
  if (found.is === 'unknown' && found.because !== undefined)
    note?.(`whether the packages fit together is not known: ${found.because}`);
  return found.is === 'refused' ? seen.unresolvedProblems(found.said) : [];
}
