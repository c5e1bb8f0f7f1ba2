import type { Dispatcher } from 'undici';
import { bodyOf } from './encoding.ts';
import type { HttpReply } from './transport.ts';

/**
 * One request whose answer is short and read as text. undici's own `request` makes a stream of every answer and listens
 * to the signal anew each time: with tens of thousands of small files that is a good part of the work.
 */
export function exchange(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  signal: AbortSignal,
): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const answer = new Answer(resolve, reject, underWayOf(signal));
    dispatcher.dispatch(options, answer);
  });
}

/** What is to be stopped with a signal: it has one listener, however many requests there are. */
type UnderWay = Set<Answer>;

const underWay = new WeakMap<AbortSignal, UnderWay>();

function underWayOf(signal: AbortSignal): UnderWay {
  const known = underWay.get(signal);
  if (known) return known;
  const answers: UnderWay = new Set();
  underWay.set(signal, answers);
  const stop = () => {
    for (const answer of answers) answer.stop(signal.reason);
  };
  signal.addEventListener('abort', stop, { once: true });
  return answers;
}

class Answer implements Dispatcher.DispatchHandler {
  #status = 0;
  #headers: HttpReply['headers'] = {};
  readonly #pieces: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #stopped: { reason: Error } | undefined;

  constructor(
    private readonly resolve: (reply: HttpReply) => void,
    private readonly reject: (error: unknown) => void,
    private readonly all: UnderWay,
  ) {
    all.add(this);
  }

  /** What waits for a connection is stopped when it gets one. */
  stop(reason: Error): void {
    this.#stopped = { reason };
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#stopped) controller.abort(this.#stopped.reason);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: HttpReply['headers']): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, piece: Buffer): void {
    this.#pieces.push(piece);
  }

  onResponseEnd(): void {
    this.all.delete(this);
    const [only = noBytes, ...others] = this.#pieces;
    const bytes = others.length > 0 ? Buffer.concat(this.#pieces) : only;
    this.resolve({ status: this.#status, headers: this.#headers, ...bodyOf(bytes, this.#headers) });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.all.delete(this);
    this.reject(error);
  }
}

const noBytes = Buffer.alloc(0);
