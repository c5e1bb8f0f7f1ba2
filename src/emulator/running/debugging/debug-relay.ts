import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type DebugMessage, encodeMessage, lostResponse, readMessages } from './debug-messages.ts';
import { type DebugClaim, type Debugged, forProcess, type Start } from './debugged-process.ts';
import { DebuggerLink } from './debugger-link.ts';
import { breakpointsOf, EditorSession } from './editor-session.ts';
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
 * The port that an editor attaches to. It stays open while versions come and go: the editor's session is passed on to the
 * debugger of the newest process, which is told what the editor has told the one before. A process that stands in a
 * breakpoint keeps the editor until it goes on.
 */
export class DebugRelay {
  readonly #processes = new Map<string, Debugged>();
  #private: PrivateListener | undefined;
  #editors: EditorPort | undefined;
  #session = new EditorSession();
  #link: { to: Debugged; link: DebuggerLink } | undefined;
  #links = 0;
  /** What the editor sent while there was no debugger. */
  #queue: DebugMessage[] = [];
  readonly #unanswered = new Map<number, DebugMessage>();
  #endHold: (() => void) | undefined;
  #moving: Promise<void> | undefined;
  /** Processes that wait for an editor. */
  readonly #waiting = new Set<() => void>();

  private constructor(private readonly options: RelayOptions) {}

  /** Rejects with `EADDRINUSE` if the port is in use. */
  static async open(options: RelayOptions): Promise<DebugRelay> {
    const relay = new DebugRelay(options);
    relay.#editors = await EditorPort.open(options.port, {
      onArrive: () => relay.#move(),
      onMessage: (message) => relay.#fromEditor(message),
      onLeave: () => relay.#leaveEditor(),
    });
    relay.#private = await PrivateListener.open((greeting, socket) => relay.#acceptProcess(greeting, socket));
    return relay;
  }

  get port(): number {
    return this.#editors?.number ?? 0;
  }

  /** `debugpy` is the folder to import it from. Undefined if another process of the build is debugged. */
  claim(start: Start, debugpy: string): DebugClaim | undefined {
    if ([...this.#processes.values()].some(({ build }) => build === start.build)) return undefined;
    const id = randomUUID();
    this.#processes.set(id, { ...start, id, go: () => {} });
    const environment = { [variable]: JSON.stringify({ ...this.#private?.address, id, path: debugpy }) };
    return { environment, release: () => this.#forget(id) };
  }

  /** Resolves when the editor, if there is one, has arrived at the newest version or stands in another one. */
  async settled(): Promise<void> {
    await this.#move();
  }

  close(): void {
    this.#editors?.send({ type: 'event', event: 'terminated' });
    this.#editors?.close();
    this.#private?.close();
  }

  #acceptProcess({ id, port }: Greeting, control: Socket): void {
    const started = this.#processes.get(String(id));
    if (!started || typeof port !== 'number') return void control.destroy();
    started.port = port;
    started.go = () => void control.write('go\n');
    control.resume().once('close', () => this.#forget(started.id));
    this.#admit(started).then(started.go, started.go);
  }

  /** Resolves when the code of a process may start. */
  async #admit(started: Debugged): Promise<void> {
    if (this.options.waits && !this.#session.isConfigured) {
      const endHold = started.hold();
      const configured = new Promise<void>((done) => this.#waiting.add(done));
      await this.#move();
      await configured;
      endHold();
    } else if (this.#session.isConfigured) await this.#move();
  }

  #forget(id: string): void {
    const process = this.#processes.get(id);
    this.#processes.delete(id);
    if (process && this.#link?.to === process) this.#lose();
  }

  #leaveEditor(): void {
    this.#leaveDebugger();
    this.#session = new EditorSession();
    this.#queue = [];
    this.#unanswered.clear();
    this.#goOn();
  }

  #leaveDebugger(): void {
    if (this.#link) this.#link.to.left = this.#link.link.leave();
    this.#link = undefined;
  }

  /** The process to debug. */
  get #newest(): Debugged | undefined {
    return [...this.#processes.values()].findLast(({ port }) => port !== undefined);
  }

  /** Connects the editor to the newest process, unless it stands in a breakpoint of another one. */
  async #move(): Promise<void> {
    while (this.#moving) await this.#moving;
    const to = this.#newest;
    if (!this.#editors?.isAttached || !to || this.#link?.to === to || (this.#link && this.#endHold)) return;
    this.#moving = this.#moveTo(to, to.port ?? 0).finally(() => {
      this.#moving = undefined;
    });
    await this.#moving;
  }

  async #moveTo(to: Debugged, port: number): Promise<void> {
    this.#leaveDebugger();
    // A debugger takes nobody else before that.
    await to.left;
    if (!this.#editors?.isAttached || to.port === undefined) return;
    const link: DebuggerLink = new DebuggerLink({
      port,
      idOffset: idsOfLink * this.#links++,
      prepare: (request) => forProcess(request, to, port, this.options.folder),
      toEditor: (message) => this.#link?.link === link && this.#fromDebugger(message, to),
      unanswered: this.#unanswered,
      onClose: (wasAsked) => {
        if (!wasAsked) to.port = undefined;
        if (this.#link?.link !== link) return;
        if (wasAsked) this.#detach();
        else this.#lose();
      },
    });
    this.#link = { to, link };
    this.#answerLost();
    await link.follow(this.#session).catch(() => {});
    if (this.#link?.link === link) for (const message of this.#queue.splice(0)) this.#pass(message, link);
  }

  /** The debugger has let go of the process because the editor asked it to. Another editor may attach. */
  #detach(): void {
    this.#answerLost();
    this.#editors?.end();
  }

  /** The process has ended, or its debugger has. */
  #lose(): void {
    this.#leaveDebugger();
    const wasStopped = this.#goOn();
    if (wasStopped)
      this.#editors?.send({ type: 'event', event: 'continued', body: { threadId: 1, allThreadsContinued: true } });
    this.#answerLost();
    this.#move();
  }

  #fromEditor(message: DebugMessage): void {
    if (this.#link && !this.#moving) this.#pass(message, this.#link.link);
    else this.#queue.push(message);
  }

  #pass(message: DebugMessage, link: DebuggerLink): void {
    if (message.type === 'request') {
      this.#unanswered.set(message.seq, message);
      this.#session.note(message);
      if (resuming.test(message.command ?? '')) this.#goOn();
    }
    link.send(message);
  }

  #fromDebugger(message: DebugMessage, from: Debugged): void {
    const { event } = message;
    // The session outlives the process.
    if (event === 'terminated' || event === 'exited') return;
    if (event === 'initialized' && this.#session.isInitialized) return;
    if (event === 'initialized') this.#session.isInitialized = true;
    if (event === 'stopped') this.#endHold ??= from.hold();
    if (event === 'continued') this.#goOn();
    this.#editors?.send(message);
    if (message.type === 'response') this.#afterResponse(message);
  }

  #afterResponse(response: DebugMessage): void {
    const number = response.request_seq ?? 0;
    const request = this.#unanswered.get(number);
    this.#unanswered.delete(number);
    if (!request) return;
    const ids = breakpointsOf(response).map(({ id }) => id);
    this.#session.noteIds(request, ids);
    if (request.command === 'configurationDone') for (const start of this.#waiting) start();
    if (request.command === 'continue') this.#move();
    if (request.command === 'disconnect') this.#editors?.end();
  }

  /** What was asked of a process that has ended gets no response any more. */
  #answerLost(): void {
    for (const [number, request] of this.#unanswered) {
      if (this.#session.repeats(request)) continue;
      this.#unanswered.delete(number);
      this.#editors?.send(lostResponse(number, request));
    }
  }

  /** Returns whether it stood in a breakpoint. */
  #goOn(): boolean {
    const end = this.#endHold;
    this.#endHold = undefined;
    end?.();
    return end !== undefined;
  }
}

/** Ids of breakpoints that one debugger may use. */
const idsOfLink = 100_000;

/** The environment variable that makes a process listen for an editor (debugger.py). */
const variable = 'GANTRY_DEBUGGER';

/** Requests that end a breakpoint. */
const resuming = /^(continue|next|step\w*|goto|reverseContinue|restartFrame)$/;

interface EditorEvents {
  /** An editor has arrived; the one before, if there was one, is gone. */
  onArrive(): void;
  onMessage(message: DebugMessage): void;
  onLeave(): void;
}

/** The port that editors attach to, one at a time: a new one replaces one that has gone without a word. */
class EditorPort {
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
