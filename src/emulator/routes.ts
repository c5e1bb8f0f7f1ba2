import { type Endpoint, splitRoute } from '../contract/endpoint.ts';
import { type EndpointName, endpoints } from '../contract/index.ts';
import { apiKeys } from './api-keys.ts';
import { appLogs } from './app-logs.ts';
import { apps } from './apps.ts';
import { builds } from './builds.ts';
import { containers } from './containers.ts';
import { costs } from './costs.ts';
import { invocation } from './invocation.ts';
import { metrics } from './metrics.ts';
import { plan } from './plan.ts';
import type { Handlers } from './platform.ts';
import { projects } from './projects.ts';
import { runApp } from './run-app.ts';
import { runs } from './runs.ts';
import { secrets } from './secrets.ts';
import { serviceAccounts } from './service-accounts.ts';
import { session } from './session.ts';
import { serviceStatus } from './status.ts';
import { users } from './users.ts';
import { volumes } from './volumes.ts';

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
