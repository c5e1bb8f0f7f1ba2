import { createHmac } from 'node:crypto';
import { decodeIfValid } from '../../platform/contract/address.ts';
import { equalsInConstantTime } from '../http/owner-check.ts';
import type { Store } from './state/store.ts';

type Keys = Pick<Store, 'key'>;

/** `/projects/{project}`, below it `/apps/{app}[/builds/{build}|/runs/{run}]`, or `/calls[/{run}]`. */
export const dashboardPath = '/projects/';

/** What a page shows. With `calls`, it is what is sent to apps: the last calls of a project, or one of them. */
export interface DashboardPlace {
  project: string;
  calls?: boolean;
  app?: string | undefined;
  build?: string | undefined;
  run?: string | undefined;
}

export function dashboardAddress(url: string, place: DashboardPlace, store: Keys): string {
  const { project, calls, app, build, run } = place;
  const below = calls ? ['calls', run] : [app && 'apps', app, build && 'builds', build, run && 'runs', run];
  const path = [project, ...below].flatMap((name) => (name === undefined ? [] : encodeURIComponent(name))).join('/');
  return `${url}${dashboardPath}${path}?${keyName(place)}=${keyOf(place, store)}`;
}

/** Undefined unless it is the URL of a page. */
export function parseDashboardPath(pathname: string): DashboardPlace | undefined {
  const { project, app, calls, call, build, run = call } = dashboardPattern.exec(pathname)?.groups ?? {};
  if (project === undefined) return undefined;
  const decoded = (text?: string) => text && decodeIfValid(text);
  const names = { app: decoded(app), build: decoded(build), run: decoded(run) };
  return { project: decodeIfValid(project), calls: calls !== undefined, ...names };
}

const dashboardPattern =
  /^\/projects\/(?<project>[^/]+)(?:\/(?<calls>calls)(?:\/(?<call>[^/]+))?|\/apps\/(?<app>[^/]+)(?:\/builds\/(?<build>[^/]+)|\/runs\/(?<run>[^/]+))?)?\/?$/;

/**
 * Every local user can reach the port, so an address without the key shows nothing; a cookie would be sent to every other
 * port of this machine, too.
 */
export function hasKey(url: URL, place: DashboardPlace, store: Keys): boolean {
  return equalsInConstantTime(url.searchParams.get(keyName(place)) ?? '', keyOf(place, store));
}

function keyName({ calls }: DashboardPlace): 'calls' | 'view' {
  return calls ? 'calls' : 'view';
}

/** New at each start, as every secret of the emulator. It is not a token, and cannot approve a login. */
function keyOf(place: DashboardPlace, { key }: Keys): string {
  const permission = `${keyName(place)} ${place.project}`;
  return createHmac('sha256', key).update(permission).digest('base64url').slice(0, 32);
}
