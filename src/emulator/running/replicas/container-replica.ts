import { join } from 'node:path';
import parseWords from 'string-argv';
import type { ServerReply } from '../../http/reply.ts';
import { containerLabel, removalOf } from '../processes/orphaned-containers.ts';
import { AppProcess, describeExit } from '../processes/process.ts';
import { forwardRequest, requestUpgrade } from './forward-request.ts';
import {
  ImageBuildError,
  type Replica,
  type ReplicaCall,
  ReplicaError,
  type ReplicaOptions,
  type SocketCall,
  type SocketReply,
} from './replica.ts';
import { freePort, isServing, untilReady } from './server-ready.ts';

/** A replica of an app with a Dockerfile: builds its image, runs it with docker or podman, and forwards requests to it. */
export class ContainerReplica implements Replica {
  readonly ready: Promise<void>;
  readonly ended: Promise<string>;
  #process: AppProcess | undefined;
  #port = 0;
  #stopped = false;
  readonly #engine: string;
  readonly #name: string;
  readonly #image: string;

  constructor(replicaOptions: ReplicaOptions, engine: string) {
    const { environment, build } = replicaOptions;
    const options = { ...replicaOptions, environment: { ...environment, PORT: String(build.settings.port) } };
    this.#engine = engine;
    this.#name = options.name.replace(/[^\w.-]/g, '_');
    this.#image = `gantry-emulator:${build.id}`;
    this.ready = this.#start(options);
    this.ended = this.#untilEnded().finally(() => this.#remove());
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
    const exit = await this.#process?.ended.catch(() => undefined);
    return exit ? `its container ended with ${describeExit(exit)}` : 'it was stopped';
  }

  async #start(options: ReplicaOptions): Promise<void> {
    await this.#buildImage(options);
    this.#port = await freePort();
    if (this.#stopped) throw new ReplicaError('it was stopped');
    const { settings } = options.build;
    const died = this.#run(this.#runArguments(options), options).then((exit) => {
      throw new ReplicaError(`its container ended with ${describeExit(exit)}`);
    });
    died.catch(() => {});
    const watch = new AbortController();
    const start = { settings, port: this.#port, limit: options.limit, signal: watch.signal, isReady: isServing };
    await Promise.race([died, untilReady(start)]).finally(() => watch.abort());
  }

  async #buildImage(options: ReplicaOptions): Promise<void> {
    const { folder, build } = options;
    const file = join(folder, build.settings.dockerfilePath ?? 'Dockerfile');
    const exit = await this.#run(['build', '--tag', this.#image, '--file', file, folder], options);
    if (exit.code !== 0) {
      throw new ImageBuildError(`its image cannot be built: ${this.#engine} ended with ${describeExit(exit)}`);
    }
  }

  #runArguments({ build, environment, folders }: ReplicaOptions): string[] {
    const { port, entrypoint } = build.settings;
    const [program, ...words] = entrypoint.length === 1 ? parseWords(entrypoint[0] ?? '') : entrypoint;
    return [
      ...['run', '--rm', '--name', this.#name, '--label', containerLabel()],
      ...['--publish', `127.0.0.1:${this.#port}:${port}`],
      ...Object.entries(folders).flatMap(([path, source]) => ['--volume', `${source}:${path}`]),
      ...Object.entries(environment).flatMap(variableArgument),
      ...(program ? ['--entrypoint', program, this.#image, ...words] : [this.#image]),
    ];
  }

  #run(args: string[], { environment, print }: ReplicaOptions) {
    const env = { ...environment, ...process.env };
    this.#process = new AppProcess(this.#engine, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const { child } = this.#process;
    this.#process.onLine(child.stdout, (text) => print({ stream: 'stdout', text }));
    this.#process.onLine(child.stderr, (text) => print({ stream: 'stderr', text }));
    return this.#process.ended;
  }

  /** Errors are ignored: usually the container is gone. */
  async #remove(): Promise<void> {
    for (const args of [...removalOf([this.#name]), ['image', 'rm', this.#image]]) {
      const removing = new AppProcess(this.#engine, args, { env: process.env, stdio: ['ignore', 'ignore', 'ignore'] });
      await removing.ended.catch(() => {});
    }
  }
}

/**
 * The engine takes a variable's value from its own environment: other users can read the arguments of a process. Variables
 * that the engine itself uses are the exception.
 */
function variableArgument([name, value]: [string, string | undefined]): string[] {
  return ['--env', name in process.env ? `${name}=${value}` : name];
}
