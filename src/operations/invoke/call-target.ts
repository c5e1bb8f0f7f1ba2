import type { Context } from '../../context.ts';
import { fillPath, splitRoute, toAppName } from '../../contract/endpoint.ts';
import { invoke } from '../../contract/invocation.ts';
import { UsageError } from '../../errors.ts';

/** What is called. */
export interface CallTarget {
  project: string;
  /** Name of the app. */
  app: string;
  /** In the user's words: `web/run`. */
  name: string;
  /** Without the query of ours. */
  url: URL;
}

/**
 * The address of an app's function, `run` by default, or of any path below it for the user's own server. Throws
 * UsageError for a path outside of the app.
 */
export function resolveCallTarget(
  { project, settings }: Pick<Context, 'project' | 'settings'>,
  { app: given, fn, path = '' }: { app: string; fn?: string | undefined; path?: string | undefined },
): CallTarget {
  const app = toAppName(project, given);
  const place = fn ?? (path === '' ? 'run' : '');
  const route = splitRoute(invoke.route).path;
  const root = fillPath(route, { project, name: app, function: '' });
  if (path !== '' && !/^[/?]/.test(path)) throw new UsageError(`"${path}" is no path`, { fix: `--path /${path}` });
  const below = place === '' ? path.replace(/^\//, '') : encodeURIComponent(place) + path;
  const url = new URL(settings.addresses.invocation.value + root + below);
  if (!url.pathname.startsWith(new URL(settings.addresses.invocation.value + root).pathname)) {
    throw new UsageError(`"${path}" leads out of the app`);
  }
  return { project, app, name: `${app}/${below.replace(/\?.*$/, '') || ''}`.replace(/\/$/, ''), url };
}
