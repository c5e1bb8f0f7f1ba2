import { type Endpoint, splitRoute } from '../../contract/endpoint.ts';
import { type EndpointName, endpoints } from '../../contract/index.ts';
import { projectHandlers } from '../endpoints/account/projects.ts';
import { sessionHandlers } from '../endpoints/account/session.ts';
import { containerHandlers } from '../endpoints/apps/containers.ts';
import { appHandlers } from '../endpoints/apps/handlers.ts';
import { secretHandlers } from '../endpoints/apps/secrets.ts';
import { costHandlers } from '../endpoints/billing/costs.ts';
import { planHandlers } from '../endpoints/billing/plan.ts';
import { buildHandlers } from '../endpoints/builds/handlers.ts';
import { invocationHandlers } from '../endpoints/invocation/handlers.ts';
import { appLogHandlers } from '../endpoints/logs/handlers.ts';
import { resourceMetricsHandlers } from '../endpoints/metrics/resource-metrics.ts';
import { startupTimeHandlers } from '../endpoints/metrics/startup-times.ts';
import { runOnceHandlers } from '../endpoints/one-off-runs/handlers.ts';
import type { Handlers, RawHandler } from '../endpoints/platform.ts';
import { runHandlers } from '../endpoints/runs/handlers.ts';
import { serviceStatusHandlers } from '../endpoints/service-status.ts';
import { getObject } from '../endpoints/storage/get-object.ts';
import { putArchive } from '../endpoints/storage/put-archive.ts';
import { putPart } from '../endpoints/storage/put-part.ts';
import { apiKeyHandlers } from '../endpoints/team/api-keys.ts';
import { serviceAccountHandlers } from '../endpoints/team/service-accounts.ts';
import { userHandlers } from '../endpoints/team/users.ts';
import { volumeHandlers } from '../endpoints/volumes/handlers.ts';
import type { StorageTarget } from '../http/storage-target.ts';

/** The handlers of the management API. */
export const endpointHandlers: Handlers = {
  ...sessionHandlers,
  ...projectHandlers,
  ...appHandlers,
  ...buildHandlers,
  ...runHandlers,
  ...invocationHandlers,
  ...appLogHandlers,
  ...runOnceHandlers,
  ...startupTimeHandlers,
  ...resourceMetricsHandlers,
  ...containerHandlers,
  ...apiKeyHandlers,
  ...userHandlers,
  ...serviceAccountHandlers,
  ...planHandlers,
  ...volumeHandlers,
  ...costHandlers,
  ...secretHandlers,
  ...serviceStatusHandlers,
};

/** The handlers of object storage. Their only authorization is the signed URL. */
export const storageHandlers: Record<StorageTarget, RawHandler> = {
  upload: putArchive,
  part: putPart,
  object: getObject,
};

export interface RouteMatch {
  name: EndpointName;
  /** Path parameters by name, still encoded. */
  path: Record<string, string>;
}

/** The endpoint of a request; undefined for an unknown route. */
export function matchRoute(method: string, path: string): RouteMatch | undefined {
  // An app handles every method and path below its own.
  if (path.startsWith('/v4/')) return { name: 'invoke', path: {} };
  for (const { name, pattern } of patterns) {
    const match = pattern.exec(`${method} ${path}`);
    if (match) return { name, path: { ...match.groups } };
  }
  return undefined;
}

/** Routes as regular expressions with a named group for each parameter. */
const patterns = Object.entries<Endpoint>(endpoints).map(([name, { route }]) => {
  const { method, path } = splitRoute(route);
  const groups = path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  return { name: name as EndpointName, pattern: new RegExp(`^${method} ${groups}$`) };
});
