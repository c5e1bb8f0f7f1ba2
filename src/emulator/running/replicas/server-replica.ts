import parseWords from 'string-argv';
import type { ServerReply } from '../../http/reply.ts';
import type { AppSettings } from '../../model/apps/settings.ts';
import { AppProcess, describeExit } from '../processes/process.ts';
import { forwardRequest, requestUpgrade } from './forward-request.ts';
import { findExposedAddress, findListeningPorts, isOfOther } from './listening.ts';
import {
  type Replica,
  type ReplicaCall,
  ReplicaError,
  type ReplicaOptions,
  type SocketCall,
  type SocketReply,
} from './replica.ts';
import { freePort, isFree, untilReady } from './server-ready.ts';
import { startModules } from './start-modules.ts';

/** A replica of an app with its own server: starts the entrypoint, and forwards requests to its port. */
export class ServerReplica implements Replica {
  readonly ready: Promise<void>;
  readonly ended: Promise<string>;
  #process: AppProcess | undefined;
  #port = 0;
  #stopped = false;

  constructor(start: ReplicaOptions) {
    this.ready = this.#start(start);
    this.ready.catch(() => {});
    this.ended = this.ready.then(
      () => this.#exitReason(),
      async (error: Error) => {
        await this.#process?.stop(0);
        return error.message;
      },
    );
    this.ended.catch(() => {});
  }

  get pid(): number | undefined {
    return this.#process?.child.pid;
  }

  call(call: ReplicaCall): Promise<ServerReply> {
    return forwardRequest(call, this.#port);
  }

  openSocket(call: SocketCall): Promise<SocketReply> {
    return requestUpgrade(call, this.#port);
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopped = true;
    await this.#process?.stop(graceMs);
  }

  async #exitReason(): Promise<string> {
    return this.#process ? `its process ended with ${describeExit(await this.#process.ended)}` : 'it was stopped';
  }

  async #start(options: ReplicaOptions): Promise<void> {
    this.#port = await choosePort(options.build.settings);
    try {
      await this.#startProcess(options);
    } finally {
      claimedPorts.delete(this.#port);
    }
    const address = await findExposedAddress(this.#port);
    if (address) options.warn(exposureWarning(address, this.#port));
  }

  async #startProcess({ build, folder, python, environment, launch, limit, print }: ReplicaOptions): Promise<void> {
    const { settings } = build;
    const modules = startModules(folder, environment, ['loopback', 'breakpoints', 'debugger']);
    const env = { ...environment, PYTHONPATH: modules, PORT: String(this.#port) };
    if (this.#stopped) throw new ReplicaError('it was stopped');
    const [program = '', ...args] = localCommand(settings, this.#port, python);
    const { command, args: words } = launch(program, args);
    const server = new AppProcess(command, words, {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#process = server;
    server.onLine(server.child.stdout, (text) => print({ stream: 'stdout', text }));
    server.onLine(server.child.stderr, (text) => print({ stream: 'stderr', text }));
    const watch = new AbortController();
    const died = server.ended.then(
      (exit) => {
        if (exit.code === notFoundCode && command !== program) {
          throw new ReplicaError(`its entrypoint failed to start: ${program} not found`);
        }
        throw new ReplicaError(`its process ended with ${describeExit(exit)}`);
      },
      (error: NodeJS.ErrnoException) => {
        const reason = error.code === 'ENOENT' ? `${program} not found` : error.message;
        throw new ReplicaError(`its entrypoint failed to start: ${reason}`);
      },
    );
    const { pid = 0 } = server.child;
    const start = { settings, port: this.#port, limit, signal: watch.signal };
    const isOwn = async () => !(await isOfOther(this.#port, pid));
    const ports = { listensOn: () => findListeningPorts(pid), isOwn };
    try {
      await Promise.race([died, untilReady({ ...start, ...ports })]);
    } finally {
      watch.abort();
      died.catch(() => {});
    }
  }
}

function exposureWarning(address: string, port: number): string {
  const reached = address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
  return `the server listens on ${reached}, where other machines can call it without a token; make it listen on 127.0.0.1`;
}

/** What the program that mounts volumes exits with if it cannot find the command to run. */
const notFoundCode = 127;

/** Of servers that have not started to listen: they are still free. */
const claimedPorts = new Set<number>();

/** The configured port if it is free, and any other one if the entrypoint names it: that can be changed. */
async function choosePort({ entrypoint, port }: AppSettings): Promise<number> {
  if (portPattern(port).test(entrypoint.join(' ')) || claimedPorts.has(port)) return freePort();
  claimedPorts.add(port);
  if (await isFree(port)) return port;
  claimedPorts.delete(port);
  return freePort();
}

function portPattern(port: number): RegExp {
  return new RegExp(`(?<!\\d)${port}(?!\\d)`, 'g');
}

/** The entrypoint with this machine's interpreter, the loopback address, and the port that was chosen. */
function localCommand({ entrypoint, port }: AppSettings, actual: number, python: string): string[] {
  const words = entrypoint.length === 1 ? parseWords(entrypoint[0] ?? '') : entrypoint;
  return words.map((word, index) => {
    if (index === 0 && /^python3?(\.\d+)?$/.test(word)) return python;
    return word.replaceAll('0.0.0.0', '127.0.0.1').replace(portPattern(port), String(actual));
  });
}
