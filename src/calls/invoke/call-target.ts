import { sentence } from '../../kernel/command-line.ts';
import { readVariable } from '../../kernel/environment.ts';
import { AuthError, UsageError } from '../../kernel/errors.ts';
import { version } from '../../kernel/version.ts';
import { findTokenProblem } from '../../platform/config/credentials.ts';
import type { Context } from '../../platform/context.ts';
import { isLoopbackHost } from '../../platform/contract/address.ts';
import { fillPath, shortAppName, splitRoute, toPathSegment } from '../../platform/contract/endpoint.ts';
import { invoke, sendersHeaders } from '../../platform/contract/invocation.ts';

export interface CallTarget {
  project: string;
  app: string;
  fn: string | undefined;
  /** The name that is shown: `web/run`. */
  name: string;
  /** Without the query parameters that gantry adds. */
  url: URL;
}

/**
 * Resolves the URL of an app's function (`run` by default), or of a path below the app for apps that run their own
 * server. Throws UsageError for a path outside the app.
 */
export function resolveCallTarget(
  { project, settings }: Pick<Context, 'project' | 'settings'>,
  { app: nameOrId, fn, path = '' }: { app: string; fn?: string | undefined; path?: string | undefined },
): CallTarget {
  const app = shortAppName(project, nameOrId);
  const functionName = fn ?? (path === '' ? 'run' : '');
  const route = splitRoute(invoke.route).path.replace('{function}', '');
  checkInvocationAddress(settings);
  const root = settings.addresses.invocation.value + fillPath(route, { project, name: app });
  if (path !== '' && !/^[/?]/.test(path)) {
    throw new UsageError(`invalid --path "${path}": must begin with /`, { fix: `--path /${path}` });
  }
  const below = functionName === '' ? path.replace(/^\//, '') : toPathSegment(functionName, 'function') + path;
  const url = new URL(root + below);
  if (!url.pathname.startsWith(new URL(root).pathname)) {
    throw new UsageError(`invalid --path "${path}": outside the app`);
  }
  return {
    project,
    app,
    fn: functionName || undefined,
    name: `${app}/${below.replace(/\?.*$/, '') || ''}`.replace(/\/$/, ''),
    url,
  };
}

/** The official client has no variable for it, so its REST_API_URL says where an app is, but not where to call it. */
function checkInvocationAddress({ addresses: { invocation, management } }: Pick<Context, 'settings'>['settings']) {
  if (invocation.origin !== 'default' || !management.origin.includes('REST_API_URL')) return;
  throw new UsageError('the URL for calling apps is not known', {
    why: 'REST_API_URL is the URL of the management API only',
    fix: 'set GANTRY_INFERENCE_URL to the URL that apps are called at',
  });
}

/** Headers by lower-case name. */
export type CallHeaders = Record<string, string>;

/** Parses `Name: value` lines. Throws UsageError, without the value: it may be a secret. */
export function parseHeaders(lines: readonly string[]): CallHeaders {
  return Object.fromEntries(
    lines.map((line, index) => {
      const [, name, text = ''] = /^([!#$%&'*+.^_`|~\w-]+):(.*)$/s.exec(line) ?? [];
      const value = text.replace(/^[ \t]+/, '').replace(/(?<![ \t])[ \t]+$/, '');
      if (!name || /[^\t\x20-\x7e\x80-\xff]/.test(value)) {
        throw new UsageError(`invalid --header (number ${index + 1}): expected "Name: value"`, {
          fix: "--header 'Name: value'",
        });
      }
      if (sendersHeaders.has(name.toLowerCase())) throw new UsageError(`--header cannot set ${name}`);
      return [name.toLowerCase(), value];
    }),
  );
}

/** Headers of every call, unless `--header` sets them. */
export function defaultHeaders(type: string | undefined): CallHeaders {
  return {
    'user-agent': `gantry/${version}`,
    accept: '*/*',
    'accept-encoding': 'identity',
    ...(type ? { 'content-type': type } : {}),
  };
}

export interface CallAuth {
  headers: CallHeaders;
  kind: 'header' | 'none' | 'inference key' | 'login' | 'service-account';
}

/**
 * Resolves the authorization of a call: the `Authorization` header given, else the project's key from the environment,
 * else the token. Sends it even to apps that may not need it, unless `isWanted` is false. Throws AuthError, UsageError.
 */
export function resolveCallAuth(
  context: Pick<Context, 'env' | 'credentialFor' | 'now'>,
  given: CallHeaders,
  isWanted: boolean,
): CallAuth {
  if (given.authorization !== undefined) return { headers: {}, kind: 'header' };
  if (!isWanted) return { headers: {}, kind: 'none' };
  const key = readVariable(context.env, 'GANTRY_INFERENCE_KEY')?.trim();
  if (key === undefined) {
    const { token, kind } = readCredential(context);
    return { headers: { authorization: `Bearer ${token}` }, kind };
  }
  const problem = findTokenProblem({ token: key }, context.now());
  if (!problem) return { headers: { authorization: `Bearer ${key}` }, kind: 'inference key' };
  throw new AuthError('GANTRY_INFERENCE_KEY is not a valid key', { why: `it ${problem.why ?? 'has expired'}` });
}

function readCredential(context: Pick<Context, 'credentialFor'>): Context['credential'] {
  try {
    return context.credentialFor('invocation');
  } catch (error) {
    if (error instanceof AuthError)
      error.facts.fix = sentence`${error.facts.fix ?? ''}; for an app with disable_auth, pass --no-auth`;
    throw error;
  }
}

/** Whether the platform is on this machine: it reaches what listens here. */
export function platformIsHere({ settings }: Pick<Context, 'settings'>): boolean {
  return isLoopbackHost(new URL(settings.addresses.management.value));
}
