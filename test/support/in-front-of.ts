import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Emulator } from '../../src/emulator/index.ts';
import { systemCode } from '../../src/kernel/errors.ts';
import { bytesOf } from '../chaos/own-server.js';
import { address } from './gantry.ts';
import { serving } from './listening.ts';

export interface Call {
  /** `POST /v2/projects/…`, without the query. */
  route: string;
  query: URLSearchParams;
  body: string;
}

export interface Answer {
  status?: number;
  type?: string;
  /** The emulator may have a clock of its own. */
  hasDate?: boolean;
  body: string;
}

/** What a call is answered with; nothing for the emulator's own answer, which `pass` gets. */
export type Answering = (call: Call, pass: () => Promise<Answer>) => Answer | undefined | Promise<Answer | undefined>;

/**
 * A platform that passes calls on to the emulator, unless it has another answer: for answers that are not true. Signed
 * links lead to the emulator itself. Gives the environment that leads to it.
 */
export async function inFrontOf(emulator: Emulator, answering: Answering): Promise<Record<string, string>> {
  const url = await serving(async (asking, response) => {
    const asked = new URL(asking.url ?? '', emulator.url);
    const bytes = await bytesOf(asking);
    const call = { route: `${asking.method} ${asked.pathname}`, query: asked.searchParams, body: String(bytes) };
    const pass = () => passOn(asking, asked, bytes);
    // It has no live logs.
    if (asking.headers.upgrade) return void response.writeHead(404).end();
    const own = async () => (await answering(call, pass)) ?? pass();
    const answer = await own().catch((error) => {
      // Who asked may have ended without waiting, and the emulator with its test. Whoever still waits sees it.
      if (systemCode(error) !== 'ECONNREFUSED') throw error;
    });
    if (!answer) return void response.destroy();
    const { status = 200, type = 'application/json', hasDate = false, body } = answer;
    response.sendDate = hasDate;
    response.writeHead(status, { 'content-type': type }).end(body);
  });
  return { ...address(emulator), GANTRY_API_URL: url };
}

/** A platform whose listing of a folder also has a file of this name, which no disk can have. */
export function alsoListing(emulator: Emulator, folder: string, name: string): Promise<Record<string, string>> {
  const odd = { name, is_folder: false, size_bytes: 1, last_modified: '2026-01-01T00:00:00Z' };
  return inFrontOf(emulator, async ({ route, query }, pass) => {
    const answer = await pass();
    if (!route.endsWith('/ls') || query.get('dir') !== folder) return answer;
    return { body: JSON.stringify([...JSON.parse(answer.body), odd]) };
  });
}

/** Not by fetch, which takes three times as long. */
async function passOn({ method, headers }: IncomingMessage, url: URL, bytes: Buffer): Promise<Answer> {
  const { connection: _, host: __, ...sent } = headers;
  const asked = request(url, { method, headers: sent }).end(bytes);
  const [reply] = (await once(asked, 'response')) as [IncomingMessage];
  const { statusCode: status = 0, headers: said } = reply;
  return { status, type: said['content-type'] ?? '', body: String(await bytesOf(reply)) };
}
