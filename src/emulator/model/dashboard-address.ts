import { createHmac } from 'node:crypto';
import { equalsInConstantTime } from '../http/owner-check.ts';
import type { Store } from './state/store.ts';

/** The pages of a project: `/projects/{project}[/apps/{app}[/builds/{build}|/runs/{run}]]`. */
export const dashboardPath = '/projects/';

export interface DashboardPlace {
  project: string;
  app?: string | undefined;
  build?: string | undefined;
  run?: string | undefined;
}

/**
 * The address of a page, with a key that lets its holder see the project and nothing else. Every local user can reach the
 * port, so an address without the key shows nothing; a cookie would be sent to every other port of this machine, too.
 */
export function dashboardAddress(
  url: string,
  { project, app, build, run }: DashboardPlace,
  store: Pick<Store, 'key'>,
): string {
  const names = [
    project,
    ...(app === undefined ? [] : ['apps', app]),
    ...(build === undefined ? [] : ['builds', build]),
    ...(run === undefined ? [] : ['runs', run]),
  ];
  return `${url}${dashboardPath}${names.map(encodeURIComponent).join('/')}?${keyParameter}=${viewKey(project, store)}`;
}

/** Undefined unless it is the URL of a page. */
export function parseDashboardPath(pathname: string): DashboardPlace | undefined {
  const groups = dashboardPattern.exec(pathname)?.groups;
  if (!groups) return undefined;
  const { project = '', app, build, run } = groups;
  try {
    return {
      project: decodeURIComponent(project),
      app: app && decodeURIComponent(app),
      build: build && decodeURIComponent(build),
      run: run && decodeURIComponent(run),
    };
  } catch {
    return undefined;
  }
}

const dashboardPattern =
  /^\/projects\/(?<project>[^/]+)(?:\/apps\/(?<app>[^/]+)(?:\/builds\/(?<build>[^/]+)|\/runs\/(?<run>[^/]+))?)?\/?$/;

export function hasViewKey(url: URL, project: string, store: Pick<Store, 'key'>): boolean {
  return equalsInConstantTime(url.searchParams.get(keyParameter) ?? '', viewKey(project, store));
}

export const keyParameter = 'view';

/** New at each start, as every secret of the emulator. It is not a token, and cannot approve a login. */
function viewKey(project: string, { key }: Pick<Store, 'key'>): string {
  return createHmac('sha256', key).update(`view ${project}`).digest('base64url').slice(0, 32);
}

/** What a page of calls shows: the last ones of a project, or one of them. */
export interface CallsPlace {
  project: string;
  run?: string | undefined;
  /** Where a call is sent again from its page. */
  isSent?: boolean | undefined;
}

/** The address of a page of calls. Its key lets its holder see what is sent to apps, and send it again. */
export function callsAddress(url: string, { project, run, isSent }: CallsPlace, store: Pick<Store, 'key'>): string {
  const names = [project, 'calls', ...(run === undefined ? [] : [run]), ...(isSent ? ['send'] : [])];
  return `${url}${dashboardPath}${names.map(encodeURIComponent).join('/')}?${callsParameter}=${callsKey(project, store)}`;
}

/** Undefined unless it is the URL of a page of calls. */
export function parseCallsPath(pathname: string): CallsPlace | undefined {
  const groups = callsPattern.exec(pathname)?.groups;
  if (!groups) return undefined;
  const { project = '', run, send } = groups;
  return { project, run, isSent: send !== undefined };
}

/** Ids of projects and runs have nothing to decode. */
const callsPattern = /^\/projects\/(?<project>[\w-]+)\/calls(?:\/(?<run>[\w-]+)(?<send>\/send)?)?\/?$/;

export function hasCallsKey(url: URL, project: string, store: Pick<Store, 'key'>): boolean {
  return equalsInConstantTime(url.searchParams.get(callsParameter) ?? '', callsKey(project, store));
}

const callsParameter = 'calls';

function callsKey(project: string, { key }: Pick<Store, 'key'>): string {
  return createHmac('sha256', key).update(`calls ${project}`).digest('base64url').slice(0, 32);
}
