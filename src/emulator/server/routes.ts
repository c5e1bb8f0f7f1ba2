import { type Endpoint, splitRoute } from '../../platform/contract/endpoint.ts';
import { type EndpointName, endpoints } from '../../platform/contract/index.ts';
import { sessionHandlers } from '../endpoints/account/session.ts';
import { appHandlers } from '../endpoints/apps/handlers.ts';
import { billingHandlers } from '../endpoints/billing.ts';
import { buildHandlers } from '../endpoints/builds/handlers.ts';
import { invocationHandlers } from '../endpoints/invocation/handlers.ts';
import { appLogHandlers } from '../endpoints/logs/handlers.ts';
import { metricsHandlers } from '../endpoints/metrics.ts';
import { runOnceHandlers } from '../endpoints/one-off-runs/handlers.ts';
import type { Handlers, RawHandler } from '../endpoints/platform.ts';
import { runHandlers } from '../endpoints/runs/handlers.ts';
import { serviceStatusHandlers } from '../endpoints/service-status.ts';
import { getObject, putArchive, putPart } from '../endpoints/storage.ts';
import { teamHandlers } from '../endpoints/team.ts';
import { volumeHandlers } from '../endpoints/volumes/handlers.ts';
import type { StorageTarget } from '../http/read-request.ts';

export const endpointHandlers: Handlers = {
  ...sessionHandlers,
  ...appHandlers,
  ...buildHandlers,
  ...runHandlers,
  ...invocationHandlers,
  ...appLogHandlers,
  ...runOnceHandlers,
  ...metricsHandlers,
  ...teamHandlers,
  ...billingHandlers,
  ...volumeHandlers,
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
  for (const { name, method: own, pattern } of patterns) {
    const match = own === method && pattern.exec(path);
    if (match) return { name, path: { ...match.groups } };
  }
  return undefined;
}

const parametersOf = ({ route }: Endpoint) => route.split('{').length;
/** `runs/charts` is no `runs/{run}`. */
const mostExactFirst = Object.entries<Endpoint>(endpoints).sort(([, a], [, b]) => parametersOf(a) - parametersOf(b));

/** Routes as regular expressions with a named group for each parameter. */
const patterns = mostExactFirst.map(([name, { route }]) => {
  const { method, path } = splitRoute(route);
  const groups = path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  return { name: name as EndpointName, method, pattern: new RegExp(`^${groups}$`) };
});
