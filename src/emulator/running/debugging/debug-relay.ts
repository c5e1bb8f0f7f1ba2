import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tryParseJson } from '../../../kernel/json-text.ts';
import { equalsInConstantTime } from '../../http/owner-check.ts';

interface RelayOptions {
  /** 0 picks a free one. */
  port: number;
  /** The app's folder: where its editor has the files. */
  folder: string;
  /** Whether the code of a process starts only when an editor has attached. */
  waits: boolean;
}

interface ProcessStart {
  build: string;
  /** Where the process has the app's files. */
  folder: string;
  /** Stops the clock of every time limit. Returns what starts it again. */
  hold: () => () => void;
}

interface Debugged extends ProcessStart {
  id: string;
  /** Known when the debugger listens. */
  port?: number;
  /** Resolves when its debugger has let go of the last editor. */
  left?: Promise<unknown>;
}

/** What a process needs to be debugged. */
export interface DebugClaim {
  environment: Record<string, string>;
  release(): void;
}

/** An editor, and the debugger of the process that it has. */
interface Session {
  editor: Socket;
  debugger: Socket;
  process: Debugged;
  /** Set while the code stands in a breakpoint. */
  endHold?: (() => void) | undefined;
  /** Whether the editor has asked to leave. */
  isLeaving: boolean;
  /** Whether it is of a child process, which debugpy tells the editor to attach to as well. */
  isOfChild: boolean;
}

/**
 * The port that an editor attaches to. It stays open while versions come and go: an editor gets the debugger of the newest
 * process, and attaches again when there is a newer one. A process that stands in a breakpoint keeps it until it goes on.
 */
export class DebugRelay {
  readonly #processes = new Map<string, Debugged>();
  readonly #server = createServer((editor) => this.#accept(editor));
  readonly #sessions = new Set<Session>();
  #private: PrivateListener | undefined;
  /** Editors that wait for a process. */
  readonly #waiting = new Set<Socket>();

  private constructor(private readonly options: RelayOptions) {}

  /** Rejects with `EADDRINUSE` if the port is in use. */
  static async open(options: RelayOptions): Promise<DebugRelay> {
    const relay = new DebugRelay(options);
    relay.#server.listen(options.port, '127.0.0.1').unref();
    await once(relay.#server, 'listening');
    relay.#private = await PrivateListener.open((greeting, socket) => relay.#acceptProcess(greeting, socket));
    return relay;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** `debugpy` is the folder to import it from. Undefined if another process of the build is debugged. */
  claim(start: ProcessStart, debugpy: string): DebugClaim | undefined {
    if ([...this.#processes.values()].some(({ build }) => build === start.build)) return undefined;
    const id = randomUUID();
    this.#processes.set(id, { ...start, id });
    const environment = {
      GANTRY_DEBUGGER: JSON.stringify({ ...this.#private?.address, id, path: debugpy }),
      // debugpy reads these: where the editor has the files, and what is code of the user.
      PATHS_FROM_ECLIPSE_TO_PYTHON: JSON.stringify([[this.options.folder, start.folder]]),
      IDE_PROJECT_ROOTS: start.folder,
      // Without a warning about the modules of Python itself.
      PYDEVD_DISABLE_FILE_VALIDATION: '1',
    };
    return { environment, release: () => this.#processes.delete(id) };
  }

  close(): void {
    for (const session of this.#sessions) this.#end(session);
    for (const editor of this.#waiting) editor.destroy();
    this.#server.close();
    this.#private?.close();
  }

  /** Replies how many seconds the code of the process waits for an editor, or null without a limit. */
  #acceptProcess({ id, port }: Greeting, control: Socket): void {
    const started = this.#processes.get(String(id));
    if (!started || typeof port !== 'number') return void control.destroy();
    started.port = port;
    const seconds = this.#follow() ? returnSeconds : 0;
    for (const editor of this.#waiting) void this.#attach(editor);
    control.write(JSON.stringify(this.options.waits ? null : seconds));
    const endHold = started.hold();
    control.once('data', endHold).once('close', () => {
      endHold();
      this.#processes.delete(started.id);
    });
  }

  /** The process to debug. */
  get #newest(): Debugged | undefined {
    return [...this.#processes.values()].findLast(({ port }) => port !== undefined);
  }

  /** Tells editors to attach again if there is a newer process, and returns whether any was told. */
  #follow(): boolean {
    const older = [...this.#sessions].filter(({ process }) => process !== this.#newest);
    if (older.some(({ endHold }) => endHold)) return false;
    for (const session of older) this.#end(session, true);
    return older.length > 0;
  }

  /** Others than editors, such as scans of ports, say nothing. */
  #accept(editor: Socket): void {
    editor
      .on('error', () => {})
      .once('readable', () => {
        if (editor.readableLength > 0) void this.#attach(editor);
      });
  }

  /** A debugger takes nobody else before the editor that it has is gone. */
  async #attach(editor: Socket): Promise<void> {
    const process = this.#newest;
    if (!process) return void this.#waiting.add(editor);
    this.#waiting.delete(editor);
    await process.left;
    if (editor.destroyed) return;
    const isOfChild = [...this.#sessions].some((other) => other.process === process);
    const debugger_ = connect(process.port ?? 0, '127.0.0.1');
    const session: Session = { editor, debugger: debugger_, process, isOfChild, isLeaving: false };
    this.#sessions.add(session);
    const onRequest = readMessages((message) => this.#fromEditor(session, message));
    const onMessage = readMessages((message) => this.#fromDebugger(session, message));
    editor.on('data', onRequest).once('close', () => this.#end(session));
    debugger_
      .on('error', () => {})
      .on('data', onMessage)
      .once('close', () => this.#end(session, !session.isLeaving));
    this.#follow();
  }

  #fromEditor(session: Session, message: DebugMessage): void {
    const { command = '' } = message;
    if (command === 'disconnect') session.isLeaving = true;
    if (resuming.test(command)) goOn(session);
    if (this.#sessions.has(session)) session.debugger.write(encodeMessage(message));
  }

  #fromDebugger(session: Session, message: DebugMessage): void {
    const { type, command, event } = message;
    if (!this.#sessions.has(session)) return;
    // The end of a process is no end for the editor.
    if (event === 'terminated' && !session.isLeaving) {
      this.#end(session, true);
      return;
    }
    if (event === 'stopped') session.endHold ??= session.process.hold();
    if (event === 'continued') goOn(session);
    session.editor.write(encodeMessage(message));
    if (type === 'response' && command === 'continue') this.#follow();
  }

  /** Leaves the process running, and lets the editor go. Told to return, it attaches again by itself, as the protocol says. */
  #end(session: Session, isReturning = false): void {
    if (!this.#sessions.delete(session)) return;
    const { editor, debugger: debugger_, process, isOfChild } = session;
    goOn(session);
    if (!debugger_.closed) {
      process.left = new Promise((done) => debugger_.once('close', done));
      debugger_.write(encodeMessage({ seq: lastRequest, type: 'request', command: 'disconnect' }));
    }
    const body = { restart: isReturning && !isOfChild };
    editor.end(encodeMessage({ seq: 0, type: 'event', event: 'terminated', body }));
  }
}

/** Longest time in which an editor attaches again. */
const returnSeconds = 5;

/** No editor counts that far. */
const lastRequest = 1_000_000_000;

function goOn(session: Session): void {
  session.endHold?.();
  session.endHold = undefined;
}

/** Requests that end a breakpoint. */
const resuming = /^(continue|next|step\w*|goto|reverseContinue|restartFrame)$/;

/** A message of the debug adapter protocol, as far as the emulator reads it. */
export interface DebugMessage {
  seq: number;
  type: 'request' | 'response' | 'event';
  /** The command of a request, and of its response. */
  command?: string;
  event?: string;
  body?: Record<string, unknown>;
}

/** A message as the protocol frames it: a header with the length, an empty line, and JSON. */
export function encodeMessage(message: DebugMessage): Buffer {
  const content = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from(`Content-Length: ${content.length}\r\n\r\n`), content]);
}

/** Returns a function that takes what a connection receives, and calls the listener with each complete message. */
export function readMessages(listener: (message: DebugMessage) => void): (chunk: Buffer) => void {
  let received = Buffer.alloc(0);
  return (chunk) => {
    received = Buffer.concat([received, chunk]);
    for (;;) {
      const end = received.indexOf(headerEnd);
      if (end < 0) return;
      const start = end + headerEnd.length;
      const length = Number(/content-length: *(\d+)/i.exec(received.toString('latin1', 0, end))?.[1] ?? 0);
      if (received.length < start + length) return;
      const content = received.toString('utf8', start, start + length);
      received = received.subarray(start + length);
      const message = Object(tryParseJson(content));
      if (typeof message.type === 'string') listener(message);
    }
  };
}

const headerEnd = '\r\n\r\n';

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
