import type { EndpointName } from '../../contract/index.ts';
import type { Platform } from '../endpoints/platform.ts';
import { refuse } from '../http/reply.ts';

const logs: readonly EndpointName[] = ['getAppLogs', 'getBuildLogs'];
const shownLate: readonly EndpointName[] = [...logs, 'listContainers', 'listRuns', 'getRunsChart'];

/**
 * The platform as a late reply shows it: lists and logs as they were some time ago. Refuses what names a record that is too
 * young: an app is not in the table of the authorizer yet, a build or a run not in the database. `faultMs`: of this request.
 */
export function lateView(
  platform: Platform,
  name: EndpointName,
  path: Record<string, string>,
  faultMs: number | undefined,
): Platform {
  const { store, now, lateMs, lateLinesMs } = platform;
  const last = shownLate.includes(name) ? undefined : Object.keys(path).at(-1);
  const isTooYoung = (kind: string, records: ReadonlyMap<string, { createdAt: number }>) => {
    const ms = (kind === last ? faultMs : undefined) ?? lateMs;
    const createdAt = records.get(path[kind] ?? '')?.createdAt ?? Number.NEGATIVE_INFINITY;
    return ms > 0 && name !== 'createRunApp' && createdAt > now() - ms;
  };
  if (isTooYoung('app', store.apps)) refuse(403, `no access to app ${path.app}`);
  if (isTooYoung('build', store.builds)) refuse(404, `build ${path.build} not found`);
  if (isTooYoung('run', store.runs)) refuse(404, `run ${path.run} not found`);
  const shownMs = faultMs ?? (logs.includes(name) ? lateLinesMs : lateMs);
  if (shownMs === 0 || !shownLate.includes(name)) return platform;
  return { ...platform, lateLinesMs: shownMs, now: () => now() - shownMs };
}
