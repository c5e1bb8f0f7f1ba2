import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { gantryCommand } from '../../command-line.ts';
import { parseClaims, type StoredTokens } from '../../config/credentials.ts';
import { readVariable } from '../../config/environment.ts';
import { storeSettings } from '../../config/stored-files.ts';
import type { Context } from '../../context.ts';
import { readFileOrPipe } from '../../disk/index.ts';
import { AuthError, GantryError, UsageError } from '../../errors.ts';
import { describeLogin, type Login, profileInUse, storeTokens } from './stored-login.ts';

export interface ImportedLogin extends Login {
  region: string | null;
  /** The file that was read. It is left as it was. */
  from: string;
  /** Keys of that file whose values were taken, and those whose were not. */
  taken: string[];
  left: string[];
}

type Values = Record<string, string | undefined>;

/**
 * Copies the login, project and region of the official client into the current profile, without a call to the server.
 * Throws UsageError when its file cannot be read, AuthError when it has no valid token.
 */
export async function importLogin(context: Context, given: string | true): Promise<ImportedLogin> {
  const { settings, progress, now } = context;
  const from = resolveFile(context, given);
  const values = await readValues(from, context.signal);
  context.secrets.add(values.serviceaccounttoken, values.accesstoken, values.refreshtoken);
  const tokenKeys = findValidTokenKeys(values, now()) ?? throwNoToken(from, values);
  await warnIfReadableByOthers(context, from);
  const tokens = pickTokens(values, tokenKeys);
  await storeTokens(context, tokens);
  const project = values.project ?? parseClaims(tokens.token).project;
  const region = values.defaultregion;
  await storeSettings(settings, profileInUse(settings), { project, ...(region === undefined ? {} : { region }) });
  const taken = [...tokenKeys, ...['project', 'defaultregion'].filter((key) => values[key] !== undefined)];
  const left = Object.keys(values).filter((key) => !taken.includes(key));
  progress.note(`taken: ${taken.join(', ')}; not taken: ${left.join(', ') || 'nothing'}; ${from} is left as it is`);
  return { ...describeLogin(settings, tokens, project ?? null), region: region ?? null, from, taken, left };
}

function resolveFile({ cwd, env }: Context, given: string | true): string {
  if (given !== true) return resolve(cwd, given);
  const home = readVariable(env, 'HOME') ?? readVariable(env, 'USERPROFILE') ?? '/';
  return readVariable(env, 'CEREBRIUM_CONFIG_PATH') ?? join(home, '.cerebrium', 'config.yaml');
}

/** The file's texts by key; the official client writes keys in lower case, and reads them in any. */
async function readValues(file: string, signal: AbortSignal): Promise<Values> {
  const content = await readFileOrPipe(file, signal).catch((cause) => {
    if (cause instanceof GantryError) throw cause;
    throw new UsageError(`${file} cannot be read`, {
      ...{ why: cause.message, fix: 'gantry login --import FILE, or just gantry login', cause },
    });
  });
  const { parseDocument } = await import('yaml');
  const document = parseDocument(String(content));
  if (document.errors.length > 0) throw new UsageError(`${file} is not valid YAML`, { fix: gantryCommand`login` });
  const entries = Object.entries(Object(document.toJS()) as Record<string, unknown>);
  return Object.fromEntries(
    entries.map(([key, value]) => [key.toLowerCase(), String(value ?? '').trim() || undefined] as const),
  );
}

/** The keys of the first token that is good: a service account's comes first, as with the official client. */
function findValidTokenKeys(values: Values, now: number): string[] | undefined {
  const isGood = (token: string | undefined) => token !== undefined && (parseClaims(token).expiresAt ?? now + 1) > now;
  if (isGood(values.serviceaccounttoken)) return ['serviceaccounttoken'];
  if (values.accesstoken && values.refreshtoken) return ['accesstoken', 'refreshtoken'];
  return isGood(values.accesstoken) ? ['accesstoken'] : undefined;
}

function pickTokens(values: Values, keys: string[]): StoredTokens {
  const { serviceaccounttoken, accesstoken = '', refreshtoken } = values;
  if (keys.includes('serviceaccounttoken')) return { token: serviceaccounttoken ?? '' };
  return { token: accesstoken, ...(refreshtoken !== undefined && { refreshToken: refreshtoken }) };
}

function throwNoToken(file: string, { serviceaccounttoken, accesstoken }: Values): never {
  const found = serviceaccounttoken ?? accesstoken;
  const why = found === undefined ? 'it holds none' : 'the one in it has expired';
  throw new AuthError(`no token to take from ${file}: nothing was stored`, { why, fix: gantryCommand`login` });
}

async function warnIfReadableByOthers({ progress }: Context, file: string): Promise<void> {
  const { mode } = await stat(file);
  if (process.platform === 'win32' || !(mode & 0o077)) return;
  progress.warn(`${file} can be read by others on this machine: chmod 600 it, or remove it once it is not needed`);
}
