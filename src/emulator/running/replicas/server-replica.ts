import parseWords from 'string-argv';
import { begun } from '../../../kernel/once.ts';
import type { ServerReply } from '../../http/reply.ts';
import type { AppSettings } from '../../model/apps/settings.ts';
import type { OwnImage } from '../processes/own-containers.ts';
import { AppProcess, describeExit, type ProcessExit } from '../processes/process.ts';
import { startModules } from '../processes/python-files.ts';
import { forwardRequest, requestUpgrade } from './forward-request.ts';
import {
  type Replica,
  type ReplicaCall,
  ReplicaError,
  type ReplicaOptions,
  type SocketCall,
  type SocketReply,
} from './replica.ts';
import {
  findExposedAddress,
  findListeningPorts,
  freePort,
  isFree,
  isOfOther,
  portPattern,
  untilReady,
} from './server-ready.ts';

/** How the server of an app runs: as a process of this machine, or in a container. */
export interface ServerRuntime {
  /** The process of a container is not known: it may be in another namespace or on a virtual machine. */
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
      server.onLine(server.child[stream], (text) => print({ stream, text: withConfiguredPort(text, port, build) }));
    const died = begun(this.#exitReason().then((reason) => Promise.reject(new ReplicaError(reason))));
    const { pid = 0 } = server.child;
    const watch = new AbortController();
    const isOwn = () => runtime.isOwn(port, pid);
    const listensOn = async () => (await runtime.listensOn?.(pid)) ?? [];
    const tell = (text: string) => print({ stream: 'stderr', text });
    const start = { settings: build.settings, port, limit, signal: watch.signal, isOwn, listensOn, tell };
    await Promise.race([died, untilReady(start)]).finally(() => watch.abort());
  }

  async #exitReason(): Promise<string> {
    if (!this.#process) return 'it was stopped';
    const end = await this.#process.ended.catch((error: NodeJS.ErrnoException) => error);
    return this.runtime.describeEnd(end, this.#stopped);
  }
}

/** A line of the server as it is on the platform, where nobody gives it another port than the configured one. */
function withConfiguredPort(text: string, port: number, { settings }: ReplicaOptions['build']): string {
  return text.replace(new RegExp(`(?<=:|port[ =:]{1,2})${port}(?!\\d)`, 'gi'), String(settings.port));
}

/** Runs the entrypoint of an app with its own server. */
export function serverProcess({ build, folder, environment, python, launch, warn }: ReplicaOptions): ServerRuntime {
  const { settings } = build;
  const words = (port: number) => localCommand(settings, port, python);
  return {
    isContainer: false,
    choosePort: () => choosePort(settings),
    start(port) {
      const modules = startModules(folder, environment, ['loopback', 'breakpoints', 'debugger']);
      const ports = port === settings.port ? {} : { GANTRY_PORTS: `${settings.port}:${port}` };
      const env = { ...environment, ...ports, PYTHONPATH: modules, PORT: String(port) };
      const [program = '', ...more] = words(port);
      const { command, args } = launch(program, more);
      return new AppProcess(command, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    },
    isOwn: async (port, pid) => !(await isOfOther(port, pid)),
    listensOn: findListeningPorts,
    async started(port, isReady) {
      claimedPorts.delete(port);
      const address = isReady ? await findExposedAddress(port) : undefined;
      if (address) warn(exposureWarning(address, port));
    },
    describeEnd(end) {
      const [program = ''] = words(settings.port);
      const isLaunched = launch(program, []).command !== program;
      const isMissing = end instanceof Error ? end.code === 'ENOENT' : end.code === notFoundCode && isLaunched;
      if (isMissing) return `its entrypoint failed to start: ${program} not found`;
      return end instanceof Error
        ? `its entrypoint failed to start: ${end.message}`
        : `its process ended with ${describeExit(end)}`;
    },
  };
}

function exposureWarning(address: string, port: number): string {
  const reached = address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
  return `the server listens on ${reached}, where other machines can call it without a token; make it listen on 127.0.0.1`;
}

/** What the program that mounts volumes exits with if it cannot find the command to run. A shell has 127 for its own. */
const notFoundCode = 203;

/** Ports of servers that have not started to listen: they are still free. */
const claimedPorts = new Set<number>();

/** The configured port if it is free, and any other one if the entrypoint names it: that can be changed. */
async function choosePort(settings: AppSettings): Promise<number> {
  const { entrypoint, port } = settings;
  if (portPattern(settings).test(entrypoint.join(' ')) || claimedPorts.has(port)) return freePort();
  claimedPorts.add(port);
  if (await isFree(port)) return port;
  claimedPorts.delete(port);
  return freePort();
}

/** The image, which may have a command, is not pulled. */
const noCommand = ['python', '-c', 'raise SystemExit("no command specified: the settings have no entrypoint")'];

/** The entrypoint with this machine's interpreter, the loopback address, and the port that was chosen. */
function localCommand(settings: AppSettings, actual: number, python: string): string[] {
  const { entrypoint } = settings;
  const words = entrypoint.length === 1 ? parseWords(entrypoint[0] ?? '') : entrypoint;
  return (words.length > 0 ? words : noCommand).map((word, index) => {
    if (index === 0 && /^python3?(\.\d+)?$/.test(word)) return python;
    return word.replaceAll('0.0.0.0', '127.0.0.1').replace(portPattern(settings), String(actual));
  });
}

/** Runs the image of an app with a Dockerfile, with docker or podman. */
export function serverContainer(options: ReplicaOptions, { tag, containers }: OwnImage): ServerRuntime {
  const { app, build, environment, folders, name } = options;
  const { memory } = app.settings;
  const { port: ownPort, entrypoint } = build.settings;
  const [program, ...words] = entrypoint.length === 1 ? parseWords(entrypoint[0] ?? '') : entrypoint;
  const variables = { ...environment, PORT: String(ownPort) };
  return {
    isContainer: true,
    choosePort: freePort,
    start(port) {
      const args = [
        ...limits(app.settings, containers.engine),
        '--publish',
        `127.0.0.1:${port}:${ownPort}`,
        ...Object.entries(folders).flatMap(([path, source]) => ['--volume', `${source}:${path}`]),
        ...Object.entries(variables).flatMap(variableArgument),
        ...(program ? ['--entrypoint', program, tag, ...words] : [tag]),
      ];
      return containers.run(name, args, { ...variables, ...process.env });
    },
    isOwn: () => containers.isRunning(name),
    describeEnd(end, wasStopped) {
      if (end instanceof Error) return `its container cannot be started: ${end.message}`;
      const isKilled = end.code === killedCode && !wasStopped;
      const why = isKilled ? `, as one that uses more than ${memory} GB of memory (hardware.memory)` : '';
      return `its container ended with ${describeExit(end)}${why}`;
    },
    remove: () => containers.remove(name),
  };
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
