import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { TemporaryFolder } from '../kernel/disk/index.ts';
import { defined } from '../kernel/json-text.ts';
import { Sequence } from '../kernel/once.ts';
import { signToken, type TokenClaims } from './endpoints/account/access.ts';
import { approvalAddress, approvalSecret } from './endpoints/account/activation.ts';
import type { Platform, PlatformChoices } from './endpoints/platform.ts';
import { createOwnerCheck } from './http/owner-check.ts';
import { dashboardAddress } from './model/dashboard-address.ts';
import { FaultQueue, type FaultTarget } from './model/faults.ts';
import { Lateness, PlatformClock } from './model/platform-clock.ts';
import type { RecordedRequest } from './model/recorded-request.ts';
import { endAbandonedRuns } from './model/runs/record.ts';
import { lockDataFolder, preparePrivateFolder, stateFile } from './model/state/data-folder.ts';
import { Store } from './model/state/store.ts';
import { AppRunner, type RunnerChoices } from './running/app-runner.ts';
import { endAbandonedBuilds } from './running/builds/perform-build.ts';
import { Debugging, type DebuggingOptions } from './running/debugging/debugging.ts';
import { VolumeStore } from './running/volumes/volume-store.ts';
import { startServer } from './server/listen.ts';
import { forgetRecords } from './server/snapshots.ts';

export { approvalAddress } from './endpoints/account/activation.ts';
export type { ServedCall } from './endpoints/call-observer.ts';
export { faults, parseFaultOption } from './model/faults.ts';
export { DamagedDataError, DataFolderInUseError } from './model/state/data-folder.ts';
export { DebugRelay } from './running/debugging/debug-relay.ts';
export type { OnBreakpoint } from './running/debugging/debugging.ts';
export { killTree } from './running/processes/process.ts';
export { findPython, isPythonOnPath } from './running/processes/python.ts';

type Optional<Choices> = { [Name in keyof Choices]?: Choices[Name] | undefined };

export interface EmulatorOptions extends Optional<PlatformChoices>, Optional<RunnerChoices> {
  /** 0, the default, picks a free port: the last one of this data folder, if that is free. */
  port?: number | undefined;
  /** A folder for state and uploads, which survive a restart. Without it everything is temporary. */
  data?: string | undefined;
  /** Milliseconds after which replies show a log line, and what was created. Default: 0. */
  late?: number | undefined;
  /** The clock, in milliseconds since 1970. */
  now?: (() => number) | undefined;
  /** The id of the only project. */
  project?: string | undefined;
  /**
   * Fills the project with three apps and 30 days of their runs, unless `data` has state. The same number at
   * the same time creates the same data. Without it the project is empty.
   */
  seed?: number | undefined;
  /** `false`: nobody uses the project yet. Else it has users, service accounts, keys and invoices. */
  hasAccount?: boolean | undefined;
  /** Origins of web pages that may call apps, such as `http://localhost:3000`. Other pages are refused. */
  allowOrigins?: readonly string[] | undefined;
  /** Lets the user who runs the emulator, and nobody else, call apps without a token, where the system tells users apart. */
  trustOwner?: boolean | undefined;
  /** How the code of apps is debugged. Without it, `breakpoint()` says what to do instead. */
  debugging?: DebuggingOptions | undefined;
}

const defaults = {
  port: 0,
  late: 0,
  allowOrigins: [],
  trustOwner: false,
  debugging: {},
  pace: 0,
  linkSeconds: 600,
  webhookPauseMs: 1_000,
  hideSecrets: (text: string) => text,
  maxBuilds: Number.POSITIVE_INFINITY,
  real: true,
  install: false,
  installLine: 'gantry deploy --install',
  keepWarm: false,
  restartPauseMs: 10_000,
  onWarning: () => {},
};

/**
 * The platform on this machine. It listens on the loopback address. An app with its own server also has its own port,
 * where every local user can call it without a token.
 */
export type Emulator = Awaited<ReturnType<typeof startIn>>;

/**
 * Starts the platform. Rejects with `EADDRINUSE` if the port is in use, a `DataFolderInUseError` if another emulator uses
 * the data folder, and a `DamagedDataError` if its state cannot be read.
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const data = options.data || undefined;
  const { folder, release } = await openFolder(data);
  try {
    return await startIn(folder, data, release, options);
  } catch (error) {
    await release();
    throw error;
  }
}

/** A temporary folder is removed even if the process exits without calling `release`. */
async function openFolder(data: string | undefined): Promise<{ folder: string; release: () => Promise<void> }> {
  if (data === undefined) {
    const temporary = TemporaryFolder.create('emulator');
    preparePrivateFolder(temporary.path);
    return { folder: temporary.path, release: () => temporary.remove() };
  }
  preparePrivateFolder(data);
  const lock = lockDataFolder(data);
  return { folder: data, release: async () => lock.release() };
}

async function startIn(
  folder: string,
  data: string | undefined,
  releaseFolder: () => Promise<void>,
  options: EmulatorOptions,
) {
  const chosen = { ...defaults, packages: join(folder, 'packages'), ...defined(options) };
  const clock = new PlatformClock(options.now ?? Date.now);
  const { now } = clock;
  const store = new Store(data && join(data, stateFile));
  const project = options.project ?? store.projects[0] ?? 'p-12345678';
  store.hasAccount = options.hasAccount !== false;
  if (!store.projects.includes(project)) store.projects.push(project);
  const storage = join(folder, 'storage');
  const volumes = new VolumeStore(storage, now);

  // The last step that can fail: after it, close() cleans up.
  const server = await listen(chosen, store, folder);
  const faults = new FaultQueue();
  const calls: RecordedRequest[] = [];
  const debugging = await Debugging.open(chosen.debugging);
  const runner = new AppRunner({
    ...chosen,
    debugging,
    store,
    now,
    archives: storage,
    folder: join(folder, 'running'),
    logs: data && join(data, 'logs'),
    volumes,
  });
  const stopRequest = new AbortController();
  const platform: Platform = {
    ...chosen,
    url: server.url,
    folder,
    storage,
    clock,
    changes: new Sequence(),
    store,
    volumes,
    faults,
    calls,
    captured: [],
    now,
    late: new Lateness(now, chosen.late),
    runner,
    running: (app) => runner.running(app),
    isOwner: chosen.trustOwner ? await createOwnerCheck(server.port) : undefined,
    requestStop: () => stopRequest.abort(),
  };
  endAbandonedRuns(platform);
  endAbandonedBuilds(platform);
  const seed = await loadSeed(project, options.seed);
  if (store.isNew) seed(platform);
  runner.runInBackground(keepAllReplicas(platform));
  server.open(platform);
  const issueToken = (claims: Partial<TokenClaims>) =>
    signToken({ ...defaultClaims(project, now()), ...claims }, store.key);

  return {
    url: server.url,
    project,
    store,
    /** Lets what is late show. */
    late: platform.late,
    /** The requests so far, oldest first. */
    calls,
    logs: runner.logs,
    /** Creates a token with other claims, for example an expired one. */
    issueToken,
    /** A token for the project, valid for a year. */
    token: issueToken({}),
    /** Approves a login (`gantry login`) together with its code. */
    approvalSecret: approvalSecret(store),
    /** A URL that stores this secret in the browser that opens it. */
    approvalAddress: approvalAddress(server.url, approvalSecret(store)),
    /** The page of the project. Its address has a key that only lets its holder see the page. */
    dashboardUrl: dashboardAddress(server.url, { project }, store),
    /** Aborts when the owner asks the emulator to stop. The process that started it then closes it. */
    stopRequested: stopRequest.signal,
    /** Whether the owner can call apps without a token, and nobody else. */
    trustsOwner: platform.isOwner !== undefined,
    /** Reads and writes files of a region's volume. */
    volume: (region = 'us-east-1') => volumes.volume({ project, region }),
    /**
     * Makes the next matching requests fail, one fault each, in this order: `fail('getBuild', 503, '429:2')`. A fault
     * with a `*` applies until reset. Throws a RangeError that lists the valid faults.
     */
    fail: (target: FaultTarget, ...texts: (string | number)[]) => faults.add(target, ...texts),
    /**
     * Deletes apps, builds, runs, logs, accounts, uploads, volumes, faults and calls, then seeds again. Tokens stay
     * valid. State is reset synchronously; resolves when every process has ended.
     */
    async reset() {
      const stopped = runner.stop();
      store.clear();
      volumes.clear();
      forgetRecords(platform);
      rmSync(storage, { recursive: true, force: true });
      seed(platform);
      await stopped;
      runner.logs.clear();
      runner.usage.clear();
    },
    /** Closes all connections and stops every app. */
    async close() {
      await Promise.all([server.close(), runner.stop()]);
      debugging.close();
      try {
        store.save();
      } finally {
        await releaseFolder();
      }
    },
  };
}

/** What clients keep of a platform is under its address. */
async function listen({ port, allowOrigins }: EmulatorOptions, store: Store, folder: string) {
  const last = store.listened?.folder === folder ? store.listened.port : 0;
  const server = await startServer(port || last, allowOrigins).catch((error) => {
    if (port) throw error;
    return startServer(0, allowOrigins);
  });
  store.listened = { folder, port: server.port };
  store.save();
  return server;
}

async function loadSeed(project: string, seed: number | undefined): Promise<(platform: Platform) => void> {
  if (seed === undefined) return () => {};
  const { seedApps } = await import('./server/seed-apps.ts');
  return (platform) => seedApps(project, seed, platform);
}

/** The handlers are loaded only where they are needed. */
async function keepAllReplicas(platform: Platform): Promise<void> {
  const kept = [...platform.store.apps.values()].filter(({ settings }) => settings.minReplicaCount > 0);
  if (kept.length === 0) return;
  const { keepReplicas } = await import('./endpoints/builds/handlers.ts');
  await keepReplicas(kept, platform);
}

function defaultClaims(project: string, now: number): TokenClaims {
  const iat = Math.floor(now / 1000);
  // Clients check the expiry by their own clock, and this one may stand still in the past.
  const exp = Math.floor(Math.max(now, Date.now()) / 1000) + 365 * 24 * 60 * 60;
  return { sub: 'emulator', project_id: project, iat, exp };
}
