import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { Emulator } from '../../src/emulator/index.ts';
import { address } from './gantry.ts';

export interface Call {
  /** `POST /v2/projects/…`, without the query. */
  route: string;
  query: URLSearchParams;
  body: string;
}

export interface Answer {
  status?: number;
  type?: string;
  body: string;
}

/** What a call is answered with; nothing for the emulator's own answer, which `pass` gets. */
export type Answering = (call: Call, pass: () => Promise<Answer>) => Answer | undefined | Promise<Answer | undefined>;

/**
 * A platform that passes calls on to the emulator, unless it has another answer: for answers that are not true. Signed
 * links lead to the emulator itself. Gives the environment that leads to it.
 */
export async function inFrontOf(emulator: Emulator, answering: Answering): Promise<Record<string, string>> {
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', emulator.url);
    const body = await text(request);
    const call = { route: `${request.method} ${url.pathname}`, query: url.searchParams, body };
    const pass = () => passOn(request, url, body);
    const { status = 200, type = 'application/json', body: answer } = (await answering(call, pass)) ?? (await pass());
    // The emulator may have a clock of its own.
    response.sendDate = false;
    response.writeHead(status, { 'content-type': type }).end(answer);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close().closeAllConnections());
  await new Promise((done) => server.once('listening', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { ...address(emulator), GANTRY_API_URL: url };
}

async function passOn({ method = '', headers }: IncomingMessage, url: URL, body: string): Promise<Answer> {
  const { authorization = '' } = headers;
  const more = body === '' ? {} : { body };
  const reply = await fetch(url, { method, headers: { authorization, 'content-type': 'application/json' }, ...more });
  return { status: reply.status, type: reply.headers.get('content-type') ?? '', body: await reply.text() };
}
