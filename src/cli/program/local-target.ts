import { resolve } from 'node:path';
import { gantryCommand } from '../../kernel/command-line.ts';
import { type Environment, readVariable, type Variable } from '../../kernel/environment.ts';
import { NotFoundError, UsageError } from '../../kernel/errors.ts';
import type { Io } from '../../kernel/process.ts';
import { words } from '../../kernel/words.ts';
import { storedCredential } from '../../platform/config/credentials.ts';
import { isLocalTarget, readFolderTarget } from '../../platform/config/folder-target.ts';
import { resolveFolders } from '../../platform/config/folders.ts';
import { type LocalSettings, resolveSettings } from '../../platform/config/settings.ts';
import { folderEmulatorName, nameOfPlatform } from '../../platform/config/target.ts';
import type { GlobalFlags } from '../../platform/context.ts';
import type { Command } from '../command.ts';

type TargetedCommand = Pick<Command, 'local' | 'startsLocal' | 'ofProfile' | 'unattended' | 'effect'>;

/**
 * The emulator that belongs to this folder, if it is the target: its own by `--local`, or the one that the last deploy from
 * this folder went to, unless the line or the environment says otherwise. A command that needs its own starts it, but
 * not one that only reads for a model; another one counts only while it runs.
 */
export async function findLocalTarget(
  { ofProfile, unattended, effect, ...command }: TargetedCommand,
  flags: GlobalFlags,
  io: Io,
  beforeStart: (cwd: string) => unknown = () => {},
): Promise<LocalSettings | undefined> {
  const cwd = resolve(io.cwd, flags.cwd ?? '.');
  const choice = choose(flags, io.env, cwd);
  const local = isOfMachine(command, choice);
  if (choice === undefined || isOfNone(choice, { ofProfile, local, unattended })) return undefined;
  const { findEmulatorAt, knownFolderEmulator, useFolderEmulator } = await import('../../local/emulator/index.ts');
  const { origin, address } = choice;
  const unused = origin.startsWith('folder') ? profileWithLogin(io.env, cwd) : undefined;
  if (address !== undefined) {
    const { environment } = findEmulatorAt(io, address) ?? {};
    const name = nameOfPlatform('emulator', address);
    return (
      environment && { name, flags: [], origin, unused, variables: { ...unset, ...environment }, isStarted: false }
    );
  }
  const ofFolder = { name: folderEmulatorName, flags: ['--local'], origin, unused };
  if (local || (io.isForModel && (effect === 'reads' || flags.dryRun))) {
    const running = knownFolderEmulator(io.env, cwd);
    if (!running) throw new NotFoundError('this folder has no emulator yet', { fix: gantryCommand`deploy --local` });
    return { ...ofFolder, variables: { ...unset, ...running }, isStarted: false };
  }
  let isStarted = false;
  const variables = await useFolderEmulator(io, cwd, async () => {
    await beforeStart(cwd);
    isStarted = true;
  });
  return { ...ofFolder, variables: { ...unset, ...variables }, isStarted };
}

/** Inherits from the original: copying it would open its streams. */
export function withVariables(io: Io, local: LocalSettings | undefined): Io {
  return local ? Object.create(io, { env: { value: { ...io.env, ...local.variables } } }) : io;
}

/** The profile that the folder would use if it remembered nothing, if it has a login. */
function profileWithLogin(env: Environment, folder: string): string | undefined {
  const settings = resolveSettings(env, { folder }, () => {});
  return storedCredential(settings, () => {}) && settings.profile.value;
}

/** They belong to the platform that the environment would choose. */
const unset = { GANTRY_PROFILE: '', GANTRY_REGION: '', GANTRY_INFERENCE_KEY: '' };

interface Choice {
  origin: string;
  /** The address of an emulator that other folders use, too; undefined for the folder's own. */
  address?: string;
}

function choose(flags: GlobalFlags, env: Environment, cwd: string): Choice | undefined {
  const origin = originOfOwn(flags, env);
  if (origin !== undefined) return onlyTarget(flags, origin);
  const { project, profile } = flags;
  if (project !== undefined || profile !== undefined || choosing.some((name) => readVariable(env, name)))
    return undefined;
  const last = readFolderTarget(resolveFolders(env), cwd);
  if (last?.platform !== 'emulator') return undefined;
  return { origin: `folder (${cwd})`, ...(!isLocalTarget(last) && { address: last.address }) };
}

/** Where the emulator of the folder was named; undefined if it was not. */
function originOfOwn({ local, project }: GlobalFlags, env: Environment): string | undefined {
  if (local || project === 'local') return 'flag';
  return project === undefined && readVariable(env, 'GANTRY_PROJECT') === 'local'
    ? 'environment (GANTRY_PROJECT)'
    : undefined;
}

function onlyTarget({ local, project, profile }: GlobalFlags, origin: string): Choice {
  const other = profile === undefined ? (local && project) || undefined : `--profile ${profile}`;
  if (other === undefined || other === 'local') return { origin };
  const emulator = `the emulator of this folder${origin === 'flag' ? '' : ' (GANTRY_PROJECT=local)'}`;
  throw new UsageError(`${emulator} and ${other} are two targets`, { fix: 'pass only one' });
}

/** Whether the command line is about this machine only. */
function isOfMachine({ local, startsLocal }: Pick<TargetedCommand, 'local' | 'startsLocal'>, choice?: Choice): boolean {
  return local && !(startsLocal && choice?.origin === 'flag');
}

/** Whether the command has no emulator, whatever was chosen. Throws UsageError if one was typed for a profile. */
function isOfNone(
  { origin }: Choice,
  { ofProfile, local, unattended }: Omit<TargetedCommand, 'effect' | 'startsLocal'>,
) {
  if (ofProfile && origin === 'flag') {
    throw new UsageError('the emulator of a folder has no login and no settings of its own', {
      why: 'it has one project and one user, which are in use; this command changes a profile of the platform',
      fix: 'for the platform, leave out --local',
    });
  }
  // A server and a child would keep the variables when the emulator has others.
  return ofProfile || (local && !unattended);
}

const choosing: Variable[] = words(
  'GANTRY_TOKEN GANTRY_PROJECT GANTRY_PROFILE GANTRY_API_URL',
  'CEREBRIUM_SERVICE_ACCOUNT_TOKEN CEREBRIUM_PROJECT_ID',
);
