import { createReadStream, lstatSync, rmSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { BufferedBody } from '../running/buffered-body.ts';
import { AppProcess } from '../running/process.ts';
import { type Replica, type ReplicaCall, ReplicaError, type ReplicaOptions } from '../running/replica.ts';
import { jsonReply, type ReadableBody, type ServerReply } from '../server/reply.ts';
import { ItemQueue } from './item-queue.ts';
import { readWorkerEvent, type WorkerEvent } from './worker-event.ts';

interface Pending {
  answer(reply: ServerReply): void;
  fail(error: Error): void;
  items?: ItemQueue;
}

/** A replica of the default runtime: it has loaded `main.py` and calls its functions. */
export class CortexReplica implements Replica {
  readonly ready: Promise<void>;
  readonly ended: Promise<unknown>;
  readonly #process: AppProcess;
  readonly #pending = new Map<string, Pending>();
  #becameReady = () => {};
  #failed = (_: Error) => {};
  #broken = '';
  /** What the app did to the descriptor of the worker: no call can be trusted to get its own answer any more. */
  #spoiled = '';
  /** Why there will be no more answers. */
  #over: ReplicaError | undefined;
  #closed: NodeJS.Timeout | undefined;
  readonly #scratch: string;
  readonly #print: ReplicaOptions['print'];

  constructor({ python, folder, scratch, environment, print }: ReplicaOptions) {
    this.#scratch = scratch;
    this.#print = print;
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
    const events = child.stdio[4] as Readable;
    this.#process.onLine(events, (line) => this.#hear(line), longestEvent);
    // Usually the process is exiting, and its exit code says more.
    events.on('end', () => {
      this.#closed = setTimeout(() => this.#spoil('closed'), exitMs);
    });
    child.stdio[3]?.on('error', () => {});
    this.ended = this.#process.ended.then(
      ({ code, signal }) =>
        this.#end(this.#spoiled || this.#broken || `its process ended with ${signal ?? `exit code ${code}`}`),
      (error: Error) => this.#end(error.message),
    );
  }

  async call({ run, path, method, body, signal }: ReplicaCall): Promise<ServerReply> {
    if (method !== 'POST') return jsonReply({ message: `functions are called with POST, not ${method}` }, 405);
    if (!(body instanceof BufferedBody)) throw new TypeError('a function gets all of its body at once');
    const sent = body.file === undefined ? { body: await body.text() } : { bodyFile: body.file };
    if (this.#over) throw this.#over;
    let pending: Pending | undefined;
    const answered = new Promise<ServerReply>((answer, fail) => {
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

  /** The app runs in the same process and can write here too, so a line may be anything. */
  #hear(line: string): void {
    if (this.#spoiled) return;
    const event = readWorkerEvent(line);
    if (!event) this.#spoil('wrote to');
    else if (event.line !== undefined)
      this.#print({ stream: event.stream ?? 'stdout', text: event.line, run: event.run ?? null });
    else if (event.ready) this.#becameReady();
    else if (event.broken) this.#broken = event.broken;
    else if (event.call !== undefined) this.#hearOf(event.call, event);
    else this.#spoil('wrote to');
  }

  #hearOf(call: string, event: WorkerEvent): void {
    const pending = this.#pending.get(call);
    // It was given up in the meantime.
    if (!pending) return;
    const isPossible = pending.items ? this.#continueStream(call, event, pending.items) : this.#answer(call, event);
    if (!isPossible) this.#spoil('wrote to');
  }

  /** `false` when this cannot come after the beginning of a stream. */
  #continueStream(call: string, { item, size = 0, ends, failed }: WorkerEvent, items: ItemQueue): boolean {
    if (item !== undefined && items.waiting < mostWaiting) items.add(item, size);
    else if (ends) this.#settle(call)?.items?.end();
    else if (failed !== undefined) this.#settle(call)?.fail(new Error(failed));
    else return false;
    return true;
  }

  /** `false` when this cannot be the beginning of an answer. */
  #answer(call: string, { begins, failed, answer, answerFile, status, ms }: WorkerEvent): boolean {
    if (begins) this.#beginStream(call);
    else if (failed !== undefined) this.#settle(call)?.answer(failure(call, failed, status || 500, ms));
    else {
      const body = answerFile === undefined ? answer : fileOf(answerFile, this.#scratch);
      if (body === undefined) return false;
      this.#settle(call)?.answer(success(body, status || 200));
    }
    return true;
  }

  /** Ends the process: what it tells cannot be relied on. Its calls are answered when it has ended. */
  #spoil(did: 'wrote to' | 'closed'): void {
    if (this.#spoiled || this.#over) return;
    this.#spoiled = `the app ${did} file descriptor 4, which the emulator uses; the replica is restarted`;
    this.#print({ stream: 'stderr', text: `error: ${this.#spoiled}` });
    this.#process.kill('SIGKILL');
  }

  #beginStream(call: string): void {
    const pending = this.#pending.get(call);
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
    clearTimeout(this.#closed);
    this.#over = new ReplicaError(reason);
    this.#failed(this.#over);
    for (const call of [...this.#pending.keys()]) {
      const pending = this.#settle(call);
      if (this.#spoiled && !pending?.items) pending?.answer(failure(call, reason, 500));
      else pending?.fail(this.#over);
    }
  }
}

/** Characters of one event: the items of a stream may be long. */
const longestEvent = 256 * 1024 * 1024;

/** Characters of items that wait for their reader: the worker sends no more after half of it. */
const mostWaiting = 4 * 1024 * 1024;

/** Milliseconds that a process may take to exit after it has closed its descriptors. */
const exitMs = 500;

const streamHeaders = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

function success(body: ServerReply['body'], status: number): ServerReply {
  return { status, headers: { 'content-type': 'application/json' }, body };
}

/** Read once, then it is gone. Undefined when the worker cannot have written it: another file must not be removed. */
function fileOf(path: string, scratch: string): ReadableBody | undefined {
  const isOwn = resolve(dirname(path)) === resolve(scratch) && /^answer-\w{1,64}$/.test(basename(path));
  const stats = isOwn ? lstatSync(path, { throwIfNoEntry: false }) : undefined;
  if (!stats?.isFile()) return undefined;
  const { size } = stats;
  async function* read(start: number, end: number) {
    try {
      if (end > start) yield* createReadStream(path, { start, end: Math.min(size, end) - 1 });
    } finally {
      rmSync(path, { force: true });
    }
  }
  return { size, read };
}

function failure(run: string, message: string, status: number, ms = 0): ServerReply {
  return jsonReply({ run_id: run, run_time_ms: ms, message }, status);
}

async function* eventStream(items: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const item of items) {
    const lines = item.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
    yield Buffer.from(`${lines.join('')}\n`);
  }
}
