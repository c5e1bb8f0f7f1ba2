import { join, resolve } from 'node:path';
import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { readNamedFile } from '../../kernel/disk/index.ts';
import { readVariable } from '../../kernel/environment.ts';
import { AuthError, UsageError } from '../../kernel/errors.ts';
import { defined, withNulls } from '../../kernel/json-text.ts';
import {
  type Credential,
  environmentCredential,
  findTokenProblem,
  officialConfigFile,
  parseClaims,
  type StoredTokens,
} from '../../platform/config/credentials.ts';
import type { Settings } from '../../platform/config/settings.ts';
import { storeSettings, updateStoredFile } from '../../platform/config/stored-files.ts';
import type { Context } from '../../platform/context.ts';
import { refuseEmulator } from './profiles.ts';

export type Login = ReturnType<typeof describeLogin>;

type Profiles = Record<string, StoredTokens>;

/** Throws if credentials cannot be stored, before the user does anything. */
export function checkCredentialsWritable({ env, settings }: Pick<Context, 'env' | 'settings'>): Promise<void> {
  refuseEmulator({ env, settings });
  return updateStoredFile(settings.folders.config, 'credentials', (stored) => stored);
}

/**
 * Replaces the stored tokens of the profile. Warns if a token of the environment takes precedence. Throws AuthError for
 * tokens that cannot be used.
 */
export async function storeTokens(context: Context, tokens: StoredTokens, findProblem = findTokenProblem) {
  const { settings, env, progress, secrets, now } = context;
  secrets.add(tokens.token, tokens.refreshToken);
  const problem = findProblem(tokens, now());
  if (problem) {
    const why = problem.why && `the token that the platform sent ${problem.why}`;
    throw new AuthError(`${problem.message}: nothing was stored`, { why, fix: gantryCommand`login` });
  }
  await updateStoredFile(settings.folders.config, 'credentials', (stored) => ({
    ...stored,
    profiles: { ...(stored.profiles as Profiles | undefined), [settings.profile.value]: tokens },
  }));
  const given = environmentCredential(env);
  if (given) progress.warn(`the token from the ${given.origin} takes precedence while it is set`);
}

/** Removes the tokens of the profile in use, or of all. Returns the names of the profiles that had one. */
export async function removeTokens({ settings }: Pick<Context, 'settings'>, all: boolean): Promise<string[]> {
  let removed: string[] = [];
  await updateStoredFile(settings.folders.config, 'credentials', (stored) => {
    const profiles = Object.entries((stored.profiles ?? {}) as Profiles);
    const isRemoved = ([name]: [string, unknown]) => all || name === settings.profile.value;
    removed = profiles.filter(isRemoved).map(([name]) => name);
    return { ...stored, profiles: Object.fromEntries(profiles.filter((entry) => !isRemoved(entry))) };
  });
  return removed;
}

export function describeLogin(settings: Settings, tokens: StoredTokens, project: string | null) {
  const facts = describeToken({ ...parseClaims(tokens.token), refreshToken: tokens.refreshToken });
  return { profile: settings.profile.value, project, ...facts, storedIn: credentialsPath(settings) };
}

/** What is shown of a token: whose it is, and how long it lasts. */
export function describeToken({ user, expiresAt, refreshToken }: Partial<Credential>) {
  const expiry = expiresAt === undefined ? undefined : new Date(expiresAt).toISOString();
  return { ...withNulls({ user, expiresAt: expiry }), renewable: refreshToken !== undefined };
}

export function credentialsPath({ folders }: Settings): string {
  return join(folders.config, 'credentials.json');
}

type LoginValues = Record<string, string | undefined>;

/**
 * Imports the login, project and region of the official client into the profile in use, without any request. Throws
 * UsageError if its file cannot be read, AuthError if it has no valid token.
 */
export async function importLogin(context: Context, given: string | true) {
  const { settings, progress, now } = context;
  checkAddresses(context);
  const from = resolveFile(context, given);
  const content = from === stdinName ? await context.readStdin() : String(await readNamedFile(context, from));
  const values = await parseValues(from, content);
  context.secrets.add(values.serviceaccounttoken, values.accesstoken, values.refreshtoken);
  const { keys, tokens } = findValidTokens(values, now()) ?? throwNoToken(from, values, now());
  await storeTokens(context, tokens);
  const project = values.project ?? parseClaims(tokens.token).project;
  const region = values.defaultregion;
  await storeSettings(settings, settings.profile.value, { project, ...defined({ region }) });
  const taken = [...keys, ...['project', 'defaultregion'].filter((key) => values[key] !== undefined)];
  const left = Object.keys(values).filter((key) => !taken.includes(key));
  const unchanged = from === stdinName ? '' : `; ${from} is unchanged`;
  progress.note(`imported: ${taken.join(', ')}; skipped: ${left.join(', ') || 'nothing'}${unchanged}`);
  return {
    ...describeLogin(settings, tokens, project ?? null),
    region: region ?? null,
    from,
    imported: taken,
    skipped: left,
  };
}

const stdinName = 'stdin';

function resolveFile({ cwd, env }: Context, given: string | true): string {
  if (given === '-') return stdinName;
  if (given !== true) return resolve(cwd, given);
  return officialConfigFile(env);
}

/** The official client would send the token to these addresses. gantry would not, unless they are stored as well. */
function checkAddresses({ env, settings }: Context): void {
  const [name] = (['REST_API_URL', 'LOGSTREAM_URL'] as const).filter((variable) => readVariable(env, variable));
  if (!name || settings.addresses.management.origin !== 'default') return;
  throw new UsageError(`${name} is set: the login may belong to that address`, {
    why: 'gantry would send the imported token to the default address',
    fix: sentence`unset ${name}, or store the address too: ${gantryCommand`config set api-url URL`}`,
  });
}

/** The values by lower-case key: the official client reads keys in any case. */
async function parseValues(file: string, content: string): Promise<LoginValues> {
  const { loadAll, YAMLException } = await import('js-yaml');
  let document: unknown;
  try {
    [document] = loadAll(content);
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw cause;
    // Its message shows lines of the file, and they may be tokens.
    throw new UsageError(`${file} is not valid YAML`, { fix: gantryCommand`login` });
  }
  const entries = Object.entries(Object(document) as Record<string, unknown>);
  return Object.fromEntries(
    entries.map(([key, value]) => [key.toLowerCase(), String(value ?? '').trim() || undefined] as const),
  );
}

/** The first valid one counts. A service account's token takes precedence, as in the official client. */
const tokenKeys = [['serviceaccounttoken'], ['accesstoken', 'refreshtoken'], ['accesstoken']];

function findValidTokens(values: LoginValues, now: number): { keys: string[]; tokens: StoredTokens } | undefined {
  const complete = tokenKeys.filter((keys) => keys.every((key) => values[key] !== undefined));
  const logins = complete.map((keys) => {
    const [token = '', refreshToken] = keys.map((key) => values[key]);
    return { keys, tokens: { token, ...defined({ refreshToken }) } };
  });
  return logins.find(({ tokens }) => !findTokenProblem(tokens, now));
}

function throwNoToken(file: string, { serviceaccounttoken, accesstoken }: LoginValues, now: number): never {
  const token = serviceaccounttoken ?? accesstoken;
  const problem = token === undefined ? undefined : findTokenProblem({ token }, now);
  const why = problem ? `the token in it ${problem.why ?? 'has expired'}` : 'the file has no token';
  throw new AuthError(`no valid token in ${file}: nothing was stored`, { why, fix: gantryCommand`login` });
}
