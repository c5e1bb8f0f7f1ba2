import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type CommandLine, gantryCommand } from '../command-line.ts';
import { readRegularSync } from '../disk/regular-file.ts';
import { AuthError } from '../errors.ts';
import { type Environment, readVariable, type Variable } from './environment.ts';
import { checkProfile } from './profiles.ts';
import type { Settings } from './settings.ts';

export interface Credential extends TokenClaims {
  token: string;
  /** Where it comes from, in the words a user would look for it. */
  origin: string;
  /** True for a token from the environment: it is never written to disk and never renewed. */
  fromEnvironment: boolean;
  /** By which another token is had when this one ends. */
  refreshToken?: string | undefined;
}

/** What a token says of itself. */
export interface TokenClaims {
  /** A person's login, or a service account; a token that says nothing is taken for the latter's. */
  kind: 'login' | 'service-account';
  /** Project named in the claims. */
  project?: string | undefined;
  /** Who it is for: a name where there is one, otherwise an id. */
  user?: string | undefined;
  /** End of validity in milliseconds since the epoch; undefined: never, or not known. */
  expiresAt?: number | undefined;
}

/** What `credentials.json` keeps for each profile: `{"profiles": {"default": {"token": "…"}}}`, mode 0600. */
export type StoredTokens = {
  token: string;
  refreshToken?: string | undefined;
};

const variables: Variable[] = ['GANTRY_TOKEN', 'CEREBRIUM_SERVICE_ACCOUNT_TOKEN'];

/**
 * Finds the token: environment before the profile's stored one. Throws AuthError when there is none, or when it has
 * ended and cannot be renewed: that is found here, before any request. `warn` hears of a credentials file that others
 * could read.
 */
export function findCredential(
  env: Environment,
  settings: Settings,
  now: number,
  warn: (message: string) => void,
): Credential {
  const given = environmentCredential(env);
  // A pipeline that brings its token may name a profile that this machine does not have.
  if (!given || settings.profile.origin === 'flag') checkProfile(settings);
  const found = given ?? storedCredential(settings, warn);
  if (!found) throw notLoggedInError();
  if (!/^[!-~]+$/.test(found.token)) {
    const why = `it comes from the ${found.origin} and has spaces, line ends or other characters that no token has`;
    throw new AuthError('the token is none', { why, fix: renewalFix(found) });
  }
  if (found.expiresAt !== undefined && found.expiresAt <= now && !found.refreshToken) {
    throw new AuthError(`the token expired on ${new Date(found.expiresAt).toISOString()}`, {
      why: `it comes from the ${found.origin}`,
      fix: renewalFix(found),
    });
  }
  return found;
}

export function notLoggedInError(): AuthError {
  return new AuthError('not logged in', {
    why: 'no token in the environment or in the settings',
    fix: 'gantry login, or set GANTRY_TOKEN to a service account token (dashboard, API Keys page)',
  });
}

/** What to do when a token ends. */
export function renewalFix({ fromEnvironment, kind }: Credential): string | CommandLine {
  if (kind === 'login') return gantryCommand`login`;
  return `create a new one in the dashboard, API Keys page${fromEnvironment ? '' : ', then gantry login --token'}`;
}

/** The token of the environment, if there is one. */
export function environmentCredential(env: Environment): Credential | undefined {
  for (const name of variables) {
    const token = readVariable(env, name)?.trim();
    if (token) return { token, origin: `environment (${name})`, fromEnvironment: true, ...parseClaims(token) };
  }
  return undefined;
}

/** Every secret that the environment gives to gantry. */
export function environmentSecrets(env: Environment): string[] {
  const values = secretVariables.map((name) => readVariable(env, name)?.trim() ?? '');
  const passwords = (['HTTPS_PROXY', 'HTTP_PROXY'] as const).map((name) => passwordIn(readVariable(env, name) ?? ''));
  return [...values, ...passwords];
}

const secretVariables: Variable[] = [...variables, 'GANTRY_INFERENCE_KEY', 'GANTRY_WEBHOOK_SECRET'];

/** `http://user:password@host` may also lack its scheme. */
function passwordIn(address: string): string {
  const url = address.includes('://') ? address : `http://${address}`;
  return URL.canParse(url) ? new URL(url).password : '';
}

/** The token stored for the profile, if there is one. */
export function storedCredential(
  { folders, profile: { value: profile = 'default' } }: Pick<Settings, 'folders' | 'profile'>,
  warn: (message: string) => void,
): Credential | undefined {
  const stored = readTokens(folders.config, warn)?.[profile];
  if (typeof stored?.token !== 'string' || !stored.token) return undefined;
  return toCredential(stored, profile);
}

export function toCredential({ token, refreshToken }: StoredTokens, profile: string): Credential {
  const renewable = typeof refreshToken === 'string' && refreshToken !== '';
  const found: Credential = { token, origin: `profile (${profile})`, fromEnvironment: false, ...parseClaims(token) };
  return renewable ? { ...found, refreshToken, kind: 'login' } : found;
}

/**
 * Reads a JWT's claims without checking its signature: the server does that. Looks for the project in the same order as
 * the official client.
 */
export function parseClaims(token: string): TokenClaims {
  const claims = payloadOf(token) ?? {};
  const custom = Object(claims.custom) as Record<string, unknown>;
  const project = [
    ...[claims.project_id, claims.projectId, claims.sub, claims.project],
    ...[custom.project_id, custom.projectId, custom.project],
  ].find((value): value is string => typeof value === 'string' && /^(dev-)?p-/.test(value));
  const user = [claims.email, claims.username, claims['cognito:username'], claims.sub].find(
    (value): value is string => typeof value === 'string' && value !== '' && value !== project,
  );
  return {
    kind: typeof claims.token_use === 'string' ? 'login' : 'service-account',
    project,
    user,
    expiresAt: typeof claims.exp === 'number' ? claims.exp * 1000 : undefined,
  };
}

function payloadOf(token: string): Record<string, unknown> | undefined {
  const [, payload, signature] = token.split('.');
  if (!payload || !signature) return undefined;
  try {
    return Object(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')));
  } catch {
    return undefined;
  }
}

function readTokens(folder: string, warn: (message: string) => void): Record<string, StoredTokens> | undefined {
  const file = join(folder, 'credentials.json');
  try {
    const { profiles } = JSON.parse(readRegularSync(file)) as { profiles?: Record<string, StoredTokens> };
    if (process.platform !== 'win32' && statSync(file).mode & 0o077) warn(madePrivate(file));
    return profiles;
  } catch {
    return undefined;
  }
}

function madePrivate(file: string): string {
  try {
    chmodSync(file, 0o600);
    return `${file} could be read by others; it is now private (mode 0600)`;
  } catch {
    return `${file} can be read by others, and that could not be changed: chmod 600 it`;
  }
}
