import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tryParseJson } from '../../../kernel/json-text.ts';
import { equalsInConstantTime } from '../../http/owner-check.ts';

/** What a process of an app says first, on one line, when it connects. */
export type Greeting = Record<string, unknown>;

/**
 * Listens for processes of apps on the loopback address, where every user of this machine can connect: one that does not
 * know the token is closed. Calls `onConnection` with what the process said, and with the connection after that, which is
 * paused.
 */
export class PrivateListener {
  readonly #token = randomBytes(16).toString('hex');
  readonly #open = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async open(onConnection: (greeting: Greeting, socket: Socket) => void): Promise<PrivateListener> {
    const server = createServer();
    const listener = new PrivateListener(server);
    server.on('connection', (socket) => listener.#greet(socket, onConnection));
    server.listen(0, '127.0.0.1').unref();
    await once(server, 'listening');
    return listener;
  }

  /** Where a process connects, and what it has to know. */
  get address(): { port: number; token: string } {
    return { port: (this.server.address() as AddressInfo).port, token: this.#token };
  }

  close(): void {
    this.server.close();
    for (const socket of this.#open) socket.destroy();
  }

  #greet(socket: Socket, onConnection: (greeting: Greeting, socket: Socket) => void): void {
    this.#open.add(socket);
    socket.on('error', () => {}).once('close', () => this.#open.delete(socket));
    let text = '';
    const onData = (chunk: Buffer) => {
      text += chunk.toString('latin1');
      const end = text.indexOf('\n');
      if (end < 0 && text.length < maxGreeting) return;
      socket.off('data', onData).pause();
      const greeting = Object(tryParseJson(text.slice(0, Math.max(0, end))));
      if (!equalsInConstantTime(String(greeting.token ?? ''), this.#token)) return void socket.destroy();
      const rest = text.slice(end + 1);
      if (rest !== '') socket.unshift(Buffer.from(rest, 'latin1'));
      onConnection(greeting, socket);
    };
    socket.on('data', onData);
  }
}

const maxGreeting = 4096;
