import { chmodSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Fix, gantryCommand, sentence } from '../../kernel/command-line.ts';
import { readJsonSync } from '../../kernel/disk/regular-file.ts';
import { type Environment, readVariable, type Variable } from '../../kernel/environment.ts';
import { AuthError, type GantryError, UnavailableError } from '../../kernel/errors.ts';
import { tryParseJson } from '../../kernel/json-text.ts';
import { emulatorIssuer } from '../contract/issuer.ts';
import { homeFolder } from './folders.ts';
import { checkProfile } from './profiles.ts';
import type { Settings } from './settings.ts';

export interface Credential extends JwtClaims {
  token: string;
  /** Where it comes from: `environment (GANTRY_TOKEN)` or `profile (default)`. */
  origin: string;
  /** Such a token is never stored or renewed. */
  fromEnvironment: boolean;
  refreshToken?: string | undefined;
}

export interface JwtClaims {
  kind: 'login' | 'service-account';
  project?: string | undefined;
  user?: string | undefined;
  /** In ms since 1970; undefined if it never expires or this is unknown. */
  expiresAt?: number | undefined;
  /** Whether an emulator issued it: no other platform accepts it. */
  ofEmulator: boolean;
}

/** A profile in `credentials.json`: `{"profiles": {"default": {"token": "…"}}}`, mode 0600. */
export type StoredTokens = {
  token: string;
  refreshToken?: string | undefined;
};

const variables: Variable[] = ['GANTRY_TOKEN', 'CEREBRIUM_SERVICE_ACCOUNT_TOKEN'];

/**
 * Finds the token: from the environment, else the profile's. Throws AuthError if there is none, or if it has expired and
 * cannot be renewed, and UnavailableError for an emulator that has stopped. Calls `warn` if other users can read the credentials file. `readLast` tells where the last deploy
 * from this folder went; `folder` is null where a command has no emulator.
 */
export function findCredential(
  env: Environment,
  settings: Settings,
  now: number,
  warn: (message: string) => void,
  readLast: () => LastTarget | undefined = () => undefined,
  folder?: string | null,
): Credential {
  const given = environmentCredential(env);
  // With a token from the environment, the profile of a variable may not exist on this machine.
  if (!given) checkProfile(settings);
  const credential = given ?? storedCredential(settings, warn);
  if (!credential) throw notLoggedInError(env, readLast(), folder);
  const problem = findTokenProblem(credential, now);
  if (!problem) return credential;
  const why = [`it comes from the ${credential.origin}`, problem.why].filter(Boolean).join(' and ');
  throw new AuthError(problem.message, { why, fix: problem.fix ?? renewalFix(credential) });
}

interface LastTarget {
  platform: string;
  address: string;
  /** What an emulator keeps its data in. */
  dataFolder?: string | null | undefined;
}

/** Longer ones do not fit into the headers of a request. */
const maxTokenCharacters = 12_000;

interface TokenProblem {
  message: string;
  /** Why a token can never be valid, or was just issued; continues a sentence about it. */
  why?: string;
  fix?: string;
}

/** Why a token cannot be sent or stored, wherever it comes from; one that can be renewed may have expired. */
export function findTokenProblem({ token, refreshToken }: StoredTokens, now: number): TokenProblem | undefined {
  const problem = formProblem(token, /^[!-~]+$/) ?? (refreshToken ? formProblem(refreshToken, /^[ -~]+$/) : undefined);
  if (problem) return { message: 'the token is not valid', ...problem };
  const { expiresAt } = parseClaims(token);
  if (refreshToken || expiresAt === undefined || expiresAt > now) return undefined;
  return { message: `the token expired on ${new Date(expiresAt).toISOString()}` };
}

/** As {@link findTokenProblem}, of a token that was just issued: it must not have expired, even if it can be renewed. */
export function findNewTokenProblem({ token, refreshToken }: StoredTokens, now: number): TokenProblem | undefined {
  const problem = findTokenProblem({ token }, now) ?? findTokenProblem({ token, refreshToken }, now);
  return problem && { why: 'has expired already; is the clock of this machine right?', ...problem };
}

function formProblem(text: string, form: RegExp): Pick<TokenProblem, 'why' | 'fix'> | undefined {
  if (text.length > maxTokenCharacters) return { why: `is longer than ${maxTokenCharacters} characters` };
  for (const { form, ...problem } of notInTokens) if (form.test(text)) return problem;
  return form.test(text) ? undefined : { why: 'contains spaces, line breaks or non-ASCII characters' };
}

const notInTokens = [
  {
    form: /^["'`]?\$(\{|\(|[A-Z_]+["'`]?$)/,
    why: 'is an expression that nothing has replaced',
    fix: 'let CI or the shell replace it by the token: single quotes, and files that are read as they are, keep it',
  },
  { form: /^["'`]|["'`]$/, why: 'is in quotes, which are not part of it', fix: 'remove the quotes around the token' },
  { form: /^bearer\s/i, why: 'begins with the word Bearer, which is not part of it', fix: 'remove the word Bearer' },
];

export function notLoggedInError(env: Environment = {}, last?: LastTarget, folder?: string | null): GantryError {
  if (last?.platform === 'emulator') {
    const { port } = new URL(last.address);
    const start = gantryCommand`emulator start ${{ '--port': port, '--data-dir': last.dataFolder ?? undefined }}`;
    const [way, line, next] =
      last.dataFolder === undefined
        ? ['type what its owner gets from', gantryCommand`emulator env --port ${port}`, null]
        : ['start it in another terminal:', start, start];
    return new UnavailableError(`no emulator of yours runs at ${last.address}, where the last deploy from here went`, {
      fix: sentence`${way} ${line}; or use the emulator of this folder: ${gantryCommand`deploy --local`}`,
      next,
      retryable: false,
    });
  }
  const other = officialConfigFile(env);
  if (existsSync(other)) {
    const why = `no token found in the environment or settings; ${other} may have one`;
    return new AuthError('not logged in', { why, fix: gantryCommand`login --import` });
  }
  const hasApp = typeof folder === 'string' && existsSync(join(folder, 'cerebrium.toml'));
  const about = folder === null ? '; this command is about the platform, not an emulator' : '';
  const emulator = hasApp ? '; on the emulator, without an account' : '; without an account: --local uses the emulator';
  const unread = ['CEREBRIUM_API_KEY', 'CEREBRIUM_TOKEN'].find((name) => env[name]);
  return new AuthError('not logged in', {
    why: `no token found in the environment or settings${unread ? `; ${unread} is not read` : ''}${about}`,
    ...(hasApp ? { retryWith: ['--local'] } : { next: gantryCommand`help environment` }),
    fix: sentence`${gantryCommand`login`}, or set GANTRY_TOKEN to a service account token (dashboard, API Keys page)${about === '' ? emulator : ''}`,
  });
}

/** Where the official client stores its login. */
export function officialConfigFile(env: Environment): string {
  return readVariable(env, 'CEREBRIUM_CONFIG_PATH') ?? join(homeFolder(env), '.cerebrium', 'config.yaml');
}

export function renewalFix({ fromEnvironment, kind }: Credential): Fix {
  if (kind === 'login') return gantryCommand`login`;
  if (fromEnvironment) return 'create a new one in the dashboard, API Keys page';
  return sentence`create a new one in the dashboard, API Keys page, then ${gantryCommand`login --token`}`;
}

export function environmentCredential(env: Environment): Credential | undefined {
  for (const name of variables) {
    const token = readVariable(env, name)?.trim();
    if (token) return { token, origin: `environment (${name})`, fromEnvironment: true, ...parseClaims(token) };
  }
  return undefined;
}

/** Every secret in gantry's environment variables. */
export function environmentSecrets(env: Environment): string[] {
  const values = secretVariables.map((name) => readVariable(env, name)?.trim() ?? '');
  const passwords = (['HTTPS_PROXY', 'HTTP_PROXY'] as const).map((name) => passwordIn(readVariable(env, name) ?? ''));
  return [...values, ...passwords];
}

const secretVariables: Variable[] = [...variables, 'GANTRY_INFERENCE_KEY', 'GANTRY_WEBHOOK_SECRET'];

function passwordIn(address: string): string {
  const url = address.includes('://') ? address : `http://${address}`;
  return URL.canParse(url) ? new URL(url).password : '';
}

export function storedCredential(
  { folders, profile: { value: profile } }: Pick<Settings, 'folders' | 'profile'>,
  warn: (message: string) => void,
): Credential | undefined {
  const stored = readTokens(folders.config, warn)?.[profile];
  if (typeof stored?.token !== 'string' || !stored.token) return undefined;
  return toCredential(stored, profile);
}

export function toCredential({ token, refreshToken }: StoredTokens, profile: string): Credential {
  const renewable = typeof refreshToken === 'string' && refreshToken !== '';
  const credential: Credential = {
    token,
    origin: `profile (${profile})`,
    fromEnvironment: false,
    ...parseClaims(token),
  };
  return renewable ? { ...credential, refreshToken, kind: 'login' } : credential;
}

const maxSeconds = 8.64e12;

/** Parses a JWT's claims without checking its signature. The order is the official client's. */
export function parseClaims(token: string): JwtClaims {
  const claims = payloadOf(token) ?? {};
  const custom = Object(claims.custom) as Record<string, unknown>;
  const project = [
    ...[claims.project_id, claims.projectId, claims.sub, claims.project],
    ...[custom.project_id, custom.projectId, custom.project],
  ].find((value): value is string => typeof value === 'string' && /^(dev-)?p-[!-~]*$/.test(value));
  const user = [claims.email, claims.username, claims['cognito:username'], claims.sub].find(
    (value): value is string => typeof value === 'string' && value !== '' && value !== project,
  );
  return {
    kind: typeof claims.token_use === 'string' ? 'login' : 'service-account',
    project,
    user,
    expiresAt: typeof claims.exp === 'number' && claims.exp < maxSeconds ? claims.exp * 1000 : undefined,
    ofEmulator: claims.iss === emulatorIssuer,
  };
}

function payloadOf(token: string): Record<string, unknown> | undefined {
  const [, payload, signature] = token.split('.');
  if (!payload || !signature) return undefined;
  return Object(tryParseJson(Buffer.from(payload, 'base64url').toString('utf8')));
}

function readTokens(folder: string, warn: (message: string) => void): Record<string, StoredTokens> | undefined {
  const file = join(folder, 'credentials.json');
  const { profiles } = Object(readJsonSync(file)) as { profiles?: Record<string, StoredTokens> };
  if (profiles && process.platform !== 'win32' && statSync(file).mode & 0o077) warn(makePrivate(file));
  return profiles;
}

function makePrivate(file: string): string {
  try {
    chmodSync(file, 0o600);
    return `${file} was readable by other users; its mode is now 0600`;
  } catch {
    return `${file} is readable by other users, and its mode cannot be changed: run chmod 600`;
  }
}
