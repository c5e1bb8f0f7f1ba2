import { type Endpoint, splitRoute } from '../../contract/endpoint.ts';
import { type EndpointName, endpoints } from '../../contract/index.ts';
import { projectHandlers } from '../account/projects.ts';
import { sessionHandlers } from '../account/session.ts';
import { containerHandlers } from '../apps/containers.ts';
import { appHandlers } from '../apps/handlers.ts';
import { secretHandlers } from '../apps/secrets.ts';
import { costHandlers } from '../billing/costs.ts';
import { planHandlers } from '../billing/plan.ts';
import { buildHandlers } from '../builds/handlers.ts';
import type { StorageTarget } from '../http/storage-target.ts';
import { invocationHandlers } from '../invocation/handlers.ts';
import { appLogHandlers } from '../logs/handlers.ts';
import { resourceMetricsHandlers } from '../metrics/resource-metrics.ts';
import { startupTimeHandlers } from '../metrics/startup-times.ts';
import { runOnceHandlers } from '../one-off-runs/handlers.ts';
import type { Handlers, RawHandler } from '../platform.ts';
import { runHandlers } from '../runs/handlers.ts';
import { serviceStatusHandlers } from '../service-status.ts';
import { getObject } from '../storage/get-object.ts';
import { putArchive } from '../storage/put-archive.ts';
import { putPart } from '../storage/put-part.ts';
import { apiKeyHandlers } from '../team/api-keys.ts';
import { serviceAccountHandlers } from '../team/service-accounts.ts';
import { userHandlers } from '../team/users.ts';
import { volumeHandlers } from '../volumes/handlers.ts';

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
