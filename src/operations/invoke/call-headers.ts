import { readVariable } from '../../config/environment.ts';
import type { Context } from '../../context.ts';
import { AuthError, UsageError } from '../../errors.ts';
import { version } from '../../version.ts';

/** Names in lower case. */
export type CallHeaders = Record<string, string>;

/** Headers that are about the connection, or that we have to know better. */
const reservedHeaders = new Set([
  ...['connection', 'content-length', 'expect', 'host', 'keep-alive', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
]);

/** `Name: value`, as they were typed. Throws UsageError; a value is not repeated, it may be a secret. */
export function parseHeaders(lines: readonly string[]): CallHeaders {
  return Object.fromEntries(
    lines.map((line, index) => {
      const [, name, given = ''] = /^([!#$%&'*+.^_`|~\w-]+):(.*)$/s.exec(line) ?? [];
      const value = given.replace(/^[ \t]+/, '').replace(/(?<![ \t])[ \t]+$/, '');
      if (!name || /[^\t\x20-\x7e\x80-\xff]/.test(value)) {
        throw new UsageError(`--header number ${index + 1} is no header`, { fix: "--header 'Name: value'" });
      }
      if (reservedHeaders.has(name.toLowerCase())) throw new UsageError(`the header ${name} cannot be given`);
      return [name.toLowerCase(), value];
    }),
  );
}

/** What every call carries, unless it was given by hand. */
export function defaultHeaders(type: string | undefined): CallHeaders {
  return {
    'user-agent': `gantry/${version}`,
    accept: '*/*',
    'accept-encoding': 'identity',
    ...(type ? { 'content-type': type } : {}),
  };
}

/** By what a call is allowed. */
export interface CallAuth {
  headers: CallHeaders;
  kind: 'given by hand' | 'none' | 'inference key' | 'login' | 'service-account';
}

/**
 * The authorization header of a call: one set by the user, the key of the project from the environment, or else the
 * token (docs/platform.md#invocation). Whether the app needs it is unknown, so it is sent unless the user opts out.
 * Throws AuthError.
 */
export function resolveCallAuth(
  context: Pick<Context, 'env' | 'credential'>,
  given: CallHeaders,
  wanted: boolean,
): CallAuth {
  if (given.authorization !== undefined) return { headers: {}, kind: 'given by hand' };
  if (!wanted) return { headers: {}, kind: 'none' };
  const key = readVariable(context.env, 'GANTRY_INFERENCE_KEY')?.trim();
  if (key === undefined) {
    const { token, kind } = credentialOf(context);
    return { headers: { authorization: `Bearer ${token}` }, kind };
  }
  if (/^[!-~]+$/.test(key)) return { headers: { authorization: `Bearer ${key}` }, kind: 'inference key' };
  throw new AuthError('GANTRY_INFERENCE_KEY holds no key', { why: 'it has spaces, line ends or the like in it' });
}

function credentialOf(context: Pick<Context, 'credential'>): Context['credential'] {
  try {
    return context.credential;
  } catch (error) {
    if (error instanceof AuthError) error.facts.fix += '; an app with disable_auth needs none: --no-auth';
    throw error;
  }
}
