import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { bindServer } from './index.ts';

interface ServedText {
  contentType: string;
  text: string;
}

interface TextServerOptions {
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** The text of a path; undefined if there is none. `accept` is what the client can read. */
  textOf: (path: string, accept: string) => ServedText | undefined;
  /** Whether a request to this host is answered: a page in a browser may have a name for this machine. */
  isOwnHost: (host: string) => boolean;
}

interface TextServer {
  /** Without a trailing slash. */
  url: string;
  close: () => Promise<void>;
}

/** Serves texts to GET requests. Throws FailedError if it cannot listen. */
export async function openTextServer({ host, port, textOf, isOwnHost }: TextServerOptions): Promise<TextServer> {
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
  await bindServer(server, host, port);
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${isIPv6(host) ? `[${host}]` : host}:${bound}`,
    async close() {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    },
  };
}
