import { connect, type Socket } from 'node:net';
import { after } from '../../../kernel/clock.ts';
import { type Debugged, type DebugMessage, encodeMessage, forProcess, readMessages } from './debugged-process.ts';

interface EditorEvents {
  /** The app's folder: where the editor has the files. */
  folder: string;
  /** The debugger knows all that editors tell at the start. */
  onConfigured: () => void;
  /** The code goes on after a breakpoint. */
  onResumed: () => void;
  /** `isReturning`: it was told to attach again. */
  onEnd: (isReturning: boolean) => void;
}

/** An editor, and the debugger of the process that it has. What they say passes through. */
export class Editor {
  process: Debugged | undefined;
  #debugger: Socket | undefined;
  /** What the editor says before there is a debugger. */
  readonly #queue: DebugMessage[] = [];
  #endHold: (() => void) | undefined;
  #isAskedToEnd = false;
  #hasEnded = false;

  constructor(
    readonly socket: Socket,
    private readonly events: EditorEvents,
  ) {}

  /** Whether the code stands in a breakpoint. */
  get isStopped(): boolean {
    return this.#endHold !== undefined;
  }

  receive(message: DebugMessage): void {
    if (this.#debugger) this.#pass(message, this.#debugger);
    else this.#queue.push(message);
  }

  /** Gives the editor the debugger of a process, which takes nobody else before the editor that it has is gone. */
  async attachTo(process: Debugged): Promise<void> {
    this.process = process;
    await process.left;
    if (this.#hasEnded) return;
    const socket = connect(process.port ?? 0, '127.0.0.1');
    process.left = new Promise((done) => {
      socket.once('close', () => {
        done();
        if (this.#hasEnded) return;
        if (!this.#isAskedToEnd) process.port = undefined;
        this.end({ restart: !this.#isAskedToEnd });
      });
    });
    socket
      .on('error', () => {})
      .on(
        'data',
        readMessages((message) => this.#fromDebugger(message)),
      );
    this.#debugger = socket;
    for (const message of this.#queue.splice(0)) this.#pass(message, socket);
  }

  /** Leaves the process running, and lets the editor go. With `restart` it attaches again by itself, as the protocol says. */
  end({ restart = false } = {}): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#goOn();
    this.#leave();
    this.socket.end(encodeMessage({ seq: 0, type: 'event', event: 'terminated', body: { restart } }));
    this.events.onEnd(restart);
  }

  #leave(): void {
    const socket = this.#debugger;
    if (!socket || socket.destroyed) return;
    const leaving = { command: 'disconnect', arguments: { terminateDebuggee: false } };
    socket.write(encodeMessage({ seq: lastRequest, type: 'request', ...leaving }));
    const stop = after(longestLeaveMs, () => socket.destroy(), { background: true });
    socket.once('close', stop);
  }

  #pass(message: DebugMessage, to: Socket): void {
    const { command = '' } = message;
    if (command === 'disconnect') this.#isAskedToEnd = true;
    if (resuming.test(command)) this.#goOn();
    const { process, events } = this;
    if (process) to.write(encodeMessage(forProcess(message, process, events.folder)));
  }

  #fromDebugger(message: DebugMessage): void {
    const { type, command, event } = message;
    // The end of a process is no end for the editor.
    if (this.#hasEnded || event === 'terminated' || event === 'exited') return;
    if (event === 'stopped') this.#endHold ??= this.process?.hold();
    if (event === 'continued') this.#goOn();
    this.socket.write(encodeMessage(message));
    if (type === 'response' && command === 'configurationDone') this.events.onConfigured();
    if (type === 'response' && command === 'continue') this.events.onResumed();
  }

  #goOn(): void {
    this.#endHold?.();
    this.#endHold = undefined;
  }
}

/** A debugger closes the connection soon after it was asked to disconnect. */
const longestLeaveMs = 2_000;

/** No editor counts that far. */
const lastRequest = 1_000_000_000;

/** Requests that end a breakpoint. */
const resuming = /^(continue|next|step\w*|goto|reverseContinue|restartFrame)$/;
