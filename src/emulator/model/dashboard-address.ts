import { createHmac } from 'node:crypto';
import { decodeIfValid } from '../../platform/contract/address.ts';
import { equalsInConstantTime } from '../http/owner-check.ts';
import type { Store } from './state/store.ts';

type Keys = Pick<Store, 'key'>;

/** `/projects/{project}`, and below it `/apps/{app}[/builds/{build}|/runs/{run}]`. */
export const dashboardPath = '/projects/';

/** What a page shows. */
export interface DashboardPlace {
  project: string;
  app?: string | undefined;
  build?: string | undefined;
  run?: string | undefined;
}

export function dashboardAddress(url: string, place: DashboardPlace, store: Keys): string {
  const { project, app, build, run } = place;
  const names = [project, app && 'apps', app, build && 'builds', build, run && 'runs', run];
  const path = names.flatMap((name) => (name === undefined ? [] : encodeURIComponent(name))).join('/');
  return `${url}${dashboardPath}${path}?view=${keyOf(place, store)}`;
}

/** Undefined unless it is the URL of a page. */
export function parseDashboardPath(pathname: string): DashboardPlace | undefined {
  const { project, app, build, run } = dashboardPattern.exec(pathname)?.groups ?? {};
  if (project === undefined) return undefined;
  const decoded = (text?: string) => text && decodeIfValid(text);
  return { project: decodeIfValid(project), app: decoded(app), build: decoded(build), run: decoded(run) };
}

const dashboardPattern =
  /^\/projects\/(?<project>[^/]+)(?:\/apps\/(?<app>[^/]+)(?:\/builds\/(?<build>[^/]+)|\/runs\/(?<run>[^/]+))?)?\/?$/;

/**
 * Every local user can reach the port, so an address without the key shows nothing; a cookie would be sent to every other
 * port of this machine, too.
 */
export function hasKey(url: URL, place: DashboardPlace, store: Keys): boolean {
  return equalsInConstantTime(url.searchParams.get('view') ?? '', keyOf(place, store));
}

/** New at each start, as every secret of the emulator. It is not a token, and cannot approve a login. */
function keyOf({ project }: DashboardPlace, { key }: Keys): string {
  return createHmac('sha256', key).update(`view ${project}`).digest('base64url').slice(0, 32);
}
