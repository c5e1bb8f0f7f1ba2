import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { type Environment, readVariable } from '../../kernel/environment.ts';
import { UsageError } from '../../kernel/errors.ts';
import { isLoopbackHost } from '../contract/address.ts';
import type { Host } from '../contract/endpoint.ts';
import type { Credential } from './credentials.ts';
import { type SettingFlags, type Settings, settingSources } from './settings.ts';
import { platformOf } from './state-key.ts';

export type { Host };

type Resolved = Pick<Settings, 'addresses' | 'project'>;

/** Throws UsageError for settings of two environments, before a request goes to the wrong one. */
export function checkEnvironment(
  env: Environment,
  settings: Resolved,
  credential: Credential,
  flags: SettingFlags,
): void {
  const { management, invocation, logs } = settings.addresses;
  const address = platformOf(settings);
  const { host } = new URL(address);
  if (!isLocal(address)) {
    if (credential.ofEmulator) {
      const message = `the token from the ${credential.origin} is an emulator's, but requests would go to ${host}`;
      throw credential.fromEnvironment ? halfEmulator(message) : emulatorProfile(message);
    }
    const isChosen = management.origin.startsWith('environment') || flags.profile || flags.project;
    if (readVariable(env, 'GANTRY_EMULATOR_SECRET') && !isChosen) {
      throw halfEmulator(`the environment has variables of an emulator, but requests would go to ${host}`);
    }
    for (const { value, origin } of [invocation, logs]) {
      if (isLocal(value)) throw halfEmulator(`the URL from the ${origin} is on this machine, but not ${host}`);
    }
  }
  checkOfficialProject(env, settings, credential);
}

/** Calls of apps carry the token, too: those of another platform must not go to the default one. Throws UsageError. */
export function checkHost(settings: Resolved, host: Host): void {
  const { invocation } = settings.addresses;
  const address = platformOf(settings);
  if (host !== 'invocation' || invocation.origin !== 'default') return;
  if (address === settingSources.management.fallback) return;
  throw new UsageError(`no URL for calls of apps on ${new URL(address).host}`, {
    why: `GANTRY_INFERENCE_URL is not set, so they would go to ${new URL(invocation.value).host}`,
    fix: `set GANTRY_INFERENCE_URL to the URL that belongs to ${address}`,
  });
}

function checkOfficialProject(env: Environment, { project }: Resolved, { origin }: Credential): void {
  const official = readVariable(env, 'CEREBRIUM_SERVICE_ACCOUNT_TOKEN');
  if (!official || official === readVariable(env, 'GANTRY_TOKEN') || origin !== 'environment (GANTRY_TOKEN)') return;
  if (project.origin !== 'environment (CEREBRIUM_PROJECT_ID)') return;
  throw new UsageError(`the token is from GANTRY_TOKEN, but the project ${project.value} from CEREBRIUM_PROJECT_ID`, {
    why: 'that project may belong to CEREBRIUM_SERVICE_ACCOUNT_TOKEN, which is another token',
    fix: `pass -p ${project.value}, or set GANTRY_PROJECT`,
  });
}

function halfEmulator(message: string): UsageError {
  return new UsageError(message, {
    why: 'only a part of the variables that gantry emulator env prints is set',
    fix: sentence`set them all: eval "$(${gantryCommand`emulator env`})"; or remove them: unset GANTRY_TOKEN GANTRY_PROJECT GANTRY_EMULATOR_SECRET`,
  });
}

function emulatorProfile(message: string): UsageError {
  return new UsageError(message, {
    why: 'a profile keeps the token of an emulator, but not its address',
    fix: sentence`set the address beside it: eval "$(${gantryCommand`emulator env`})"; or use another profile`,
  });
}

function isLocal(address: string): boolean {
  return URL.canParse(address) && isLoopbackHost(new URL(address));
}
