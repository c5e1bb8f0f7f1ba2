import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * A platform that has this one answer, for what the emulator never says, or one that is made when it is asked, and
 * sent once `done` is called. Gives its address.
 */
export async function answering(answer: object | ((done: () => void) => object)): Promise<string> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    const send = (body: object) => response.end(JSON.stringify(body));
    if (typeof answer !== 'function') return send(answer);
    const body: object = answer(() => setImmediate(() => send(body)));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close().closeAllConnections());
  await new Promise((done) => server.once('listening', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
