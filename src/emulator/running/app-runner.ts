import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppSettings } from '../model/apps/settings.ts';
import { fileNameOf } from '../model/state/file-names.ts';
import type { AppRecord, BuildRecord } from '../model/state/records.ts';
import type { Store } from '../model/state/store.ts';
import type { ArchiveLimits } from './archives/limits.ts';
import type { Debugging } from './debugging/debugging.ts';
import { AppLogs, type AppOutput } from './logs/app-logs.ts';
import { UsageSampler } from './metrics/usage-sampler.ts';
import { type AppPython, choosePython } from './processes/app-python.ts';
import { findContainerEngine } from './processes/container-engine.ts';
import { createAppEnvironment, createAppVariables } from './processes/environment.ts';
import type { AppProcess } from './processes/process.ts';
import { findPython } from './processes/python.ts';
import { PythonPackages } from './processes/python-packages.ts';
import { ContainerReplica } from './replicas/container-replica.ts';
import { CortexReplica } from './replicas/cortex/cortex-replica.ts';
import { MemoryGuard } from './replicas/memory-guard.ts';
import { pathShortener } from './replicas/path-shortener.ts';
import { type AttachedStorage, PersistentStorage, type StorageAccess } from './replicas/persistent-storage.ts';
import { CallAbortedError, ReplicaError, type ReplicaOptions } from './replicas/replica.ts';
import { ReplicaPool } from './replicas/replica-pool.ts';
import { RestartingReplica } from './replicas/restarting-replica.ts';
import { ServerReplica } from './replicas/server-replica.ts';
import type { VolumeStore } from './volumes/volume-store.ts';

interface AppRunnerOptions {
  store: Store;
  now: () => number;
  /** The folder of uploaded archives. */
  storage: string;
  archiveLimits: ArchiveLimits;
  /** Where apps are unpacked and run. It is deleted on stop. */
  folder: string;
  /** The folder of app logs. Without it they are only in memory. */
  logs?: string | undefined;
  /** The folder of those that apps start with. */
  logsFrom: string;
  /** `false` simulates all builds and calls. */
  real: boolean;
  /** Where dependencies are installed. Without it, none are. */
  packages?: string | undefined;
  /** Called with problems that do not stop an app. */
  warn: (text: string) => void;
  volumes: VolumeStore;
  /** How apps get their volumes; by default the best that works here. */
  storageAccess?: StorageAccess | undefined;
  /** The pause before the second restart of a replica, in ms. */
  restartPauseMs: number;
  /** Replicas of each app that are kept after the cooldown. */
  leastReplicas: number;
  debugging: Debugging;
}

export class UnpackError extends Error {}

interface FirstStart {
  app: AppRecord;
  build: BuildRecord;
  python: string;
  signal: AbortSignal;
  print: (text: string) => void;
}

/** Runs apps: their replicas, active calls, background work and logs. */
export class AppRunner {
  readonly logs: AppLogs;
  readonly usage: UsageSampler;
  /** Images of one-off runs by digest. `requests` counts how often each was requested. */
  readonly images = new Map<string, { requests: number; requirements: string }>();
  readonly folder: string;
  readonly #memory = new MemoryGuard();
  readonly #packages: PythonPackages | undefined;
  readonly storage: PersistentStorage;
  #engine: string | undefined;
  /** By build. */
  readonly #attached = new Map<string, AttachedStorage>();
  /** Apps whose log says where their volume is. */
  readonly #announced = new Set<string>();
  readonly #pools = new Map<string, ReplicaPool>();
  readonly #unpacked = new Map<string, Promise<string>>();
  readonly #calls = new Map<string, AbortController>();
  /** Builds that install or start something. */
  readonly #builds = new Map<string, AbortController>();
  /** Receives what the first replica of a build prints until it is ready. */
  readonly #starts = new Map<string, (output: AppOutput) => void>();
  /** One-off runs. */
  readonly #processes = new Set<AppProcess>();
  readonly #background = new Set<Promise<unknown>>();
  #stopping = new AbortController();

  constructor(private readonly options: AppRunnerOptions) {
    const { now, logs, logsFrom, packages, volumes, storageAccess } = options;
    this.folder = options.folder;
    this.logs = new AppLogs(now, logs, logsFrom);
    this.storage = new PersistentStorage({ volumes, scratch: this.folder, access: storageAccess });
    this.usage = new UsageSampler(now);
    this.#packages = packages === undefined ? undefined : new PythonPackages(packages);
  }

  get runsApps(): boolean {
    return this.options.real;
  }

  get installsPackages(): boolean {
    return this.#packages !== undefined;
  }

  /** The interpreter that `python3` is; undefined if apps cannot run here. */
  async python(): Promise<string | undefined> {
    return this.options.real ? (await findPython())?.path : undefined;
  }

  /** docker or podman, for apps with a Dockerfile; undefined if they cannot run here. */
  async containerEngine(): Promise<string | undefined> {
    return this.options.real ? findContainerEngine() : undefined;
  }

  /**
   * The interpreter for an app, with these packages, if packages are installed here; undefined if it cannot run here.
   * Rejects with an `InstallError`.
   */
  async pythonFor(
    { pythonVersion }: AppSettings,
    requirements: string,
    log: (line: string) => void = () => {},
  ): Promise<AppPython | undefined> {
    if (!this.options.real) return undefined;
    const installer = { log, track: (process: AppProcess) => this.trackProcess(process) };
    const python = await choosePython(pythonVersion, { ...installer, installs: this.installsPackages });
    if (!python || !this.#packages || requirements.trim() === '') return python;
    return { ...python, path: await this.#packages.install(requirements, { ...installer, python: python.path }) };
  }

  /** Aborts when the emulator stops. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  getPool(app: string): ReplicaPool {
    const existing = this.#pools.get(app);
    if (existing) return existing;
    const pool = new ReplicaPool({
      start: (record, build, python) => this.#startReplica(record, build, python),
      environment: (record, build, python) => this.#environmentOf(record, build, python),
      limit: this.#limitOf(app),
      now: this.options.now,
      leastReplicas: this.options.leastReplicas,
    });
    this.#pools.set(app, pool);
    return pool;
  }

  /**
   * Unpacks a build's archive once, makes the app's volumes available to it, and returns its folder. Rejects with an
   * `UnpackError`, then retries next time.
   */
  unpackBuild(build: BuildRecord): Promise<string> {
    const existing = this.#unpacked.get(build.id);
    if (existing) return existing;
    const unpacking = this.#unpack(build);
    this.#unpacked.set(build.id, unpacking);
    unpacking.catch(() => this.#unpacked.delete(build.id));
    return unpacking;
  }

  folderFor(app: string, name: string): string {
    return join(this.folder, fileNameOf(app), fileNameOf(name));
  }

  /** Returns the controller that `cancelRun` aborts. */
  trackRun(run: string): AbortController {
    const call = new AbortController();
    this.#calls.set(run, call);
    return call;
  }

  untrackRun(run: string): void {
    this.#calls.delete(run);
  }

  cancelRun(run: string): void {
    this.#calls.get(run)?.abort(new CallAbortedError('the run was canceled', 500, 0));
  }

  /** Returns the signal that `cancelBuild` aborts. */
  trackBuild(build: string): AbortSignal {
    const controller = new AbortController();
    this.#builds.set(build, controller);
    return controller.signal;
  }

  untrackBuild(build: string): void {
    this.#builds.delete(build);
  }

  cancelBuild(build: string): void {
    this.#builds.get(build)?.abort(new CallAbortedError('the build was canceled', 500, 0));
  }

  /**
   * Starts the first replica of a build, which waits for the app's next call. `print` gets what it prints until it is
   * ready; after that it is the app's log. Rejects with a `ReplicaError` or an `UnpackError` if it does not start.
   */
  async startFirstReplica({ app, build, python, signal, print }: FirstStart): Promise<void> {
    const folder = await this.unpackBuild(build);
    await this.#prepareDebugger(app, build, python);
    const printed: AppOutput[] = [];
    this.#starts.set(build.id, (output) => {
      print(output.text);
      if (printed.length < maxStartLines) printed.push(output);
    });
    const pool = this.getPool(app.id);
    const wantsAddress = () => pool.isRunning && printed.some(({ text }) => addressInUse.test(text));
    try {
      await pool.startFirst(app, build, python, signal).catch((error) => {
        if (!wantsAddress()) throw error;
        print('An address is in use, perhaps by the version before: stopping that, and starting again');
        printed.length = 0;
        return pool.startFirstAlone(app, build, python, signal);
      });
      for (const output of printed) this.logs.add(app.id, output);
    } catch (error) {
      this.#unpacked.delete(build.id);
      this.#attached.delete(build.id);
      await rm(folder, { recursive: true, force: true });
      throw error;
    } finally {
      this.#starts.delete(build.id);
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
    this.#announced.delete(app);
    this.logs.delete(app);
    this.usage.delete(app);
    await rm(join(this.folder, fileNameOf(app)), { recursive: true, force: true });
  }

  /** Aborts all calls and ends all processes. The runner can be used again afterwards. */
  async stop(): Promise<void> {
    this.#stopping.abort(stoppedError);
    this.#stopping = new AbortController();
    for (const call of this.#calls.values()) call.abort(stoppedError);
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    this.#unpacked.clear();
    this.#attached.clear();
    this.#announced.clear();
    this.images.clear();
    const processes = [...this.#processes];
    await Promise.all([...pools.map((pool) => pool.stop()), ...processes.map((one) => one.stop(0))]);
    await Promise.all(this.#background);
    this.storage.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #prepareDebugger(app: AppRecord, build: BuildRecord, python: string): Promise<void> {
    if (this.#engineOf(build)) return;
    await this.options.debugging.prepare(app, python, async () =>
      this.installsPackages ? (await this.pythonFor(build.settings, 'debugpy'))?.path : undefined,
    );
  }

  #limitOf(app: string) {
    return (ms: number, callback: () => void) => this.limit(app, ms, callback);
  }

  #environmentOf(app: AppRecord, build: BuildRecord, python: string) {
    const storage = this.#storageOf(build);
    const variables = [app, build.id, storage.environment, this.options.store] as const;
    return this.#engineOf(build) ? createAppVariables(...variables) : createAppEnvironment(...variables, python);
  }

  #engineOf({ settings }: BuildRecord) {
    return settings.dockerfilePath ? this.#engine : undefined;
  }

  #storageOf(build: BuildRecord): AttachedStorage {
    const storage = this.#attached.get(build.id);
    if (!storage) throw new ReplicaError('its volumes are not available');
    return storage;
  }

  async #unpack({ id, app, keyName, settings }: BuildRecord): Promise<string> {
    const { storage, archiveLimits, store } = this.options;
    const folder = this.folderFor(app, id);
    const { unpackZip } = await import('./archives/unpack.ts');
    await unpackZip(join(storage, keyName), folder, archiveLimits).catch((cause: Error) => {
      throw new UnpackError(`its archive cannot be unpacked: ${cause.message}`, { cause });
    });
    const [record, python] = [store.apps.get(app), await this.python()];
    if (record && settings.dockerfilePath) {
      this.#engine = await this.containerEngine();
      this.#attached.set(id, await this.storage.attachContainer(record));
    } else if (record && python) {
      this.#attached.set(id, await this.storage.attach(record, python));
    }
    return folder;
  }

  #startReplica(app: AppRecord, build: BuildRecord, python: string) {
    const name = `${app.id}-${build.id.slice(0, 8)}-${this.options.store.newId().slice(0, 5)}`;
    const folder = this.folderFor(app.id, build.id);
    const storage = this.#storageOf(build);
    const engine = this.#engineOf(build);
    const environment = this.#environmentOf(app, build, python);
    const Runtime = build.settings.runtime === 'custom' ? ServerReplica : CortexReplica;
    const shorten = pathShortener(folder);
    const print: ReplicaOptions['print'] = ({ text, ...output }) => {
      const shown = { ...output, text: shorten(text), container: name };
      const onStart = this.#starts.get(build.id);
      if (onStart) onStart(shown);
      else this.logs.add(app.id, shown);
    };
    const warn = (text: string) => {
      print({ stream: 'stderr', text: `warning: ${text}` });
      this.options.warn(`app ${app.name}: ${text}`);
    };
    const note = this.#announced.has(app.id) ? undefined : storage.note();
    if (note !== undefined) {
      this.#announced.add(app.id);
      this.logs.add(app.id, { container: name, stream: 'stderr', text: note });
    }
    const options = {
      ...{ app, build, name, folder, scratch: this.folder, python },
      ...{ environment, launch: storage.launch, folders: storage.folders, print, warn },
      limit: this.#limitOf(app.id),
    };
    const { now, restartPauseMs: pauseMs, debugging } = this.options;
    const start = () => {
      if (engine !== undefined) return new ContainerReplica({ ...options, isDebugged: false }, engine);
      const claim = debugging.claim({ app, build, python, folder });
      const debugged = {
        environment: { ...environment, ...claim.environment },
        isDebugged: claim.release !== undefined,
      };
      const started = new Runtime({ ...options, ...debugged });
      if (claim.release) started.ended.then(claim.release, claim.release);
      return started;
    };
    const beforeCall = () => debugging.settled(app);
    const replica = new RestartingReplica({ start, beforeCall, now, pauseMs, print });
    this.usage.watch(app.id, name, () => replica.pid, replica.ended);
    this.#memory.watch(replica, app.settings, print);
    return { name, replica };
  }
}

/** What Python and its servers say of a port that another process listens on. */
const addressInUse =
  /address (is )?already in use|EADDRINUSE|WinError 10048|cannot find empty port|port \d+ is (already|not available)/i;

/** An app may print without an end while it starts. */
const maxStartLines = 5_000;

const stoppedError = new CallAbortedError('the emulator is stopping', 503, -1);
