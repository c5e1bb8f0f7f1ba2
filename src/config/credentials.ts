import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AuthError } from '../errors.ts';
import { type Environment, read, type Variable } from './environment.ts';
import type { Settings } from './settings.ts';

export interface Credential {
  token: string;
  origin: string;
  /** Project named in the token's claims, if it is a JWT that has one. */
  project?: string | undefined;
  /** End of validity in milliseconds since the epoch; undefined: never, or not known. */
  expiresAt?: number | undefined;
}

const variables: Variable[] = ['GANTRY_TOKEN', 'CEREBRIUM_SERVICE_ACCOUNT_TOKEN'];

/**
 * Finds the token: environment before the profile's stored one. Throws AuthError when there is none, or when it has
 * ended: that is found here, before any request. `warn` hears of a credentials file that others could read.
 */
export function findCredential(
  env: Environment,
  settings: Settings,
  now: number,
  warn: (message: string) => void,
): Credential {
  const found = fromEnvironment(env) ?? fromFile(settings, warn);
  if (!found) {
    throw new AuthError('not logged in', {
      why: 'no token in the environment or in the settings',
      fix: 'set GANTRY_TOKEN to a service account token (dashboard, API Keys page)',
    });
  }
  const credential = { ...found, ...claims(found.token) };
  if (credential.expiresAt !== undefined && credential.expiresAt <= now) {
    throw new AuthError(`the token expired on ${new Date(credential.expiresAt).toISOString()}`, {
      why: `it comes from the ${credential.origin}`,
      fix: 'create a new one in the dashboard, API Keys page',
    });
  }
  return credential;
}

function fromEnvironment(env: Environment): Credential | undefined {
  for (const name of variables) {
    const token = read(env, name)?.trim();
    if (token) return { token, origin: `environment (${name})` };
  }
  return undefined;
}

/** `credentials.json`: `{"profiles": {"default": {"token": "…"}}}`, mode 0600. */
function fromFile(settings: Settings, warn: (message: string) => void): Credential | undefined {
  const file = join(settings.folders.config, 'credentials.json');
  let stored: { profiles?: Record<string, { token?: unknown }> };
  try {
    stored = JSON.parse(readFileSync(file, 'utf8'));
    if (process.platform !== 'win32' && statSync(file).mode & 0o077) {
      chmodSync(file, 0o600);
      warn(`${file} could be read by others; it is now private (mode 0600)`);
    }
  } catch {
    return undefined;
  }
  const token = stored.profiles?.[settings.profile.value ?? 'default']?.token;
  return typeof token === 'string' && token ? { token, origin: `profile (${settings.profile.value})` } : undefined;
}

/** Reads a JWT's claims without checking its signature: the server does that (wire §8). */
function claims(token: string): { project?: string | undefined; expiresAt?: number | undefined } {
  const [, payload, signature] = token.split('.');
  if (!payload || !signature) return {};
  try {
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Record<string, unknown>;
    const named = [claims.project_id, claims.projectId, claims.sub, claims.project];
    return {
      project: named.find((value): value is string => typeof value === 'string' && /^(dev-)?p-/.test(value)),
      expiresAt: typeof claims.exp === 'number' ? claims.exp * 1000 : undefined,
    };
  } catch {
    return {};
  }
}
