import { createServer, type Server } from 'node:http';
import { type Listening, type ListenPlace, listenOn } from './index.ts';

interface ServedText {
  contentType: string;
  text: string;
}

interface TextServerOptions extends ListenPlace {
  /** The text of a path; undefined if there is none. `accept` is what the client can read. */
  textOf: (path: string, accept: string) => ServedText | undefined;
  /** Whether a request to this host is answered: a page in a browser may have a name for this machine. */
  isOwnHost: (host: string) => boolean;
}

/** Serves texts to GET requests. Throws FailedError if it cannot listen. */
export async function openTextServer({ textOf, isOwnHost, ...place }: TextServerOptions): Promise<Listening> {
  const server: Server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, (request, response) => {
    request.resume();
    response.on('error', () => {});
    const { method = '', url = '/', headers } = request;
    const reply = (status: number, { contentType, text }: ServedText) => {
      response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(text) });
      response.end(method === 'HEAD' ? undefined : text);
    };
    const refuse = (status: number, text: string) => reply(status, { contentType: 'text/plain', text: `${text}\n` });
    if (!isOwnHost(headers.host ?? '')) return refuse(403, 'another host name');
    if (method !== 'GET' && method !== 'HEAD') return refuse(405, 'only GET');
    const served = textOf(url.replace(/\?.*$/s, ''), String(headers.accept));
    if (served) reply(200, served);
    else refuse(404, 'not found');
  });
  return listenOn(server, place);
}
