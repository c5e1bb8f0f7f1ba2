import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { onceFor } from '../../kernel/once.ts';
import { shortAppName } from '../../platform/contract/endpoint.ts';
import { type AppSettings, requirementsOf } from '../model/apps/settings.ts';
import { fileNameOf } from '../model/state/data-folder.ts';
import type { AppRecord, BuildRecord, ReplicaPeriod } from '../model/state/records.ts';
import type { Model } from '../model/state/store.ts';
import { AppLogs, type AppOutput } from './logs/app-logs.ts';
import { findContainerEngine, OwnContainers } from './processes/own-containers.ts';
import type { AppProcess } from './processes/process.ts';
import { type AppPython, choosePython, findPython, PythonPackages } from './processes/python.ts';
import { UsageSampler } from './processes/usage.ts';
import { ReplicaStarter, type StarterChoices, type StarterOptions } from './replica-starter.ts';
import { PersistentStorage, type StorageAccess } from './replicas/persistent-storage.ts';
import { CallAbortedError } from './replicas/replica.ts';
import { ReplicaPool, type ReplicaStart } from './replicas/replica-pool.ts';
import { findListeningPorts } from './replicas/server-ready.ts';
import { UnpackedBuilds } from './unpacked-builds.ts';
import type { VolumeStore } from './volumes/volume-store.ts';

/** What the one who starts an emulator may choose for its apps. */
export interface RunnerChoices extends StarterChoices {
  /** `false` simulates builds and calls even if Python is installed. */
  real: boolean;
  /** Installs each app's `requirements.txt` in an environment of its own. */
  install: boolean;
  /** What to type to have the packages of an app installed. */
  installLine: string;
  /** The folder of these environments, which several emulators may share. By default they end with the emulator. */
  packages: string;
  /** How apps get `/persistent-storage`; by default the best that works on this machine. */
  storageAccess?: StorageAccess | undefined;
  /** Keeps a replica of each app running, whatever its cooldown: a developer pauses, and loading a model takes long. */
  keepWarm: boolean;
}

/** Its folder is deleted on stop. */
interface AppRunnerOptions extends RunnerChoices, StarterOptions {
  /** The folder of uploaded archives. */
  archives: string;
  /** The folder of app logs. Without it they are only in memory. */
  logs?: string | undefined;
  volumes: VolumeStore;
}

interface FirstStart extends ReplicaStart {
  signal: AbortSignal;
  print: (text: string) => void;
}

/** Runs apps: their replicas, active calls, background work and logs. */
export class AppRunner {
  readonly logs: AppLogs;
  readonly usage: UsageSampler;
  /** Images of one-off runs by digest. `requests` counts how often each was requested. */
  readonly images = new Map<string, { requests: number; requirements: Buffer }>();
  readonly folder: string;
  readonly #packages: PythonPackages;
  installsPackages: boolean;
  readonly installLine: string;
  readonly storage: PersistentStorage;
  readonly unpacked: UnpackedBuilds;
  readonly #starter: ReplicaStarter;
  readonly #pools = new Map<string, ReplicaPool>();
  /** Runs, and builds that install or start something, by id. */
  readonly #active = new Map<string, AbortController>();
  /** The interpreters of builds that were called: to find one may take some time. */
  readonly #interpreters = new WeakMap<BuildRecord, string>();
  /** One-off runs. */
  readonly #processes = new Set<AppProcess>();
  readonly #background = new Set<Promise<unknown>>();
  #containers: Promise<OwnContainers> | undefined;
  #stopping = new AbortController();

  constructor(private readonly options: AppRunnerOptions) {
    const { now, logs, packages, volumes, storageAccess } = options;
    this.folder = options.folder;
    this.logs = new AppLogs(now, logs);
    this.storage = new PersistentStorage({ volumes, scratch: this.folder, access: storageAccess });
    this.usage = new UsageSampler(now);
    this.unpacked = new UnpackedBuilds({
      ...options,
      storage: this.storage,
      python: () => this.python(),
      containers: () => this.containers(),
    });
    this.#starter = new ReplicaStarter(options, this.unpacked, this.logs, this.usage);
    this.#packages = new PythonPackages(packages);
    this.installsPackages = options.install;
    this.installLine = options.installLine;
  }

  get runsApps(): boolean {
    return this.options.real;
  }

  /** The interpreter that `python3` is; undefined if apps cannot run here. */
  async python(): Promise<string | undefined> {
    return this.options.real ? (await findPython())?.path : undefined;
  }

  /** The containers of docker or podman, for apps with a Dockerfile; undefined if they cannot run here. */
  async containers(): Promise<OwnContainers | undefined> {
    const engine = this.options.real ? await findContainerEngine() : undefined;
    if (!engine) return undefined;
    this.#containers ??= OwnContainers.on(engine);
    return this.#containers;
  }

  /**
   * The interpreter for an app, with these packages if packages are installed here, or were; undefined if it cannot run
   * here. Rejects with an `InstallError`.
   */
  async pythonFor(
    { pythonVersion }: AppSettings,
    requirements: Buffer,
    log: (line: string) => void = () => {},
  ): Promise<AppPython | undefined> {
    if (!this.options.real) return undefined;
    const installer = { log, track: (process: AppProcess) => this.trackProcess(process) };
    const python = await choosePython(pythonVersion, { ...installer, installs: this.installsPackages });
    if (!python || String(requirements).trim() === '') return python;
    const way = this.installsPackages ? 'install' : 'find';
    const path = await this.#packages[way](requirements, { ...installer, python: python.path });
    return path === undefined ? python : { ...python, path, hasPackages: true };
  }

  /** A run or a build is in progress. Returns what {@link cancel} and {@link stop} abort. */
  track(id: string): AbortController {
    const controller = new AbortController();
    this.#active.set(id, controller);
    return controller;
  }

  untrack(id: string): void {
    this.#active.delete(id);
  }

  cancel(what: 'run' | 'build', id: string): void {
    this.#active.get(id)?.abort(new CallAbortedError(`the ${what} was canceled`, 500, 0));
  }

  /** Aborts when the emulator stops. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  getPool(app: string): ReplicaPool {
    const make = () =>
      new ReplicaPool({
        start: (started) => this.#starter.start(started),
        environment: (started) => this.#starter.environmentOf(started),
        now: this.options.now,
        current: (record) => this.options.store.apps.get(app) ?? record,
        keepWarm: this.options.keepWarm,
        ended: (replica) => this.options.store.addReplica({ ...replica, app }),
      });
    return onceFor(this.#pools, app, make);
  }

  /** The replicas of an app whose process runs here. */
  running(app: AppRecord): ReplicaPeriod[] {
    return this.#pools.get(app.id)?.list(app) ?? [];
  }

  /** The app was scaled, or has other secrets. Starts what `min_replicas` keeps of the build that serves. */
  async keepReplicas(app: AppRecord, build: BuildRecord): Promise<void> {
    const { signal } = this;
    this.#pools.get(app.id)?.rescale(app);
    if (app.settings.minReplicaCount === 0 && !this.options.keepWarm) return;
    const release = this.unpacked.use(build);
    try {
      const python = await this.prepare(build);
      // The emulator may have stopped, and the app may be deleted.
      if (!signal.aborted && this.options.store.builds.has(build.id))
        await this.getPool(app.id).keep({ app, build, python });
    } finally {
      release();
    }
  }

  /** Unpacks a build, and returns the interpreter that its replicas are started with. */
  async prepare(build: BuildRecord): Promise<string> {
    const folder = await this.unpacked.unpack(build, { print: () => {}, signal: this.signal });
    const interpreter = this.#interpreters.get(build);
    if (interpreter !== undefined) return interpreter;
    const listed = await readFile(join(folder, 'requirements.txt')).catch(() => undefined);
    const path = (await this.pythonFor(build.settings, requirementsOf(build.settings, listed)))?.path ?? '';
    this.#interpreters.set(build, path);
    return path;
  }

  /**
   * Starts the first replica of a build, which waits for the app's next call. `print` gets what it prints until it is
   * ready; after that it is the app's log. Rejects with a `ReplicaError` if it does not start.
   */
  async startFirstReplica({ app, build, python, signal, print }: FirstStart): Promise<void> {
    const printed: AppOutput[] = [];
    let isStarting = true;
    const onStartOutput = (output: AppOutput) => {
      if (!isStarting) return false;
      print(output.text);
      if (printed.length < maxStartLines) printed.push(output);
      return true;
    };
    const start = { app, build, python, onStartOutput };
    const pool = this.getPool(app.id);
    const startFirst = () =>
      pool.startFirst(start, signal).catch(async (error) => {
        if (!printed.some(({ text }) => addressInUse.test(text))) throw error;
        const { port } = build.settings;
        const other = await this.usage.listenerOn(port, findListeningPorts);
        if (other !== undefined && other !== app.id) {
          print(`app ${shortAppName(app.project, other)} of this emulator listens on port ${port}`);
          throw error;
        }
        if (!pool.isRunning) throw error;
        print('An address is in use, perhaps by a build before: stopping that, and starting again');
        printed.length = 0;
        return pool.startFirstAlone(start, signal);
      });
    const release = this.unpacked.use(build);
    try {
      await this.unpacked.unpack(build, { print, signal });
      const { note } = this.unpacked.storageOf(build);
      if (note) print(note);
      await this.#prepareDebugger(app, build, python);
      await startFirst();
      for (const output of printed) this.logs.add(app.id, output);
      this.unpacked.setLatest(build);
    } catch (error) {
      await this.unpacked.remove(build);
      throw error;
    } finally {
      isStarting = false;
      release();
    }
  }

  /** Calls once when an app has had this much time, without that in breakpoints. Returns what stops it. */
  limit(app: string, ms: number, callback: () => void): () => void {
    return this.options.debugging.holds.after(app, ms, callback);
  }

  /** Work that only `stop` waits for. */
  runInBackground(work: Promise<unknown>): void {
    const done = work.catch(() => {}).finally(() => this.#background.delete(done));
    this.#background.add(done);
  }

  /** Stops the process with the emulator. */
  trackProcess(process: AppProcess): AppProcess {
    this.#processes.add(process);
    const remove = () => void this.#processes.delete(process);
    process.ended.then(remove, remove);
    return process;
  }

  async stopApp(app: string): Promise<void> {
    const pool = this.#pools.get(app);
    this.#pools.delete(app);
    await pool?.stop();
    this.logs.delete(app);
    this.usage.delete(app);
    await this.unpacked.removeApp(app);
    await rm(join(this.folder, fileNameOf(app)), { recursive: true, force: true });
  }

  /** Aborts all calls and ends all processes. The runner can be used again afterwards. */
  async stop(): Promise<void> {
    this.#stopping.abort(stoppedError);
    this.#stopping = new AbortController();
    for (const controller of this.#active.values()) controller.abort(stoppedError);
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    const cleared = this.unpacked.clear();
    this.images.clear();
    const processes = [...this.#processes];
    await Promise.all([...pools.map((pool) => pool.stop()), ...processes.map((each) => each.stop(0))]);
    await Promise.all([cleared, ...this.#background]);
    await (await this.#containers)?.clear();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #prepareDebugger(app: AppRecord, build: BuildRecord, python: string): Promise<void> {
    if (this.unpacked.imageOf(build)) return;
    await this.options.debugging.prepare(app, python, async () =>
      this.installsPackages ? (await this.pythonFor(build.settings, Buffer.from('debugpy')))?.path : undefined,
    );
  }
}

/** What Python and its servers say of a port that another process listens on. */
const addressInUse =
  /address (is )?already in use|EADDRINUSE|WinError 10048|cannot find empty port|port \d+ is (already|not available)/i;

/** An app may print without an end while it starts. */
const maxStartLines = 5_000;

const stoppedError = new CallAbortedError('the emulator is stopping', 503, -1);

export interface Running extends Model {
  readonly runner: AppRunner;
}
