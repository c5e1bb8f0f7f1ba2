import type { Emulator } from '../../src/emulator/index.ts';
import { serving } from './listening.ts';

/** What a reply becomes; undefined leaves it as it is. */
type Alter = (method: string, path: string, json: unknown) => Altered | undefined | Promise<Altered | undefined>;

interface Altered {
  status?: number;
  /** JSON, or text as it is. */
  body: unknown;
  type?: string;
}

/**
 * A server in front of the emulator that changes its replies. What `intercept` answers never reaches the emulator. Gives
 * the environment to reach it.
 */
export async function altering(
  emulator: Emulator,
  alter: Alter,
  intercept: (method: string, path: string) => Altered | undefined | Promise<Altered | undefined> = () => undefined,
): Promise<Record<string, string>> {
  const url = await serving(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url = '', headers } = request;
    // It has no live logs.
    if (headers.upgrade) return void response.writeHead(404).end();
    const { connection: _, host: __, 'content-length': ___, ...sent } = headers;
    const bytes = Buffer.concat(chunks);
    const path = url.split('?')[0] ?? '';
    const instead = await intercept(method, path);
    if (instead) {
      response.writeHead(200, { 'content-type': instead.type ?? '' });
      response.end(instead.body as string);
      return;
    }
    const reply = await fetch(emulator.url + url, {
      method,
      headers: sent as Record<string, string>,
      ...(bytes.length > 0 && { body: bytes }),
    });
    const text = await reply.text();
    // What a late emulator does not know yet has no reply to change.
    const altered = / is not known"/.test(text) ? undefined : await alter(method, path, parsed(text));
    const { status = reply.status, body = text, type = reply.headers.get('content-type') ?? '' } = altered ?? {};
    response.writeHead(status, { 'content-type': type });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  return { GANTRY_API_URL: url };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
