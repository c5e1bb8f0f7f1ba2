import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Emulator } from '../../src/emulator/index.ts';
import type { Draw } from '../chaos/draw.js';
import { address } from './gantry.ts';

/** What a connection does at its moment, instead of what it should. The rest of the reply may follow. */
const misbehaviors = {
  close: (socket) => void socket.destroy(),
  reset: (socket) => void socket.resetAndDestroy(),
  /** What the client sends is still read. */
  'half-close': (socket) => void socket.end(),
  silence: () => {},
  upgrade: (socket) => void socket.write(upgradeHead),
  'upgrade and close': (socket) => void socket.end(upgradeHead),
  garbage: (socket) => void socket.end('\u0000\u00ff}{ nothing of HTTP'),
  'early hints': (socket, rest) => void socket.write(Buffer.concat([interim(103), rest])),
  'several interim replies': (socket, rest) => void socket.write(Buffer.concat([interim(102), interim(103), rest])),
  'interim replies without end': (socket) => forever(socket, interim(103)),
  'a head without end': (socket) => forever(socket, Buffer.from('x')),
  'a body without end': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n1\r\n[\r\n');
    forever(socket, Buffer.from('1\r\n \r\n'));
  },
  'a second response': (socket, rest) => void socket.write(Buffer.concat([rest, secondReply])),
} satisfies Record<string, (socket: Socket, rest: Buffer) => void>;

export type Misbehavior = keyof typeof misbehaviors;

/** Where in a reply: `start` before its first byte, `end` after its last one. */
type Place = 'start' | 'head' | 'body' | 'end';

const anywhere: Place[] = ['start', 'head', 'body', 'end'];
/** Bytes that are added to a body could be those of the app or the file. */
const places: Partial<Record<Misbehavior, Place[]>> = {
  upgrade: ['start', 'head', 'end'],
  'upgrade and close': ['start', 'head', 'end'],
  garbage: ['start', 'head', 'end'],
  'early hints': ['start'],
  'several interim replies': ['start'],
  'interim replies without end': ['start'],
  'a head without end': ['start', 'head'],
  'a body without end': ['start'],
  'a second response': ['end'],
};

export interface ConnectionFault {
  what: Misbehavior;
  place: Place;
  /** Where in the head or the body, from 0 to 1. */
  share: number;
  /** The first exchange that it strikes, from 0, and how many. */
  from: number;
  times: number;
  /** Whether the platform gets the request. */
  arrives: boolean;
}

/** Every client has to read over interim replies. */
export function isHarmless({ what, arrives }: ConnectionFault): boolean {
  return arrives && (what === 'early hints' || what === 'several interim replies');
}

export function drawFault(random: Draw): ConnectionFault {
  const what = random.pick(Object.keys(misbehaviors) as Misbehavior[]);
  const place = random.pick(places[what] ?? anywhere);
  const from = Math.floor(random.next() ** 2 * 8);
  const times = random.pick([1, 1, 1, 2, Number.POSITIVE_INFINITY]);
  return { what, place, share: random.next(), from, times, arrives: place !== 'start' || random.chance(0.6) };
}

/** A platform whose connections misbehave once `fault` is set. Signed URLs lead to it, too. */
export class BadConnections {
  fault: ConnectionFault | undefined;
  /** Whether a connection has misbehaved. */
  hasStruck = false;
  #exchanges = 0;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer({ allowHalfOpen: true }, (socket) => this.#pass(socket));

  private constructor(private readonly emulator: Emulator) {}

  static async start(emulator: Emulator): Promise<BadConnections> {
    const connections = new BadConnections(emulator);
    await new Promise<void>((done) => connections.#server.listen(0, '127.0.0.1', done));
    return connections;
  }

  get env(): Record<string, string> {
    const url = `http://127.0.0.1:${this.#port}`;
    return { ...address(this.emulator), GANTRY_API_URL: url, GANTRY_INFERENCE_URL: url, GANTRY_LOGS_URL: url };
  }

  /** Closes what is open, so that the next command begins anew. */
  async reset(fault?: ConnectionFault): Promise<void> {
    this.#closeAll();
    // Until the client has noticed, it would send a request over one of them.
    await setTimeout(2);
    this.fault = fault;
    this.hasStruck = false;
    this.#exchanges = 0;
  }

  close(): void {
    this.#closeAll();
    this.#server.close();
  }

  #closeAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  get #port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  #pass(client: Socket): void {
    const { host, port } = new URL(this.emulator.url);
    const platform = connect(Number(port), '127.0.0.1');
    const own = `127.0.0.1:${this.#port}`;
    let fault: ConnectionFault | undefined;
    for (const socket of [client, platform]) {
      this.#sockets.add(socket);
      socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket));
    }
    const strike = (now: ConnectionFault, rest: Buffer) => {
      this.hasStruck = true;
      fault = undefined;
      if (!isHarmless(now)) platform.removeAllListeners('data').on('data', () => {});
      misbehaviors[now.what](client, rest);
    };
    // Ports have five digits, so that no length changes.
    const renamed = (chunk: Buffer, from: string, to: string) =>
      Buffer.from(chunk.toString('latin1').replaceAll(from, to), 'latin1');
    client.on('data', (sent: Buffer) => {
      const chunk = renamed(sent, own, host);
      if (/^[A-Z]+ \/\S* HTTP\/1\.1\r\n/.test(chunk.toString('latin1', 0, 4_096))) fault = this.#next();
      if (fault && !fault.arrives) strike(fault, Buffer.alloc(0));
      else platform.write(chunk);
    });
    client.on('end', () => platform.end()).on('close', () => platform.destroy());
    platform.on('data', (received: Buffer) => {
      const chunk = renamed(received, host, own);
      if (!fault) return client.write(chunk);
      const at = positionIn(chunk, fault);
      client.write(chunk.subarray(0, at));
      strike(fault, chunk.subarray(at));
    });
    platform.on('end', () => client.end()).on('close', () => client.end());
  }

  #next(): ConnectionFault | undefined {
    const exchange = this.#exchanges++;
    const { fault } = this;
    return fault && exchange >= fault.from && exchange < fault.from + fault.times ? fault : undefined;
  }
}

/** Replies of the emulator come in one chunk, unless they are long. */
function positionIn(chunk: Buffer, { place, share }: ConnectionFault): number {
  const head = chunk.indexOf('\r\n\r\n') + 4;
  if (place === 'start') return 0;
  if (place === 'head') return 1 + Math.floor(share * (head - 2));
  return place === 'end' ? chunk.length : head + Math.floor(share * (chunk.length - head));
}

function forever(socket: Socket, bytes: Buffer): void {
  const timer = setInterval(() => socket.write(bytes), 5);
  socket.once('close', () => clearInterval(timer));
}

function interim(status: number): Buffer {
  return Buffer.from(`HTTP/1.1 ${status} Interim\r\nlink: </a.css>; rel=preload\r\n\r\n`);
}

const upgradeHead = 'HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n';
const secondReply = Buffer.from('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n[]');
