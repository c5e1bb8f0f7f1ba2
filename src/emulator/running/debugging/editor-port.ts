import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type DebugMessage, encodeMessage, readMessages } from './debug-messages.ts';

interface EditorEvents {
  /** An editor has arrived; the one before, if there was one, is gone. */
  onArrive(): void;
  onMessage(message: DebugMessage): void;
  onLeave(): void;
}

/** The port that editors attach to, one at a time: a new one replaces one that has gone without a word. */
export class EditorPort {
  readonly #server = createServer((socket) => this.#accept(socket));
  #editor: Socket | undefined;

  private constructor(private readonly events: EditorEvents) {}

  /** 0 picks a free one. Rejects with `EADDRINUSE` if the port is in use. */
  static async open(port: number, events: EditorEvents): Promise<EditorPort> {
    const editors = new EditorPort(events);
    editors.#server.listen(port, '127.0.0.1').unref();
    await once(editors.#server, 'listening');
    return editors;
  }

  get number(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get isAttached(): boolean {
    return this.#editor !== undefined;
  }

  send(message: Omit<DebugMessage, 'seq'>): void {
    this.#editor?.write(encodeMessage({ seq: 0, ...message }));
  }

  /** Lets the editor go. */
  end(): void {
    const editor = this.#editor;
    this.#editor = undefined;
    editor?.end();
    if (editor) this.events.onLeave();
  }

  close(): void {
    this.end();
    this.#server.close();
  }

  /** A connection is an editor once it says so: others are those of port scans and health checks. */
  #accept(socket: Socket): void {
    const onMessage = readMessages((message) => {
      if (this.#editor !== socket && message.command === 'initialize') this.#arrive(socket);
      if (this.#editor === socket) this.events.onMessage(message);
    });
    socket.on('data', onMessage).on('error', () => {});
    socket.once('close', () => this.#editor === socket && this.end());
  }

  #arrive(socket: Socket): void {
    this.send({ type: 'event', event: 'terminated' });
    this.end();
    this.#editor = socket;
    this.events.onArrive();
  }
}
