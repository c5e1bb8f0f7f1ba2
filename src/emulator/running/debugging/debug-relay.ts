import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after, pause } from '../../../kernel/clock.ts';
import {
  type DebugClaim,
  type Debugged,
  type DebugMessage,
  encodeMessage,
  forProcess,
  readMessages,
  type Start,
} from './debugged-process.ts';
import { type Greeting, PrivateListener } from './private-listener.ts';

interface RelayOptions {
  /** 0 picks a free one. */
  port: number;
  /** The app's folder: where its editor has the files. */
  folder: string;
  /** Whether the code of a process starts only when an editor has attached. */
  waits: boolean;
}

/**
 * The port that an editor attaches to. It stays open while versions come and go: an editor gets the debugger of the newest
 * process, and attaches again when there is a newer one. A process that stands in a breakpoint keeps it until it goes on.
 */
export class DebugRelay {
  readonly #processes = new Map<string, Debugged>();
  readonly #server = createServer((socket) => this.#acceptEditor(socket));
  #private: PrivateListener | undefined;
  #editor: Editor | undefined;
  /** Whether it was told to attach again. */
  #isReturning = false;
  /** What waits for an editor that has told all. */
  #waiting: (() => void)[] = [];

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
  claim(start: Start, debugpy: string): DebugClaim | undefined {
    if ([...this.#processes.values()].some(({ build }) => build === start.build)) return undefined;
    const id = randomUUID();
    this.#processes.set(id, { ...start, id });
    const environment = { [variable]: JSON.stringify({ ...this.#private?.address, id, path: debugpy }) };
    return { environment, release: () => this.#processes.delete(id) };
  }

  /** Resolves when the editor, if there is one, has arrived at the newest version or stands in another one. */
  async settled(): Promise<void> {
    this.#follow();
    const isExpected = this.#editor !== undefined || this.#isReturning;
    if (!isExpected || this.#editor?.isConfigured) return;
    await Promise.race([this.#configured(), pause(returnMs, undefined, { background: true })]);
    this.#isReturning = false;
  }

  close(): void {
    this.#end(this.#editor);
    this.#server.close();
    this.#private?.close();
  }

  #acceptProcess({ id, port }: Greeting, control: Socket): void {
    const started = this.#processes.get(String(id));
    if (!started || typeof port !== 'number') return void control.destroy();
    started.port = port;
    control.resume().once('close', () => this.#processes.delete(started.id));
    const go = () => void control.write('go\n');
    this.#admit(started).then(go, go);
  }

  /** Resolves when the code of a process may start. */
  async #admit(started: Debugged): Promise<void> {
    if (!this.options.waits || this.#editor) return this.settled();
    const endHold = started.hold();
    await this.#configured();
    endHold();
  }

  #configured(): Promise<void> {
    return new Promise((done) => this.#waiting.push(done));
  }

  /** The process to debug. */
  get #newest(): Debugged | undefined {
    return [...this.#processes.values()].findLast(({ port }) => port !== undefined);
  }

  /** Gives the editor the newest process, unless it stands in a breakpoint of another one. */
  #follow(): void {
    const editor = this.#editor;
    const newest = this.#newest;
    if (!editor || !newest || editor.process === newest || editor.endHold) return;
    if (editor.process) this.#end(editor, true);
    else void this.#attach(editor, newest);
  }

  /** A connection is an editor once it says so: others are those of port scans and health checks. */
  #acceptEditor(socket: Socket): void {
    let editor: Editor | undefined;
    const onMessage = readMessages((message) => {
      if (message.command === 'initialize') editor ??= this.#arrive(socket);
      if (editor?.debugger) this.#pass(editor, message);
      else editor?.queue.push(message);
    });
    socket
      .on('error', () => {})
      .on('data', onMessage)
      .once('close', () => this.#end(editor));
  }

  /** It replaces one that has gone without a word. */
  #arrive(socket: Socket): Editor {
    this.#end(this.#editor);
    this.#editor = { socket, queue: [], isConfigured: false, isAskedToEnd: false };
    const arrived = this.#editor;
    this.#follow();
    return arrived;
  }

  /** Gives an editor the debugger of a process, which takes nobody else before the editor that it has is gone. */
  async #attach(editor: Editor, process: Debugged): Promise<void> {
    editor.process = process;
    await process.left;
    if (this.#editor !== editor) return;
    const socket = connect(process.port ?? 0, '127.0.0.1');
    const onMessage = readMessages((message) => this.#fromDebugger(editor, message));
    process.left = new Promise((done) => {
      socket.once('close', () => {
        done();
        if (this.#editor !== editor) return;
        if (!editor.isAskedToEnd) process.port = undefined;
        this.#end(editor, !editor.isAskedToEnd);
      });
    });
    socket.on('error', () => {}).on('data', onMessage);
    editor.debugger = socket;
    for (const message of editor.queue.splice(0)) this.#pass(editor, message);
  }

  /** Leaves the process running, and lets the editor go. Told to return, it attaches again by itself, as the protocol says. */
  #end(editor: Editor | undefined, isReturning = false): void {
    if (!editor || this.#editor !== editor) return;
    this.#editor = undefined;
    this.#isReturning = isReturning;
    goOn(editor);
    leave(editor.debugger);
    const body = { restart: isReturning };
    editor.socket.end(encodeMessage({ seq: 0, type: 'event', event: 'terminated', body }));
  }

  #pass(editor: Editor, message: DebugMessage): void {
    const { command = '' } = message;
    const { process } = editor;
    if (command === 'disconnect') editor.isAskedToEnd = true;
    if (resuming.test(command)) goOn(editor);
    if (process) editor.debugger?.write(encodeMessage(forProcess(message, process, this.options.folder)));
  }

  #fromDebugger(editor: Editor, message: DebugMessage): void {
    const { type, command, event } = message;
    // The end of a process is no end for the editor.
    if (this.#editor !== editor || event === 'terminated' || event === 'exited') return;
    if (event === 'stopped') editor.endHold ??= editor.process?.hold();
    if (event === 'continued') goOn(editor);
    editor.socket.write(encodeMessage(message));
    if (type !== 'response') return;
    if (command === 'configurationDone') {
      editor.isConfigured = true;
      for (const done of this.#waiting.splice(0)) done();
    }
    if (command === 'continue') this.#follow();
  }
}

/** Longest time, in ms, in which an editor attaches again. */
const returnMs = 2_000;

/** The environment variable that makes a process listen for an editor (debugger.py). */
const variable = 'GANTRY_DEBUGGER';

/** An editor, and the debugger of the process that it has. What they say passes through. */
interface Editor {
  socket: Socket;
  process?: Debugged;
  debugger?: Socket;
  /** What it says before there is a debugger. */
  queue: DebugMessage[];
  /** Set while the code stands in a breakpoint. */
  endHold?: (() => void) | undefined;
  /** Whether it has told all. */
  isConfigured: boolean;
  isAskedToEnd: boolean;
}

function goOn(editor: Editor): void {
  editor.endHold?.();
  editor.endHold = undefined;
}

function leave(socket: Socket | undefined): void {
  if (!socket || socket.destroyed) return;
  const leaving = { command: 'disconnect', arguments: { terminateDebuggee: false } };
  socket.write(encodeMessage({ seq: lastRequest, type: 'request', ...leaving }));
  socket.once(
    'close',
    after(longestLeaveMs, () => socket.destroy(), { background: true }),
  );
}

/** A debugger closes the connection soon after it was asked to disconnect. */
const longestLeaveMs = 2_000;

/** No editor counts that far. */
const lastRequest = 1_000_000_000;

/** Requests that end a breakpoint. */
const resuming = /^(continue|next|step\w*|goto|reverseContinue|restartFrame)$/;
