import { readFileSync, realpathSync } from 'node:fs';
import { attempt } from '../../kernel/errors.ts';
import type { AppSettings } from '../model/apps/settings.ts';
import type { Store } from '../model/state/store.ts';
import type { Debugging } from './debugging/debugging.ts';
import type { AppLogs } from './logs/app-logs.ts';
import { createAppEnvironment, createAppVariables } from './processes/environment.ts';
import { killTree } from './processes/process.ts';
import { processTree, type UsageSampler } from './processes/usage.ts';
import { CortexReplica } from './replicas/cortex/cortex-replica.ts';
import type { Replica, ReplicaOptions } from './replicas/replica.ts';
import type { ReplicaStart } from './replicas/replica-pool.ts';
import { RestartingReplica } from './replicas/restarting-replica.ts';
import { ServerReplica, serverContainer, serverProcess } from './replicas/server-replica.ts';
import type { UnpackedBuilds } from './unpacked-builds.ts';

export interface StarterChoices {
  /** The pause before the second restart of a replica, in ms; each later one is twice as long. Default: 10,000. */
  restartPauseMs: number;
  /** Called with problems that do not stop an app, such as that other machines can reach its server. */
  onWarning: (text: string) => void;
}

export interface StarterOptions extends StarterChoices {
  store: Store;
  now: () => number;
  /** Where apps are unpacked and run. */
  folder: string;
  debugging: Debugging;
}

/** Starts replicas: the process of a build with its environment, its volumes, its debugger and its log. */
export class ReplicaStarter {
  constructor(
    private readonly options: StarterOptions,
    private readonly builds: UnpackedBuilds,
    private readonly logs: AppLogs,
    private readonly usage: UsageSampler,
  ) {}

  start({ app, build, python, onStartOutput }: ReplicaStart): { name: string; replica: RestartingReplica } {
    const { now, store, restartPauseMs: pauseMs, debugging } = this.options;
    const { builds, usage } = this;
    const name = `${app.id}-${build.id.slice(0, 8)}-${store.newId().slice(0, 5)}`;
    const folder = builds.folderFor(app.id, build.id);
    const { launch, folders } = builds.storageOf(build);
    const image = builds.imageOf(build);
    const environment = this.environmentOf({ app, build, python });
    const shorten = pathShortener(folder);
    const print: ReplicaOptions['print'] = ({ text, ...output }) => {
      const line = { ...output, text: shorten(text), container: name };
      if (!onStartOutput?.(line)) this.logs.add(app.id, line);
    };
    const warn = (text: string) => {
      print({ stream: 'stderr', text: `warning: ${text}` });
      this.options.onWarning(`app ${app.name}: ${text}`);
    };
    const limit: ReplicaOptions['limit'] = (ms, callback) => debugging.holds.after(app.id, ms, callback);
    const options = { app, build, name, folder, python, environment, launch, folders, limit, print, warn };
    const start = () => {
      if (image) return new ServerReplica(options, serverContainer(options, image));
      const { release, environment: debugger_ } = debugging.claim({ app, build, python, folder });
      const debugged = { ...options, environment: { ...environment, ...debugger_ } };
      const isServer = build.settings.runtime === 'custom';
      const started = isServer ? new ServerReplica(debugged, serverProcess(debugged)) : new CortexReplica(debugged);
      if (release) started.ended.then(release, release);
      return started;
    };
    const replica = new RestartingReplica({ start, now, pauseMs, print });
    const release = builds.use(build);
    replica.ended.then(release, release);
    const guard = memoryGuard(replica, app.settings, print);
    usage.watch({ app: app.id, container: name, pid: () => replica.pid, guard }, replica.ended);
    return { name, replica };
  }

  /** Environment variables of a replica that is started now. */
  environmentOf({ app, build, python }: ReplicaStart) {
    const { builds } = this;
    const variables = [app, build.id, builds.storageOf(build).environment, this.options.store] as const;
    return builds.imageOf(build) ? createAppVariables(...variables) : createAppEnvironment(...variables, python);
  }
}

/**
 * Python prints where an error is as an absolute path. Returns a function that makes those in the app's folder relative,
 * so that they are the files that the user knows.
 */
function pathShortener(folder: string): (line: string) => string {
  // Temporary folders are below a symbolic link on macOS.
  const real = attempt(() => realpathSync(folder)) ?? folder;
  const prefixes = [...new Set([folder, real])].map((path) => `${path}/`);
  return (line) => {
    const [start = '', path] = /^(\s*File "|(?=\/))/.exec(line) ?? [];
    const rest = line.slice(start.length);
    const prefix = path === undefined ? undefined : prefixes.find((each) => rest.startsWith(each));
    return prefix ? start + rest.slice(prefix.length) : line;
  };
}

/**
 * Kills a replica that uses more memory than it may, as the kernel of a platform does. Only without a GPU: what is in the
 * memory of a GPU on the platform is in that of this machine.
 */
function memoryGuard(
  replica: Replica & { runs: Set<string> },
  { memory, compute }: AppSettings,
  print: ReplicaOptions['print'],
) {
  if (compute[0] !== 'CPU') return undefined;
  const limitBytes = memory * gibibyte;
  return (pid: number, memoryBytes: number) => {
    const usedBytes = memoryBytes <= limitBytes ? 0 : (readOwnMemory(pid) ?? memoryBytes);
    if (usedBytes <= limitBytes) return;
    const used = `${(usedBytes / gibibyte).toFixed(2)} GB of memory, and its limit is ${memory} GB`;
    const text = `OOMKilled: the replica used ${used} (hardware.memory)`;
    if (replica.runs.size === 0) print({ stream: 'stderr', text });
    for (const run of replica.runs) print({ run, stream: 'stderr', text });
    killTree(pid, 'SIGKILL');
  };
}

const gibibyte = 1024 ** 3;

/** Like the resident memory, but counts what several processes share only once. Undefined where it cannot be read. */
function readOwnMemory(pid: number): number | undefined {
  return attempt(() => processTree(pid).reduce((sum, each) => sum + readProportionalSize(each), 0));
}

function readProportionalSize(pid: number): number {
  const [, kilobytes = '0'] = /^Pss:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}
