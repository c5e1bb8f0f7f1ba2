import type { IncomingMessage } from 'node:http';
import type { EndpointName } from '../../platform/contract/index.ts';
import type { StorageTarget } from '../http/read-request.ts';

/** A received request, for tests. Tokens and signatures are removed. */
export interface RecordedRequest {
  /** Counts from 1. The reply has it as `x-request-id: req-<number>`. */
  number: number;
  method: string;
  /** Without the query. */
  path: string;
  query: Record<string, string>;
  /** Undefined for an unknown route. */
  endpoint: EndpointName | StorageTarget | 'log-socket' | undefined;
  hasAuthorization: boolean;
  headers: Record<string, string>;
  /** The JSON body, once it is read. */
  body?: unknown;
  /** The reply's status. Absent until there is a reply, and after a fault that reset the connection. */
  status?: number;
}

/** Adds a request to those so far, oldest first. Of very old ones the oldest is dropped: an emulator can run for days. */
export function recordRequest(
  calls: RecordedRequest[],
  request: IncomingMessage,
  url: URL,
  endpoint: RecordedRequest['endpoint'],
): RecordedRequest {
  const { authorization, ...headers } = request.headers;
  if (headers['x-webhook-secret']) headers['x-webhook-secret'] = '(hidden)';
  const { 'X-Amz-Signature': _, view: __, ...query } = Object.fromEntries(url.searchParams);
  if (endpoint === 'log-socket') delete query.token;
  const call = {
    number: (calls.at(-1)?.number ?? 0) + 1,
    method: request.method ?? '',
    path: url.pathname,
    query,
    endpoint,
    hasAuthorization: authorization !== undefined,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  };
  calls.push(call);
  if (calls.length > maxRecordedRequests) calls.shift();
  return call;
}

export const maxRecordedRequests = 10_000;
