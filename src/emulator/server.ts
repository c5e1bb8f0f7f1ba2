import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Platform } from './platform.ts';
import { serve } from './serve.ts';

/** Opens a port of the loopback address. Nothing is answered before there is a platform to do it. */
export async function listen(port: number) {
  const server = createServer();
  // A stalled upload is to last as long as its sender likes: no timer of ours may end it.
  server.requestTimeout = 0;
  await bind(server, port);
  const underway = new Set<Promise<void>>();
  const upgraded = new Set<Duplex>();

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,

    open(platform: Platform): void {
      server.on('request', (request, response) => {
        const served: Promise<void> = serve(request, response, platform)
          .catch(() => void request.socket.destroy())
          .finally(() => underway.delete(served));
        underway.add(served);
      });
      server.on('upgrade', (request, stream: Duplex, head) => {
        upgraded.add(stream.on('error', () => {}).on('close', () => upgraded.delete(stream)));
        import('./log-sockets.ts')
          .then(({ openLogSocket }) => openLogSocket(request, stream, head, platform))
          .catch(() => stream.destroy());
      });
    },

    /** Cuts all connections, and waits until nobody works on a request any more. */
    async close(): Promise<void> {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      for (const stream of upgraded) stream.destroy();
      await Promise.all([closed, ...underway]);
    },
  };
}

function bind(server: Server, port: number): Promise<void> {
  return new Promise((done, failed) => {
    server.once('error', failed).listen(port, '127.0.0.1', done);
  });
}
