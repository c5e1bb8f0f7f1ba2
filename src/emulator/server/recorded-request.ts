import type { IncomingMessage } from 'node:http';
import type { EndpointName } from '../../contract/index.ts';
import type { StorageTarget } from '../storage/target.ts';

/** A request that came in, for tests to look at. It holds neither token nor signature. */
export interface RecordedRequest {
  /** Counts from 1. The answer carries it as `x-request-id: req-<number>`. */
  number: number;
  method: string;
  /** Without the query. */
  path: string;
  query: Record<string, string>;
  /** What it was for; undefined when there is no such route. */
  endpoint: EndpointName | StorageTarget | 'log-socket' | undefined;
  hasAuthorization: boolean;
  headers: Record<string, string>;
  /** The JSON that came with it, once it is read. */
  body?: unknown;
  /** What was answered; missing as long as nothing is, and for ever when a fault cut the line. */
  status?: number;
}

/** Notes a request. Of an emulator that runs for days only the latest calls are kept. */
export function recordRequest(
  calls: RecordedRequest[],
  request: IncomingMessage,
  url: URL,
  endpoint: RecordedRequest['endpoint'],
): RecordedRequest {
  const { authorization, ...headers } = request.headers;
  if (headers['x-webhook-secret']) headers['x-webhook-secret'] = '(hidden)';
  const { 'X-Amz-Signature': _, ...query } = Object.fromEntries(url.searchParams);
  if (endpoint === 'log-socket') delete query.token;
  const call = {
    number: (calls.at(-1)?.number ?? 0) + 1,
    ...{ method: request.method ?? '', path: url.pathname, query, endpoint },
    hasAuthorization: authorization !== undefined,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  };
  calls.push(call);
  if (calls.length > maxRecorded) calls.shift();
  return call;
}

const maxRecorded = 10_000;
