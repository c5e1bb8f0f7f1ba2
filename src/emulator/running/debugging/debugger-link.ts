import { connect, type Socket } from 'node:net';
import { after } from '../../../kernel/clock.ts';
import { type DebugMessage, encodeMessage, readMessages } from './debug-messages.ts';
import { breakpointsOf, type DebuggerStart, type EditorSession } from './editor-session.ts';

interface LinkOptions {
  /** Where debugpy listens. */
  port: number;
  /** Added to the ids of its breakpoints, so that those of two versions differ. */
  idOffset: number;
  /** A request of the editor, as this process needs it. */
  prepare: (request: DebugMessage) => DebugMessage;
  /** Passes a message on to the editor. */
  toEditor: (message: DebugMessage) => void;
  /** What the editor asked and has no response to, by number. */
  unanswered: ReadonlyMap<number, DebugMessage>;
  /** Called when the debugger has closed the connection: whether the editor asked it to disconnect. */
  onClose: (wasAsked: boolean) => void;
}

/** A connection to the debugger of one process. */
export class DebuggerLink implements DebuggerStart {
  readonly initialized: Promise<void>;
  readonly #socket: Socket;
  /** Requests of ours: what the editor has asked another debugger before. */
  readonly #own = new Map<number, { done: (response: DebugMessage) => void; failed: (error: Error) => void }>();
  /** Ids of repeated breakpoints, as the editor knows them. */
  readonly #ids = new Map<unknown, unknown>();
  readonly #closed: Promise<void>;
  #onInitialized = () => {};
  #lastOwn = firstOwn;
  #isClosed = false;
  #isAskedToEnd = false;

  constructor(private readonly options: LinkOptions) {
    this.initialized = new Promise((done) => {
      this.#onInitialized = done;
    });
    this.#socket = connect(options.port, '127.0.0.1');
    this.#socket.on(
      'data',
      readMessages((message) => this.#receive(message)),
    );
    this.#socket.on('error', () => {});
    this.#closed = new Promise((done) => {
      this.#socket.once('close', () => {
        done();
        if (this.#end()) options.onClose(this.#isAskedToEnd);
      });
    });
  }

  /** Repeats what the session has, for a debugger that follows another one. */
  follow(session: EditorSession): Promise<void> {
    return session.repeat(this);
  }

  send(message: DebugMessage): void {
    if (message.command === 'disconnect') this.#isAskedToEnd = true;
    if (!this.#isClosed) this.#socket.write(encodeMessage(this.options.prepare(message)));
  }

  /** One that the editor still waits for keeps its number, and its response is passed on. */
  request(message: DebugMessage): Promise<DebugMessage> {
    const seq = this.options.unanswered.has(message.seq) ? message.seq : ++this.#lastOwn;
    return new Promise((done, failed) => {
      if (this.#isClosed) failed(endedError);
      this.#own.set(seq, { done, failed });
      this.send({ ...message, seq });
    });
  }

  tookBreakpoints(response: DebugMessage, ids: unknown[]): void {
    for (const [index, breakpoint] of breakpointsOf(response).entries()) {
      const id = ids[index];
      if (id === undefined) continue;
      this.#ids.set(breakpoint.id, id);
      const changed = { reason: 'changed', breakpoint: { ...breakpoint, id } };
      this.options.toEditor({ seq: 0, type: 'event', event: 'breakpoint', body: changed });
    }
  }

  /** Leaves the process running. Resolves when its debugger has let go of it. */
  async leave(): Promise<void> {
    if (this.#isClosed) return;
    this.send({
      seq: ++this.#lastOwn,
      type: 'request',
      command: 'disconnect',
      arguments: { terminateDebuggee: false },
    });
    this.#end();
    const stop = after(longestLeaveMs, () => this.#socket.destroy(), { background: true });
    await this.#closed;
    stop();
  }

  #receive(message: DebugMessage): void {
    if (this.#isClosed) return;
    const number = message.type === 'response' ? message.request_seq : undefined;
    const own = number === undefined ? undefined : this.#own.get(number);
    if (message.event === 'initialized') this.#onInitialized();
    if (own) {
      this.#own.delete(number ?? 0);
      own.done(message);
    }
    if (number === undefined || number < firstOwn) this.options.toEditor(this.#translated(message));
  }

  #translated(message: DebugMessage): DebugMessage {
    const { body } = message;
    if (!body || !('breakpoints' in body || 'breakpoint' in body || 'hitBreakpointIds' in body)) return message;
    const known = (id: unknown) => this.#ids.get(id) ?? (typeof id === 'number' ? id + this.options.idOffset : id);
    for (const breakpoint of breakpointsOf(message)) breakpoint.id = known(breakpoint.id);
    const { hitBreakpointIds: hit } = body;
    return Array.isArray(hit) ? { ...message, body: { ...body, hitBreakpointIds: hit.map(known) } } : message;
  }

  /** Returns false if it has ended before. */
  #end(): boolean {
    if (this.#isClosed) return false;
    this.#isClosed = true;
    for (const { failed } of this.#own.values()) failed(endedError);
    return true;
  }
}

/** A debugger closes the connection soon after it was asked to disconnect. */
const longestLeaveMs = 2_000;

/** No editor counts that far. */
const firstOwn = 1_000_000_000;

const endedError = new Error('the process that was debugged has ended');
