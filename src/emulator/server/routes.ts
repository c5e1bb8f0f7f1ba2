import { type Endpoint, splitRoute } from '../../contract/endpoint.ts';
import { type EndpointName, endpoints } from '../../contract/index.ts';
import { projects } from '../account/projects.ts';
import { session } from '../account/session.ts';
import { containers } from '../apps/containers.ts';
import { apps } from '../apps/handlers.ts';
import { secrets } from '../apps/secrets.ts';
import { costs } from '../billing/costs.ts';
import { plan } from '../billing/plan.ts';
import { builds } from '../builds/handlers.ts';
import { invocation } from '../invocation/handlers.ts';
import { appLogs } from '../logs/handlers.ts';
import type { FreeHandler, Handlers } from '../platform.ts';
import { runApp } from '../run/handlers.ts';
import { runs } from '../runs/handlers.ts';
import { metrics } from '../runs/startup-times.ts';
import { serviceStatus } from '../service-status.ts';
import { sendObject } from '../storage/get-object.ts';
import { receiveUpload } from '../storage/put-archive.ts';
import { receivePart } from '../storage/put-part.ts';
import type { StorageTarget } from '../storage/target.ts';
import { apiKeys } from '../team/api-keys.ts';
import { serviceAccounts } from '../team/service-accounts.ts';
import { users } from '../team/users.ts';
import { volumes } from '../volumes/handlers.ts';

/** Everything the management API answers. */
export const handlers: Handlers = {
  ...session,
  ...projects,
  ...apps,
  ...builds,
  ...runs,
  ...invocation,
  ...appLogs,
  ...runApp,
  ...metrics,
  ...containers,
  ...apiKeys,
  ...users,
  ...serviceAccounts,
  ...plan,
  ...volumes,
  ...costs,
  ...secrets,
  ...serviceStatus,
};

/** Everything object storage answers. */
export const storageHandlers: Record<StorageTarget, FreeHandler> = {
  upload: receiveUpload,
  part: receivePart,
  object: sendObject,
};

/** The endpoint a request is for, and what its path says. */
export interface Match {
  name: EndpointName;
  /** Path parameters by name, still encoded. */
  path: Record<string, string>;
}

/** Finds the endpoint of a request; undefined when there is none. */
export function match(method: string, path: string): Match | undefined {
  // Below an app everything is the app's, whatever the method.
  if (path.startsWith('/v4/')) return { name: 'invoke', path: {} };
  for (const { name, pattern } of patterns) {
    const found = pattern.exec(`${method} ${path}`);
    if (found) return { name, path: { ...found.groups } };
  }
  return undefined;
}

/** `GET /v2/projects/{project}` as an expression with a group for each parameter. */
const patterns = Object.entries<Endpoint>(endpoints).map(([name, { route }]) => {
  const { method, path } = splitRoute(route);
  const groups = path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  return { name: name as EndpointName, pattern: new RegExp(`^${method} ${groups}$`) };
});
