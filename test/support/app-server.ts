import type { IncomingMessage, ServerResponse } from 'node:http';
import { serving } from './listening.ts';

/** A request as it came in. */
export interface Seen {
  method: string;
  /** With its query. */
  path: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

type Answering = (response: ServerResponse, seen: Seen, request: IncomingMessage) => unknown;

/**
 * The platform's front door, with an app behind it that answers like this: for all that the emulator does not do. Ends
 * with its test.
 */
export async function appServer(answering: Answering) {
  const seen: Seen[] = [];
  const url = await serving(async (request, response) => {
    const pieces: Buffer[] = [];
    try {
      for await (const piece of request) pieces.push(piece);
    } catch {
      return;
    }
    const { method = '', url: path = '', headers } = request;
    const one = { method, path, headers, body: Buffer.concat(pieces) };
    seen.push(one);
    await answering(response, one, request);
  });
  const env = {
    GANTRY_API_URL: url,
    GANTRY_INFERENCE_URL: url,
    GANTRY_TOKEN: 'token-of-a-test',
    GANTRY_PROJECT: 'p-12345678',
  };
  return { url, seen, env };
}

/** Answers with JSON. */
export function sayJson(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
