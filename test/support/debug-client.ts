import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import {
  encodeMessage,
  type DebugMessage as HeardMessage,
  readMessages,
} from '../../src/emulator/running/debugging/debug-relay.ts';

interface DebugMessage extends HeardMessage {
  arguments?: Body;
  request_seq?: number;
  success?: boolean;
  message?: string;
}

type Body = Record<string, unknown> & { breakpoints?: { id: number; verified: boolean; line: number }[] };

/** An editor that speaks the debug adapter protocol, as far as tests need one. Attaches again when it is told to. */
export class DebugClient {
  #seq = 0;
  readonly #responses = new Map<number, (message: DebugMessage) => void>();
  /** Events that nobody has waited for. */
  readonly #events: DebugMessage[] = [];
  #wake: (() => void)[] = [];
  /** How often it has attached. */
  #session = 0;
  /** All that it was told, in order. */
  readonly heard: string[] = [];
  #breakpoints: Record<string, number[]> = {};
  #socket: Socket;

  private constructor(private readonly port: number) {
    this.#socket = this.#open();
  }

  #open(): Socket {
    const socket = connect(this.port, '127.0.0.1');
    return socket
      .on('error', () => {})
      .on(
        'data',
        readMessages((message) => this.#receive(message)),
      );
  }

  static async connect(port: number): Promise<DebugClient> {
    const client = new DebugClient(port);
    await once(client.#socket, 'connect');
    return client;
  }

  /** Attaches as editors do: without a mapping of paths, and with breakpoints in files by their lines. */
  async attach(breakpoints: Record<string, number[]>): Promise<void> {
    this.#breakpoints = breakpoints;
    await this.request('initialize', { adapterID: 'debugpy', pathFormat: 'path', linesStartAt1: true });
    const attached = this.request('attach', {
      request: 'attach',
      justMyCode: true,
      connect: { host: 'localhost', port: 1 },
    });
    const session = ++this.#session;
    await this.event('initialized', () => session === this.#session);
    for (const [path, lines] of Object.entries(breakpoints)) await this.breakAt(path, lines);
    await this.request('configurationDone');
    await attached;
  }

  async breakAt(path: string, lines: number[]): Promise<Body> {
    return this.request('setBreakpoints', { source: { path }, breakpoints: lines.map((line) => ({ line })) });
  }

  /** Waits for a stop. Returns where, and the local variables as text. */
  async stopped() {
    const { threadId, reason } = await this.event('stopped');
    const { stackFrames } = await this.request('stackTrace', { threadId });
    const [frame] = stackFrames as { id: number; name: string; line: number; source: { path: string } }[];
    const { scopes } = await this.request('scopes', { frameId: frame?.id });
    const [locals] = scopes as { variablesReference: number }[];
    const { variables } = await this.request('variables', { variablesReference: locals?.variablesReference });
    const values = (variables as { name: string; value: string }[]).map(({ name, value }) => [name, value]);
    const frames = (stackFrames as { name: string }[]).map(({ name }) => name);
    return { threadId, reason, ...frame, path: frame?.source.path, frames, values: Object.fromEntries(values) };
  }

  async goOn(threadId: unknown): Promise<void> {
    await this.request('continue', { threadId });
  }

  async request(command: string, given: object = {}): Promise<Body> {
    this.#seq += 1;
    const response = new Promise<DebugMessage>((done) => this.#responses.set(this.#seq, done));
    const message: DebugMessage = { seq: this.#seq, type: 'request', command, arguments: given as Body };
    this.#socket.write(encodeMessage(message));
    const { success, message: why, body = {} } = await response;
    if (!success) throw new Error(`${command}: ${why}`);
    return body;
  }

  /** The next event of a kind. */
  async event(name: string, isCurrent = () => true): Promise<Body> {
    for (;;) {
      if (!isCurrent()) throw new Error('attached again meanwhile');
      const index = this.#events.findIndex(({ event }) => event === name);
      if (index >= 0) return this.#events.splice(index, 1)[0]?.body ?? {};
      await new Promise<void>((done) => this.#wake.push(done));
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(message: DebugMessage): void {
    this.heard.push(process.env.DBG ? JSON.stringify(message).slice(0, 300) : (message.event ?? `${message.command}`));
    if (message.event === 'terminated' && message.body?.restart === true) {
      this.#socket = this.#open();
      this.attach(this.#breakpoints).catch(() => {});
    }
    if (message.type === 'response') this.#responses.get(message.request_seq ?? 0)?.(message);
    else this.#events.push(message);
    for (const wake of this.#wake.splice(0)) wake();
  }
}
