import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

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
  const server = createServer(async (request, response) => {
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
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close().closeAllConnections());
  await new Promise((done) => server.once('listening', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
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
