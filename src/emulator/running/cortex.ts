import { createReadStream, rmSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Content, json, type Reply } from '../reply.ts';
import { ItemQueue } from './item-queue.ts';
import { AppProcess } from './process.ts';
import { Breakdown, type Replica, type ReplicaCall, type Start } from './replica.ts';
import { SentBody } from './sent-body.ts';

/** What the worker tells; see `cortex.py`. */
interface Event {
  ready?: true;
  broken?: string;
  run?: string | null;
  stream?: 'stdout' | 'stderr';
  line?: string;
  call?: string;
  /** The whole answer: read and written again here, large numbers would change. */
  answer?: string;
  answerFile?: string;
  failed?: string;
  status?: number;
  begins?: true;
  item?: string;
  size?: number;
  ends?: true;
  ms?: number;
}

interface Pending {
  answer(reply: Reply): void;
  fail(error: Error): void;
  items?: ItemQueue;
}

/** A replica of the default runtime: it has loaded `main.py`, whose functions are called (wire §7). */
export class CortexReplica implements Replica {
  readonly ready: Promise<void>;
  readonly ended: Promise<unknown>;
  readonly #process: AppProcess;
  readonly #pending = new Map<string, Pending>();
  #becameReady = () => {};
  #failed = (_: Error) => {};
  #broken = '';

  constructor({ python, folder, scratch, environment, print }: Start) {
    const worker = fileURLToPath(new URL('./cortex.py', import.meta.url));
    this.#process = new AppProcess(python, [worker, scratch], {
      cwd: folder,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
    });
    const { child } = this.#process;
    this.ready = new Promise((done, failed) => {
      this.#becameReady = done;
      this.#failed = failed;
    });
    this.ready.catch(() => {});
    // What does not go through Python's own streams is nobody's: no run is known.
    this.#process.onLine(child.stdout, (text) => print({ stream: 'stdout', text }));
    this.#process.onLine(child.stderr, (text) => print({ stream: 'stderr', text }));
    this.#process.onLine(child.stdio[4] as Readable, (line) => this.#hear(JSON.parse(line), print));
    child.stdio[3]?.on('error', () => {});
    this.ended = this.#process.ended.then(
      ({ code, signal }) => this.#end(this.#broken || `its process ended with ${signal ?? `exit code ${code}`}`),
      (error: Error) => this.#end(error.message),
    );
  }

  async call({ run, path, method, body, signal }: ReplicaCall): Promise<Reply> {
    if (method !== 'POST') return json({ message: `functions are called with POST, not ${method}` }, 405);
    if (!(body instanceof SentBody)) throw new TypeError('a function gets all of its body at once');
    const sent = body.file === undefined ? { body: await body.text() } : { bodyFile: body.file };
    let pending: Pending | undefined;
    const answered = new Promise<Reply>((answer, fail) => {
      pending = { answer, fail };
      this.#pending.set(run, pending);
    });
    const giveUp = () => {
      this.#tell({ cancel: run });
      this.#settle(run)?.fail(signal.reason);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    else this.#tell({ call: run, function: path[0] ?? '', ...sent });
    try {
      return await answered;
    } finally {
      // A stream may be given up later, too.
      if (!pending?.items) signal.removeEventListener('abort', giveUp);
    }
  }

  stop(graceMs: number): Promise<void> {
    return this.#process.stop(graceMs);
  }

  #tell(message: object): void {
    const commands = this.#process.child.stdio[3];
    if (commands && 'write' in commands && commands.writable) commands.write(`${JSON.stringify(message)}\n`);
  }

  #hear(event: Event, print: Start['print']): void {
    if (event.line !== undefined) print({ stream: event.stream ?? 'stdout', text: event.line, run: event.run ?? null });
    else if (event.ready) this.#becameReady();
    else if (event.broken) this.#broken = event.broken;
    else if (event.call) this.#hearOf(event.call, event);
  }

  #hearOf(call: string, { begins, item, size, ends, failed, answer, answerFile, status, ms }: Event): void {
    const pending = this.#pending.get(call);
    if (begins) this.#beginStream(call, pending);
    else if (item !== undefined) pending?.items?.add(item, size ?? 0);
    else if (ends) this.#settle(call)?.items?.end();
    else if (failed !== undefined && pending?.items) this.#settle(call)?.fail(new Error(failed));
    else if (failed !== undefined) this.#settle(call)?.answer(failure(call, failed, status ?? 500, ms));
    else this.#settle(call)?.answer(success(answerFile ? fileOf(answerFile) : (answer ?? ''), status ?? 200));
  }

  #beginStream(call: string, pending: Pending | undefined): void {
    if (!pending) return;
    const items = new ItemQueue((size) => this.#tell({ taken: call, size }));
    pending.items = items;
    pending.answer({ status: 200, headers: streamHeaders, body: { size: undefined, read: () => eventStream(items) } });
    pending.fail = (error) => items.fail(error);
  }

  #settle(call: string): Pending | undefined {
    const pending = this.#pending.get(call);
    this.#pending.delete(call);
    return pending;
  }

  #end(reason: string): void {
    this.#failed(new Breakdown(reason));
    for (const call of [...this.#pending.keys()]) this.#settle(call)?.fail(new Breakdown(reason));
  }
}

const streamHeaders = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

function success(body: Reply['body'], status: number): Reply {
  return { status, headers: { 'content-type': 'application/json' }, body };
}

/** Read once, then it is gone. */
function fileOf(path: string): Content {
  const { size } = statSync(path);
  async function* read(start: number, end: number) {
    try {
      if (end > start) yield* createReadStream(path, { start, end: Math.min(size, end) - 1 });
    } finally {
      rmSync(path, { force: true });
    }
  }
  return { size, read };
}

function failure(run: string, message: string, status: number, ms = 0): Reply {
  return json({ run_id: run, run_time_ms: ms, message }, status);
}

async function* eventStream(items: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const item of items) {
    const lines = item.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
    yield Buffer.from(`${lines.join('')}\n`);
  }
}
