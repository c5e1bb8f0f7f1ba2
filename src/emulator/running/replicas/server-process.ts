import parseWords from 'string-argv';
import type { AppSettings } from '../../model/apps/settings.ts';
import type { OwnImage } from '../processes/own-containers.ts';
import { AppProcess, describeExit } from '../processes/process.ts';
import { startModules } from '../processes/python-files.ts';
import { findExposedAddress, findListeningPorts, isOfOther } from './listening.ts';
import type { ReplicaOptions } from './replica.ts';
import { freePort, isFree } from './server-ready.ts';
import type { ServerRuntime } from './server-replica.ts';

/** Runs the entrypoint of an app with its own server. */
export function serverProcess({ build, folder, environment, python, launch, warn }: ReplicaOptions): ServerRuntime {
  const { settings } = build;
  const words = (port: number) => localCommand(settings, port, python);
  return {
    isContainer: false,
    choosePort: () => choosePort(settings),
    start(port) {
      const modules = startModules(folder, environment, ['loopback', 'breakpoints', 'debugger']);
      const env = { ...environment, PYTHONPATH: modules, PORT: String(port) };
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
        ...['--publish', `127.0.0.1:${port}:${ownPort}`],
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
