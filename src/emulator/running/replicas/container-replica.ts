import parseWords from 'string-argv';
import type { ServerReply } from '../../http/reply.ts';
import type { OwnImage } from '../processes/own-containers.ts';
import { type AppProcess, describeExit } from '../processes/process.ts';
import { forwardRequest, requestUpgrade } from './forward-request.ts';
import {
  type Replica,
  type ReplicaCall,
  ReplicaError,
  type ReplicaOptions,
  type SocketCall,
  type SocketReply,
} from './replica.ts';
import { freePort, untilReady } from './server-ready.ts';

/** A replica of an app with a Dockerfile: runs its image with docker or podman, and forwards requests to it. */
export class ContainerReplica implements Replica {
  readonly ready: Promise<void>;
  readonly ended: Promise<string>;
  /** The engine says it later than the network. */
  readonly noticedMs = 3_000;
  #process: AppProcess | undefined;
  #port = 0;
  #stopped = false;

  constructor(
    private readonly options: ReplicaOptions,
    private readonly image: OwnImage,
  ) {
    this.ready = this.#start();
    this.ended = this.#untilEnded().finally(() => this.image.containers.remove(this.options.name));
  }

  /** That of the container is not known: it may be in another namespace or on a virtual machine. */
  get pid(): undefined {
    return undefined;
  }

  call(call: ReplicaCall): Promise<ServerReply> {
    return forwardRequest(call, this.#port);
  }

  openSocket(call: SocketCall): Promise<SocketReply> {
    return requestUpgrade(call, this.#port);
  }

  /** The engine passes SIGTERM on to the container, but not SIGKILL: then the container is removed by force. */
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
    const { app, build, limit, name, environment, print } = this.options;
    const { containers } = this.image;
    this.#port = await freePort();
    if (this.#stopped) throw new ReplicaError('it was stopped');
    const variables = { ...environment, PORT: String(build.settings.port) };
    const args = [...limits(app.settings, containers.engine), ...this.#arguments(variables)];
    this.#process = containers.run(name, args, { ...variables, ...process.env });
    const { child } = this.#process;
    this.#process.onLine(child.stdout, (text) => print({ stream: 'stdout', text }));
    this.#process.onLine(child.stderr, (text) => print({ stream: 'stderr', text }));
    const died = this.#exitReason().then((reason) => {
      throw new ReplicaError(reason);
    });
    died.catch(() => {});
    const watch = new AbortController();
    const isOwn = () => containers.isRunning(name);
    const start = { settings: build.settings, port: this.#port, limit, signal: watch.signal, isOwn };
    await Promise.race([died, untilReady(start)]).finally(() => watch.abort());
  }

  async #exitReason(): Promise<string> {
    const exit = await this.#process?.ended.catch((error: Error) => error.message);
    if (exit === undefined) return 'it was stopped';
    if (typeof exit === 'string') return `its container cannot be started: ${exit}`;
    const { memory } = this.options.app.settings;
    const killed = exit.code === killedCode && !this.#stopped;
    const why = killed ? `, as one that uses more than ${memory} GB of memory (hardware.memory)` : '';
    return `its container ended with ${describeExit(exit)}${why}`;
  }

  #arguments(variables: Record<string, string | undefined>): string[] {
    const { build, folders } = this.options;
    const { port, entrypoint } = build.settings;
    const { tag } = this.image;
    const [program, ...words] = entrypoint.length === 1 ? parseWords(entrypoint[0] ?? '') : entrypoint;
    return [
      ...['--publish', `127.0.0.1:${this.#port}:${port}`],
      ...Object.entries(folders).flatMap(([path, source]) => ['--volume', `${source}:${path}`]),
      ...Object.entries(variables).flatMap(variableArgument),
      ...(program ? ['--entrypoint', program, tag, ...words] : [tag]),
    ];
  }
}

const killedCode = 128 + 9;

/** As far as the engine can set them. Without a GPU only: what is in its memory there is in that of this machine here. */
function limits(
  { memory, cpu, compute }: ReplicaOptions['app']['settings'],
  { limitsMemory, processors }: OwnImage['containers']['engine'],
): string[] {
  return [
    ...(limitsMemory && compute[0] === 'CPU' ? ['--memory', `${Math.ceil(memory * 1024)}m`] : []),
    ...(cpu < processors ? ['--cpus', String(cpu)] : []),
  ];
}

/**
 * The engine takes a variable's value from its own environment: other users can read the arguments of a process. Variables
 * that the engine itself uses are the exception.
 */
function variableArgument([name, value]: [string, string | undefined]): string[] {
  return ['--env', name in process.env ? `${name}=${value}` : name];
}
