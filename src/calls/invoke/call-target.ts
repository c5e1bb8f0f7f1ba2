import { UsageError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { fillPath, shortAppName, splitRoute, toPathSegment } from '../../platform/contract/endpoint.ts';
import { invoke } from '../../platform/contract/invocation.ts';

/** The function or path that is called. */
export interface CallTarget {
  project: string;
  app: string;
  /** The function, if one is called. */
  fn: string | undefined;
  /** As shown to the user: `web/run`. */
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
function checkInvocationAddress({
  addresses: { invocation, management },
}: Pick<Context, 'settings'>['settings']): void {
  if (invocation.origin !== 'default' || !management.origin.includes('REST_API_URL')) return;
  throw new UsageError('the URL for calling apps is not known', {
    why: 'REST_API_URL is the URL of the management API only',
    fix: 'set GANTRY_INFERENCE_URL to the URL that apps are called at',
  });
}
