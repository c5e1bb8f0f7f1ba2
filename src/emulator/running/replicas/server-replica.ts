import type { ServerReply } from '../../http/reply.ts';
import type { AppProcess, ProcessExit } from '../processes/process.ts';
import { forwardRequest, requestUpgrade } from './forward-request.ts';
import {
  type Replica,
  type ReplicaCall,
  ReplicaError,
  type ReplicaOptions,
  type SocketCall,
  type SocketReply,
} from './replica.ts';
import { untilReady } from './server-ready.ts';

/** How the server of an app runs: as a process of this machine, or in a container. */
export interface ServerRuntime {
  /** Of a container the process is not known: it may be in another namespace or on a virtual machine. */
  isContainer: boolean;
  choosePort(): Promise<number>;
  start(port: number): AppProcess;
  /** Whether what answers on the port is this server, and it runs, as far as that is known. */
  isOwn(port: number, pid: number): Promise<boolean>;
  listensOn?(pid: number): Promise<number[]>;
  /** When it listens, or cannot start. */
  started?(port: number, isReady: boolean): Promise<void>;
  /** Why it ended, for a sentence. */
  describeEnd(end: ProcessExit | NodeJS.ErrnoException, wasStopped: boolean): string;
  /** Removes what it left. */
  remove?(): Promise<void>;
}

/** A replica of an app with its own server: starts that, and forwards requests to its port. */
export class ServerReplica implements Replica {
  readonly ready: Promise<void>;
  readonly ended: Promise<string>;
  /** An engine notices it later than the network. */
  readonly noticedMs: number | undefined;
  #process: AppProcess | undefined;
  #port = 0;
  #stopped = false;

  constructor(
    private readonly options: ReplicaOptions,
    private readonly runtime: ServerRuntime,
  ) {
    this.noticedMs = runtime.isContainer ? 3_000 : undefined;
    this.ready = this.#start();
    this.ended = this.#untilEnded().finally(() => runtime.remove?.());
  }

  get pid(): number | undefined {
    return this.runtime.isContainer ? undefined : this.#process?.child.pid;
  }

  call(call: ReplicaCall): Promise<ServerReply> {
    return forwardRequest(call, this.#port);
  }

  openSocket(call: SocketCall): Promise<SocketReply> {
    return requestUpgrade(call, this.#port);
  }

  /** An engine passes SIGTERM on to its container, but not SIGKILL: what remains is removed by force. */
  async stop(graceMs: number): Promise<void> {
    this.#stopped = true;
    await this.#process?.stop(graceMs);
    await this.ended;
  }

  async #untilEnded(): Promise<string> {
    try {
      await this.ready;
    } catch (error) {
      await this.#process?.stop(0);
      return (error as Error).message;
    }
    return this.#exitReason();
  }

  async #start(): Promise<void> {
    const { runtime } = this;
    const port = await runtime.choosePort();
    this.#port = port;
    let isReady = false;
    try {
      await this.#startServer(port);
      isReady = true;
    } finally {
      await runtime.started?.(port, isReady);
    }
  }

  async #startServer(port: number): Promise<void> {
    const { build, limit, print } = this.options;
    const { runtime } = this;
    if (this.#stopped) throw new ReplicaError('it was stopped');
    const server = runtime.start(port);
    this.#process = server;
    for (const stream of ['stdout', 'stderr'] as const)
      server.onLine(server.child[stream], (text) => print({ stream, text }));
    const died = this.#exitReason().then((reason) => Promise.reject(new ReplicaError(reason)));
    died.catch(() => {});
    const { pid = 0 } = server.child;
    const watch = new AbortController();
    const isOwn = () => runtime.isOwn(port, pid);
    const listensOn = async () => (await runtime.listensOn?.(pid)) ?? [];
    const start = { settings: build.settings, port, limit, signal: watch.signal, isOwn, listensOn };
    await Promise.race([died, untilReady(start)]).finally(() => watch.abort());
  }

  async #exitReason(): Promise<string> {
    if (!this.#process) return 'it was stopped';
    const end = await this.#process.ended.catch((error: NodeJS.ErrnoException) => error);
    return this.runtime.describeEnd(end, this.#stopped);
  }
}
