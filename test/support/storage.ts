import type { IncomingMessage, ServerResponse } from 'node:http';
import { serving } from './listening.ts';

/** What a storage answers a GET of `/name`. `range` is what it asks for, `count` is 1 for its first request. */
export type StorageAnswer = (asked: {
  request: IncomingMessage;
  response: ServerResponse;
  range: { start: number; end: number } | undefined;
  count: number;
}) => void;

export interface Storage {
  env: Record<string, string>;
  requests: IncomingMessage['headers'][];
}

/** A platform whose default volume has one file, `name`, listed with so many bytes, on a storage that answers so. */
export async function storage(
  listed: { name: string; bytes: number | undefined },
  answer: StorageAnswer,
): Promise<Storage> {
  const requests: IncomingMessage['headers'][] = [];
  const url = await serving((request, response) => {
    const { pathname } = new URL(request.url ?? '', url);
    if (pathname.endsWith('/ls')) {
      const entry = { name: listed.name, is_folder: false, size_bytes: listed.bytes };
      json(response, [{ ...entry, last_modified: '2026-01-01T00:00:00Z' }]);
    } else if (pathname.endsWith('/download')) json(response, { url: `${url}/object` });
    else {
      requests.push(request.headers);
      const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
      const range = start === undefined ? undefined : { start: Number(start), end: Number(end) + 1 };
      answer({ request, response, range, count: requests.length });
    }
  });
  const env = { GANTRY_API_URL: url, GANTRY_TOKEN: 'token', GANTRY_PROJECT: 'p-1' };
  return { env, requests };
}

/** The answer of a truthful storage, with headers of its own. */
export function send(
  { response, range }: Pick<Parameters<StorageAnswer>[0], 'response' | 'range'>,
  content: Buffer,
  headers: Record<string, string> = {},
): void {
  const { start, end } = range ?? { start: 0, end: content.length };
  const part = content.subarray(start, end);
  const ranged = range && { 'content-range': `bytes ${start}-${end - 1}/${content.length}` };
  response.writeHead(range ? 206 : 200, { 'content-length': part.length, ...ranged, ...headers }).end(part);
}

function json(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
