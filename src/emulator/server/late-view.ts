import { splitRoute } from '../../platform/contract/endpoint.ts';
import { type EndpointName, endpoints } from '../../platform/contract/index.ts';
import type { Platform } from '../endpoints/platform.ts';
import { refuse } from '../http/reply.ts';
import { Lateness } from '../model/lateness.ts';

const shownLate: readonly EndpointName[] = ['getAppLogs', 'getBuildLogs', 'listContainers', 'listRuns', 'getRunsChart'];

/**
 * The platform as a late reply shows it: lists and logs as they were some time ago. Refuses what names a record that is too
 * young: an app is not in the table of the authorizer yet, a build or a run not in the database. `faultMs`: of this request.
 */
export function lateView(platform: Platform, name: EndpointName, path: Record<string, string>, faultMs?: number) {
  const { store, now } = platform;
  const isShownLate = shownLate.includes(name);
  const late = faultMs === undefined ? platform.late : new Lateness(now, faultMs);
  const check = (kind: string, records: ReadonlyMap<string, { createdAt: number }>, status: number) => {
    const { ms, seenAt } = kind === Object.keys(path).at(-1) && !isShownLate ? late : platform.late;
    const { createdAt = 0 } = records.get(path[kind] ?? '') ?? {};
    if (ms > 0 && createdAt > seenAt()) refuse(status, `${kind} ${path[kind]} is not known`);
  };
  // The platform's own client changes what it has just created without a second try.
  if (faultMs === undefined && splitRoute(endpoints[name].route).method !== 'GET') return platform;
  check('app', store.apps, 403);
  check('build', store.builds, 404);
  check('run', store.runs, 404);
  return isShownLate && late.ms > 0 ? { ...platform, late, now: late.seenAt } : platform;
}
