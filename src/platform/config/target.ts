import { isLoopbackHost } from '../contract/address.ts';
import type { Credential } from './credentials.ts';
import type { LocalSettings, Setting, Settings } from './settings.ts';

/** Where a command reads and changes things: one project on one platform, each value with its origin. */
export interface Target {
  /** `emulator`, or the host of the management API. */
  platform: Setting & { value: string };
  /** The platform in words, which tell emulators apart: `emulator of this folder`, `emulator on port 4100`, or its host. */
  platformName: string;
  address: string;
  project: Setting;
  region: Setting;
}

/** The target of every command. Without a credential, the project may be unknown, and an emulator is a host like any other. */
export function findTarget(
  { addresses, project, region }: Pick<Settings, 'addresses' | 'project' | 'region'>,
  credential: Credential | undefined,
  local?: LocalSettings,
): Target {
  const { value: address, origin } = addresses.management;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isEmulator = url !== undefined && isLoopbackHost(url) && credential?.ofEmulator === true;
  const platform = isEmulator ? 'emulator' : (url?.host ?? address);
  return {
    platform: { value: platform, origin },
    platformName: local?.name ?? nameOfPlatform(platform, address),
    address,
    project: project.value === undefined ? projectOfToken(credential) : project,
    region,
  };
}

/** The words for a target, wherever it is shown: `p-12345678 (emulator on port 4100)`, `p-12345678 (rest.cerebrium.ai)`. */
export function targetText({ platformName, project }: Pick<Target, 'platformName' | 'project'>): string {
  return `${project.value ?? 'no project'} (${platformName})`;
}

/** The name of the emulator that commands in its folder start and find by themselves. */
export const folderEmulatorName = 'emulator of this folder';

/** Nothing there costs anything or serves anybody: a deploy to it asks nothing. */
export function isFolderEmulator({ platformName }: Pick<Target, 'platformName'>): boolean {
  return platformName === folderEmulatorName;
}

export function nameOfPlatform(platform: string, address: string): string {
  return platform === 'emulator' ? `emulator on port ${new URL(address).port}` : platform;
}

/** The origins of a target: `flag, environment (GANTRY_API_URL)`. */
export function targetOrigin({ platform, project }: Target): string {
  const origins = project.value === undefined ? [] : [project.origin];
  return [...new Set([...origins, platform.origin])].join(', ');
}

function projectOfToken(credential: Credential | undefined): Setting {
  const value = credential?.project;
  return { value, origin: value === undefined ? 'not set' : 'claims of the token' };
}
