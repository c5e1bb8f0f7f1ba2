import type { IncomingHttpHeaders } from 'node:http';
import { decodeIfValid } from '../../../platform/contract/address.ts';
import { isAppHost } from '../../http/origin.ts';
import { decodeSegment } from '../../http/read-request.ts';
import { refuse } from '../../http/reply.ts';
import type { AppRecord } from '../../model/state/records.ts';
import type { Platform } from '../platform.ts';

/** The app of `/v4/{project}/{name}/…`, and the rest of the path. */
export function findCalledApp({ pathname }: URL, { store }: Platform): { app: AppRecord; path: string[] } {
  const [first = '', second = '', ...rest] = pathname.split('/').slice(2);
  const [project, name] = [decodeSegment(first), decodeSegment(second)];
  const app = store.apps.get(`${project}-${name}`);
  if (app?.project !== project) refuse(404, `app ${name} not found in project ${project}`);
  // An app's own server may use escapes of another encoding than UTF-8.
  return { app, path: rest.map(decodeIfValid) };
}

/** The path and query that the app's own server gets: without the platform's parameters. */
export function pathBelowApp({ pathname, search, searchParams }: URL): string {
  const below = `/${pathname.split('/').slice(4).join('/')}`;
  if (!searchParams.has('async') && !searchParams.has('webhookEndpoint')) return below + search;
  const query = new URLSearchParams(searchParams);
  query.delete('async');
  query.delete('webhookEndpoint');
  return query.size > 0 ? `${below}?${query}` : below;
}

/**
 * A private app does not get the platform's token. At an origin of its own it gets that as `Host`; below a path, it is told
 * of the path, because what it calls `/` is not at the root.
 */
export function forwardedHeaders(app: AppRecord, { authorization, host, ...headers }: IncomingHttpHeaders) {
  const { 'x-forwarded-prefix': _, ...others } = headers;
  const place =
    host !== undefined && isAppHost(host)
      ? { host }
      : { 'x-forwarded-prefix': `/v4/${app.project}/${encodeURIComponent(app.name)}` };
  return { ...others, ...place, ...(app.settings.disableAuth && authorization && { authorization }) };
}
