import { resolve } from 'node:path';
import type { Command } from '../command.ts';
import { gantryCommand } from '../command-line.ts';
import { type Environment, readVariable, type Variable } from '../config/environment.ts';
import { isLocalTarget, readFolderTarget } from '../config/folder-target.ts';
import { resolveFolders } from '../config/folders.ts';
import type { LocalSettings } from '../config/local-settings.ts';
import type { GlobalFlags } from '../context.ts';
import { NotFoundError, UsageError } from '../errors.ts';
import type { Io } from '../process.ts';

/**
 * The emulator of this folder, if it is the target: `--local`, or the last deploy from this folder went there and neither
 * the line nor the environment says otherwise. A command that needs it starts it.
 */
export async function findLocalTarget(
  { local, unattended }: Command,
  flags: GlobalFlags,
  io: Io,
  signal: AbortSignal,
): Promise<LocalSettings | undefined> {
  const cwd = resolve(io.cwd, flags.cwd ?? '.');
  const origin = originOf(flags, io.env, cwd);
  // A server and a child would keep the variables when the emulator has others.
  if (origin === undefined || (local && !unattended)) return undefined;
  const { knownFolderEmulator, useFolderEmulator } = await import('../operations/emulator/index.ts');
  if (local) {
    const known = knownFolderEmulator(io.env, cwd);
    if (!known) throw new NotFoundError('this folder has no emulator yet', { fix: gantryCommand`deploy --local` });
    return { origin, variables: { ...unset, ...known }, isStarted: false };
  }
  let isStarted = false;
  const variables = await useFolderEmulator(io, cwd, signal, () => {
    isStarted = true;
  });
  return { origin, variables: { ...unset, ...variables }, isStarted };
}

/** They belong to the platform that the environment would choose. */
const unset = { GANTRY_PROFILE: '', GANTRY_REGION: '', GANTRY_INFERENCE_KEY: '' };

function originOf({ local, project, profile }: GlobalFlags, env: Environment, cwd: string): string | undefined {
  if (local || project === 'local') {
    const other = profile === undefined ? (local && project) || undefined : `--profile ${profile}`;
    if (other === undefined || other === 'local') return 'flag';
    throw new UsageError(`the emulator of this folder and ${other} are two targets`, { fix: 'pass only one' });
  }
  if (project !== undefined || profile !== undefined || choosing.some((name) => readVariable(env, name)))
    return undefined;
  const last = readFolderTarget(resolveFolders(env), cwd);
  return last && isLocalTarget(last) ? `folder (${cwd})` : undefined;
}

/** Variables that choose a target. */
const choosing: Variable[] = [
  ...(['GANTRY_TOKEN', 'GANTRY_PROJECT', 'GANTRY_PROFILE', 'GANTRY_API_URL'] as const),
  ...(['CEREBRIUM_SERVICE_ACCOUNT_TOKEN', 'CEREBRIUM_PROJECT_ID'] as const),
];
