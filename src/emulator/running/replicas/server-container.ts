import parseWords from 'string-argv';
import type { OwnImage } from '../processes/own-containers.ts';
import { describeExit } from '../processes/process.ts';
import type { ReplicaOptions } from './replica.ts';
import { freePort } from './server-ready.ts';
import type { ServerRuntime } from './server-replica.ts';

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
