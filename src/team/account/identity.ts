import { type Credential, storedCredential } from '../../platform/config/credentials.ts';
import type { Settings } from '../../platform/config/settings.ts';
import { type Target, targetText } from '../../platform/config/target.ts';
import type { Context } from '../../platform/context.ts';
import { listProjects } from '../../platform/contract/session.ts';

/** The login that commands use, without the token. */
export interface Identity {
  project: string | null;
  /** The project and the platform, in the words of every command. */
  target: string;
  /** `emulator`, or the host of the management API. */
  platform: string;
  platformOrigin: string;
  region: string | null;
  regionOrigin: string | null;
  /** Origin of the project: flag, environment, profile or token. */
  projectOrigin: string | null;
  profile: string;
  /** Origin of the profile: flag, environment, folder, profile (selected) or default. */
  profileOrigin: string;
  tokenOrigin: string;
  /** Origin of a stored token that is not used because a variable takes precedence. */
  unusedToken: string | null;
  kind: Credential['kind'];
  user: string | null;
  expiresAt: string | null;
  /** Whether the token is renewed automatically. */
  renewable: boolean;
  /** URLs that are not the default. */
  addresses: Record<string, string>;
  /** Whether the platform was asked and accepts the token. */
  verified: boolean;
}

/** Reads the login in use. With `verify`, asks the platform to verify it. Throws AuthError if not logged in. */
export async function readIdentity(context: Context, { verify }: { verify: boolean }): Promise<Identity> {
  const { api, settings, progress, credential: first, target } = context;
  if (verify) await api(listProjects, {});
  const stored = storedCredential(settings, (message) => progress.warn(message));
  // The call may have renewed the stored token.
  const credential = first.fromEnvironment ? first : (stored ?? first);
  const { kind, user, expiresAt, refreshToken, origin } = credential;
  return {
    ...describeTarget(target),
    profile: settings.profile.value,
    profileOrigin: settings.profile.origin,
    tokenOrigin: origin,
    unusedToken: first.fromEnvironment && stored ? stored.origin : null,
    kind,
    user: user ?? null,
    renewable: refreshToken !== undefined,
    expiresAt: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
    addresses: otherAddresses(settings),
    verified: verify,
  };
}

function describeTarget(target: Target) {
  const { project, platform, region } = target;
  return {
    target: targetText(target),
    project: project.value ?? null,
    projectOrigin: project.value ? project.origin : null,
    platform: platform.value,
    platformOrigin: platform.origin,
    region: region.value ?? null,
    regionOrigin: region.value ? region.origin : null,
  };
}

function otherAddresses({ addresses }: Settings): Record<string, string> {
  const others = Object.entries(addresses).filter(([, { origin }]) => origin !== 'default');
  return Object.fromEntries(others.map(([name, { value }]) => [name, value]));
}
