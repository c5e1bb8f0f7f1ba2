import { createHmac } from 'node:crypto';
import { decodeIfValid } from '../../platform/contract/address.ts';
import { equalsInConstantTime } from '../http/owner-check.ts';
import type { Store } from './state/store.ts';

type Keys = Pick<Store, 'key'>;

/**
 * What the key in the address of a page lets its holder see: the project, or what is sent to apps.
 * Every local user can reach the port, so an address without the key shows nothing; a cookie would be sent to every other
 * port of this machine, too.
 */
type Permission = 'view' | 'calls';

/** The pages of a project: `/projects/{project}[/apps/{app}[/builds/{build}|/runs/{run}]]`. */
export const dashboardPath = '/projects/';

export interface DashboardPlace {
  project: string;
  app?: string | undefined;
  build?: string | undefined;
  run?: string | undefined;
}

export function dashboardAddress(url: string, { project, app, build, run }: DashboardPlace, store: Keys): string {
  const below = Object.entries({ apps: app, builds: build, runs: run });
  const names = below.flatMap(([word, id]) => (id === undefined ? [] : [word, id]));
  return pageAddress(url, 'view', [project, ...names], store);
}

/** Undefined unless it is the URL of a page. */
export function parseDashboardPath(pathname: string): DashboardPlace | undefined {
  const groups = dashboardPattern.exec(pathname)?.groups;
  if (!groups) return undefined;
  const { project = '', app, build, run } = groups;
  const decoded = (text?: string) => text && decodeIfValid(text);
  return { project: decodeIfValid(project), app: decoded(app), build: decoded(build), run: decoded(run) };
}

const dashboardPattern =
  /^\/projects\/(?<project>[^/]+)(?:\/apps\/(?<app>[^/]+)(?:\/builds\/(?<build>[^/]+)|\/runs\/(?<run>[^/]+))?)?\/?$/;

/** What a page of calls shows: the last ones of a project, or one of them. */
export interface CallsPlace {
  project: string;
  run?: string | undefined;
}

export function callsAddress(url: string, { project, run }: CallsPlace, store: Keys): string {
  return pageAddress(url, 'calls', [project, 'calls', ...(run ? [run] : [])], store);
}

/** Undefined unless it is the URL of a page of calls. */
export function parseCallsPath(pathname: string): CallsPlace | undefined {
  const { project, run } = callsPattern.exec(pathname)?.groups ?? {};
  return project === undefined ? undefined : { project, run };
}

/** Ids of projects and runs have nothing to decode. */
const callsPattern = /^\/projects\/(?<project>[\w-]+)\/calls(?:\/(?<run>[\w-]+))?\/?$/;

export function hasKey(url: URL, permission: Permission, project: string, store: Keys): boolean {
  return equalsInConstantTime(url.searchParams.get(permission) ?? '', keyOf(permission, project, store));
}

function pageAddress(url: string, permission: Permission, names: [project: string, ...string[]], store: Keys): string {
  const path = names.map(encodeURIComponent).join('/');
  return `${url}${dashboardPath}${path}?${permission}=${keyOf(permission, names[0], store)}`;
}

/** New at each start, as every secret of the emulator. It is not a token, and cannot approve a login. */
function keyOf(permission: Permission, project: string, { key }: Keys): string {
  return createHmac('sha256', key).update(`${permission} ${project}`).digest('base64url').slice(0, 32);
}
