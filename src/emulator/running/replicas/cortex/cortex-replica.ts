import { Readable } from 'node:stream';
import * as v from 'valibot';
import { onAbort } from '../../../../kernel/clock.ts';
import { begun, deferred } from '../../../../kernel/once.ts';
import { jsonReply, type ServerReply, toReadableBody } from '../../../http/reply.ts';
import { parseJsonLine } from '../../../model/state/data-folder.ts';
import { AppProcess, describeExit } from '../../processes/process.ts';
import { pythonFile, startModules } from '../../processes/python-files.ts';
import {
  type Replica,
  type ReplicaCall,
  ReplicaError,
  type ReplicaOptions,
  StartTimeoutError,
  UndeliveredError,
} from '../replica.ts';

interface Pending {
  respond(reply: ServerReply): void;
  fail(error: Error): void;
  /** The items of a stream: each a StreamItem, or the error that ends it. */
  items?: Readable;
}

/** A replica of the default runtime: it has loaded `main.py` and calls its functions. */
export class CortexReplica implements Replica {
  readonly #loaded = deferred();
  readonly ready = this.#loaded.promise;
  readonly ended: Promise<string>;
  readonly #process: AppProcess;
  readonly #pending = new Map<string, Pending>();
  #loadError = '';
  #endError: ReplicaError | undefined;
  readonly #print: ReplicaOptions['print'];

  constructor({ build, python, folder, environment, launch, limit, print }: ReplicaOptions) {
    this.#print = print;
    const worker = pythonFile('emulator/running/replicas/cortex/cortex.py');
    const { command, args } = launch(python, [worker]);
    const modules = environment.GANTRY_DEBUGGER ? { PYTHONPATH: startModules(folder, environment, ['debugger']) } : {};
    this.#process = new AppProcess(command, args, {
      cwd: folder,
      env: { ...environment, ...modules },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
    });
    const { child } = this.#process;
    const { deploymentInitializationTimeout: seconds } = build.settings;
    const stopLimit = limit(seconds * 1000, () => this.#stopLate(seconds));
    begun(this.ready.finally(stopLimit));
    // Output that bypasses Python's streams has no run.
    this.#process.onLine(child.stdout, (text) => print({ stream: 'stdout', text }));
    this.#process.onLine(child.stderr, (text) => print({ stream: 'stderr', text }));
    const events = child.stdio[4] as Readable;
    this.#process.onLine(events, (line) => this.#handleLine(line), maxEventLength);
    child.stdio[3]?.on('error', () => {});
    this.ended = this.#process.ended.then(
      (exit) => this.#handleExit(this.#loadError || `its process ended with ${describeExit(exit)}`),
      (error: Error) => this.#handleExit(error.message),
    );
  }

  get pid(): number | undefined {
    return this.#process.child.pid;
  }

  async call({ run, path, method, body, signal }: ReplicaCall): Promise<ServerReply> {
    if (method !== 'POST')
      return jsonReply({ message: `method ${method} not allowed: functions are called with POST` }, 405);
    if (!Buffer.isBuffer(body)) throw new TypeError('a function needs its whole body');
    if (this.#endError) throw new UndeliveredError(this.#endError.message);
    const response = deferred<ServerReply>();
    const pending: Pending = { respond: response.resolve, fail: response.reject };
    this.#pending.set(run, pending);
    const abort = () => {
      this.#send({ cancel: run });
      this.#finish(run)?.fail(signal.reason);
    };
    const stopListening = onAbort(signal, abort);
    // The worker reads no more: it has not seen the end of this line.
    const lost = () => this.#finish(run)?.fail(new UndeliveredError('its process takes no more calls'));
    if (signal.aborted) abort();
    else this.#send({ call: run, function: path[0] ?? '', body: String(body) }, lost);
    try {
      return await response.promise;
    } finally {
      // A stream can still be aborted.
      if (!pending.items) stopListening();
    }
  }

  stop(graceMs: number): Promise<void> {
    return this.#process.stop(graceMs);
  }

  #send(message: object, onLost = () => {}): void {
    const commands = this.#process.child.stdio[3];
    if (!commands || !('write' in commands) || !commands.writable) onLost();
    else commands.write(`${JSON.stringify(message)}\n`, (error) => error && onLost());
  }

  #stopLate(seconds: number): void {
    this.#loadError = `it was not ready within ${seconds} seconds`;
    this.#loaded.reject(new StartTimeoutError(this.#loadError));
    this.#process.kill('SIGKILL');
  }

  #handleLine(line: string): void {
    const event = parseJsonLine(Event, line);
    // The app runs in the same process, and can print here, too.
    if (!event) this.#print({ stream: 'stdout', text: line });
    else if (event.line !== undefined)
      this.#print({ stream: event.stream ?? 'stdout', text: event.line, run: event.run ?? null });
    else if (event.ready) this.#loaded.resolve();
    else if (event.broken) this.#loadError = event.broken;
    else this.#handleCallEvent(event.call ?? '', event);
  }

  #handleCallEvent(call: string, event: WorkerEvent): void {
    const pending = this.#pending.get(call);
    // The call was aborted.
    if (!pending) return;
    if (pending.items) this.#continueStream(call, event, pending.items);
    else this.#startResponse(call, event, pending);
  }

  #continueStream(call: string, { item, size = 0, ends, failed }: WorkerEvent, items: Readable): void {
    if (item !== undefined) items.push({ text: item, size });
    else if (ends) this.#finish(call)?.items?.push(null);
    else if (failed !== undefined) this.#finish(call)?.fail(new Error(failed));
  }

  #startResponse(call: string, { begins, failed, answer, status, ms }: WorkerEvent, pending: Pending): void {
    if (begins) this.#startStream(call, pending);
    else if (failed !== undefined) this.#finish(call)?.respond(errorReply(call, failed, status || 500, ms));
    else if (answer !== undefined) {
      const reply = { status: status || 200, headers: { 'content-type': 'application/json' }, body: answer };
      // Of a long one that is sent at once, nobody learns that the caller left before its end.
      const body = answer.length < maxAtOnce ? answer : toReadableBody(reply);
      this.#finish(call)?.respond({ ...reply, body });
    }
  }

  #startStream(call: string, pending: Pending): void {
    const items = new Readable({ objectMode: true, read() {} });
    const taken = (size: number) => this.#send({ taken: call, size });
    pending.items = items;
    const body = { size: undefined, read: () => eventStream(items, taken) };
    pending.respond({ status: 200, headers: streamHeaders, body });
    pending.fail = (error) => void items.push(error);
  }

  #finish(call: string): Pending | undefined {
    const pending = this.#pending.get(call);
    this.#pending.delete(call);
    return pending;
  }

  #handleExit(reason: string): string {
    this.#endError = new ReplicaError(reason);
    this.#loaded.reject(this.#endError);
    for (const call of [...this.#pending.keys()]) this.#finish(call)?.fail(this.#endError);
    return reason;
  }
}

/** In characters. */
const maxAtOnce = 1024 * 1024;

/** Answers and items of a stream may be long. */
const maxEventLength = 256 * 1024 * 1024;

const streamHeaders = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

function errorReply(run: string, message: string, status: number, ms = 0): ServerReply {
  return jsonReply({ run_id: run, run_time_ms: ms, message }, status);
}

type StreamItem = { text: string; size: number };

/** Calls `taken` for each item that was read. */
async function* eventStream(
  items: AsyncIterable<StreamItem | Error>,
  taken: (size: number) => void,
): AsyncGenerator<Buffer> {
  for await (const item of items) {
    if (item instanceof Error) throw item;
    const lines = item.text.split(lineEnd);
    yield Buffer.from(isEvent(lines) ? endEvent(item.text) : `${lines.map((line) => `data: ${line}\n`).join('')}\n`);
    taken(item.size);
  }
}

const lineEnd = /\r\n|\r|\n/;

/** Whether a function formatted an item as a server-sent event itself: then it is passed on unchanged. */
function isEvent(lines: readonly string[]): boolean {
  const fields = lines.filter((line) => line !== '');
  return (
    fields.some((line) => line.startsWith('data:')) && fields.every((line) => /^(data|event|id|retry)?:/.test(line))
  );
}

/** An event ends with an empty line. */
function endEvent(item: string): string {
  const [, ends = ''] = /((?:\r\n|\r|\n)*)$/.exec(item) ?? [];
  return item + '\n'.repeat(Math.max(0, 2 - ends.split(lineEnd).length + 1));
}

const Event = v.object({
  ready: v.optional(v.literal(true)),
  begins: v.optional(v.literal(true)),
  ends: v.optional(v.literal(true)),
  broken: v.optional(v.string()),
  line: v.optional(v.string()),
  call: v.optional(v.string()),
  failed: v.optional(v.string()),
  item: v.optional(v.string()),
  size: v.optional(v.pipe(v.number(), v.minValue(0))),
  ms: v.optional(v.pipe(v.number(), v.minValue(0))),
  run: v.nullish(v.string()),
  stream: v.optional(v.picklist(['stdout', 'stderr'])),
  /** JSON text, passed on as it is: parsing would change large numbers. */
  answer: v.optional(v.string()),
  /** 0: the call was canceled. */
  status: v.optional(v.union([v.literal(0), v.pipe(v.number(), v.integer(), v.minValue(200), v.maxValue(599))])),
});
/** An event of an app's worker, documented in `cortex.py`. */
type WorkerEvent = v.InferOutput<typeof Event>;
