import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArchiveLimits } from '../builds/archive.ts';
import { CortexReplica } from '../cortex/cortex-replica.ts';
import { AppLogs } from '../logs/app-logs.ts';
import type { AppRecord, BuildRecord } from '../state/records.ts';
import type { Store } from '../state/store.ts';
import { createAppEnvironment } from './environment.ts';
import { ReplicaPool } from './pool.ts';
import type { AppProcess } from './process.ts';
import { findPython, PythonPackages } from './python.ts';
import { CallAbortedError } from './replica.ts';
import { ServerReplica } from './server-replica.ts';
import { unpackZip } from './unpack.ts';

interface AppRunnerOptions {
  store: Store;
  now: () => number;
  /** The folder of uploaded archives. */
  storage: string;
  archiveLimits: ArchiveLimits;
  /** Where apps are unpacked and work. It is emptied. */
  folder: string;
  /** Where what they print is kept; without it, only in memory. */
  logs?: string | undefined;
  /** `false`: nothing is started, calls are simulated. */
  real: boolean;
  /** Where dependencies are installed; without it, none are. */
  packages?: string | undefined;
  /** Hears what is wrong with an app, though it runs. */
  warn: (text: string) => void;
}

/** Why an archive could not be unpacked, in the user's words. */
export class UnpackError extends Error {}

/** All that runs of the project's apps: their replicas, the calls under way, and what they print. */
export class AppRunner {
  readonly logs: AppLogs;
  /** Images of one-off runs, by their digest: how often each was asked for, and what is in it. */
  readonly images = new Map<string, { asked: number; requirements: string }>();
  readonly folder: string;
  readonly #store: Store;
  readonly #now: () => number;
  readonly #storage: string;
  readonly #archiveLimits: ArchiveLimits;
  readonly #real: boolean;
  readonly #packages: PythonPackages | undefined;
  readonly #warn: (text: string) => void;
  readonly #pools = new Map<string, ReplicaPool>();
  readonly #unpacked = new Map<string, Promise<string>>();
  readonly #calls = new Map<string, AbortController>();
  /** One-off runs. */
  readonly #processes = new Set<AppProcess>();
  readonly #background = new Set<Promise<unknown>>();
  #end = new AbortController();

  constructor({ store, now, storage, archiveLimits, folder, logs, real, packages, warn }: AppRunnerOptions) {
    this.#store = store;
    this.#now = now;
    this.#storage = storage;
    this.#archiveLimits = archiveLimits;
    this.logs = new AppLogs(now, logs);
    this.folder = folder;
    this.#real = real;
    this.#warn = warn;
    this.#packages = packages === undefined ? undefined : new PythonPackages(packages);
  }

  /** Whether dependencies are installed. */
  get installsPackages(): boolean {
    return this.#packages !== undefined;
  }

  /** The interpreter; undefined when nothing can run here. */
  async python(): Promise<string | undefined> {
    return this.#real ? findPython() : undefined;
  }

  /** An interpreter that has these packages, if packages are installed here. Rejects with an `InstallFailure`. */
  async pythonWith(requirements: string, say: (line: string) => void = () => {}): Promise<string | undefined> {
    const python = await this.python();
    if (!python || !this.#packages || requirements.trim() === '') return python;
    return this.#packages.install(requirements, python, say, (process) => this.trackProcess(process));
  }

  /** Aborts when the emulator stops. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** The replicas of an app. */
  getPool(app: string): ReplicaPool {
    const known = this.#pools.get(app);
    if (known) return known;
    const pool = new ReplicaPool((record, build, python) => this.#begin(record, build, python), this.#now);
    this.#pools.set(app, pool);
    return pool;
  }

  /** Unpacks a build's archive, once. Gives the folder. Rejects with an `UnpackFailure`, and tries again next time. */
  unpackBuild({ id, app, keyName }: BuildRecord): Promise<string> {
    const known = this.#unpacked.get(id);
    if (known) return known;
    const folder = this.folderFor(app, id);
    const unpacking = unpackZip(join(this.#storage, keyName), folder, this.#archiveLimits).then(
      () => folder,
      (cause: Error) => {
        this.#unpacked.delete(id);
        throw new UnpackError(`its archive cannot be unpacked: ${cause.message}`, { cause });
      },
    );
    this.#unpacked.set(id, unpacking);
    return unpacking;
  }

  /** A folder of its own for everything an app does. */
  folderFor(app: string, name: string): string {
    return join(this.folder, app, name);
  }

  /** Notes a call, so that it can be cancelled. */
  trackRun(run: string): AbortController {
    const call = new AbortController();
    this.#calls.set(run, call);
    return call;
  }

  untrackRun(run: string): void {
    this.#calls.delete(run);
  }

  cancelRun(run: string): void {
    this.#calls.get(run)?.abort(new CallAbortedError('the run was cancelled', 500, 0));
  }

  /** Work that nobody waits for but the end of the emulator. */
  runInBackground(work: Promise<unknown>): void {
    const done = work.catch(() => {}).finally(() => this.#background.delete(done));
    this.#background.add(done);
  }

  /** A process that is stopped with the emulator. */
  trackProcess(process: AppProcess): AppProcess {
    this.#processes.add(process);
    const over = () => void this.#processes.delete(process);
    process.ended.then(over, over);
    return process;
  }

  async stopApp(app: string): Promise<void> {
    const pool = this.#pools.get(app);
    this.#pools.delete(app);
    await pool?.stop();
    this.logs.delete(app);
    await rm(join(this.folder, app), { recursive: true, force: true });
  }

  /** Ends every process and gives up every call. It can be used again afterwards. */
  async stop(): Promise<void> {
    this.#end.abort(stopped);
    this.#end = new AbortController();
    for (const call of this.#calls.values()) call.abort(stopped);
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    this.#unpacked.clear();
    this.images.clear();
    const processes = [...this.#processes];
    await Promise.all([...pools.map((pool) => pool.stop()), ...processes.map((one) => one.stop(0))]);
    await Promise.all(this.#background);
    await rm(this.folder, { recursive: true, force: true });
  }

  #begin(app: AppRecord, build: BuildRecord, python: string) {
    const name = `${app.id}-${build.id.slice(0, 8)}-${this.#store.newId().slice(0, 5)}`;
    const folder = this.folderFor(app.id, build.id);
    const environment = createAppEnvironment(app, build.id, this.folder, this.#store, python);
    const Runtime = build.settings.runtime === 'custom' ? ServerReplica : CortexReplica;
    const print = (said: Parameters<ConstructorParameters<typeof Runtime>[0]['print']>[0]) =>
      this.logs.add(app.id, { ...said, container: name });
    const warn = (text: string) => {
      print({ stream: 'stderr', text: `warning: ${text}` });
      this.#warn(`app ${app.name}: ${text}`);
    };
    return {
      name,
      replica: new Runtime({ app, build, name, folder, scratch: this.folder, python, environment, print, warn }),
    };
  }
}

const stopped = new CallAbortedError('the emulator stops', 503, -1);
