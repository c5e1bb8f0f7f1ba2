import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { TemporaryFolder } from '../disk/index.ts';
import { signToken, type TokenClaims } from './endpoints/account/access.ts';
import { approvalAddress, approvalSecret } from './endpoints/account/activation.ts';
import type { OnCall } from './endpoints/call-observer.ts';
import type { Platform } from './endpoints/platform.ts';
import { createOwnerCheck } from './http/owner-check.ts';
import { dashboardAddress } from './model/dashboard-address.ts';
import { FaultQueue, type FaultTarget, type FaultText } from './model/faults.ts';
import type { RecordedRequest } from './model/recorded-request.ts';
import { endAbandonedRuns } from './model/runs/record.ts';
import { lockDataFolder, preparePrivateFolder, stateFile } from './model/state/data-folder.ts';
import { Store } from './model/state/store.ts';
import { AppRunner } from './running/app-runner.ts';
import { archiveLimits } from './running/archives/archive.ts';
import { endAbandonedBuilds } from './running/builds/perform-build.ts';
import type { AppLogs } from './running/logs/app-logs.ts';
import type { StorageAccess } from './running/replicas/persistent-storage.ts';
import { VolumeFiles, VolumeStore } from './running/volumes/volume-store.ts';
import { startServer } from './server/listen.ts';
import { seedApps } from './server/seed-apps.ts';

export { faults, parseFaultOption, statusFaults } from './model/faults.ts';
export { DamagedDataError } from './model/state/damaged.ts';
export { DataFolderInUseError } from './model/state/data-folder.ts';
export { killTree } from './running/processes/kill-tree.ts';
export { findPython } from './running/processes/python.ts';

export interface EmulatorOptions {
  /** 0, the default, picks a free port. */
  port?: number | undefined;
  /** A folder for state and uploads, which survive a restart. Without it everything is temporary. */
  data?: string | undefined;
  /** Milliseconds that each stage of a build takes. With 0, the default, a build ends with its upload. */
  pace?: number | undefined;
  /** Seconds that a signed URL is valid. Default: 600, as on the platform. */
  linkSeconds?: number | undefined;
  /** The clock, in milliseconds since 1970. */
  now?: (() => number) | undefined;
  /** The id of the only project. */
  project?: string | undefined;
  /**
   * Fills the project with three apps and 30 days of their runs, unless `data` already has state. The same number at
   * the same time creates the same data. Without it the project is empty.
   */
  seed?: number | undefined;
  /** `false` simulates builds and calls even if Python is installed. */
  real?: boolean | undefined;
  /** Installs each app's `requirements.txt` in an environment of its own. */
  install?: boolean | undefined;
  /** The folder of these environments, which several emulators may share. By default they end with the emulator. */
  packages?: string | undefined;
  /** Milliseconds between two attempts to deliver a webhook. Default: 1000; the platform waits up to 5000. */
  webhookPauseMs?: number | undefined;
  /** The pause before the second restart of a replica, in ms; each later one is twice as long. Default: 10,000. */
  restartPauseMs?: number | undefined;
  /** Origins of web pages that may call apps, such as `http://localhost:3000`. Other pages are refused. */
  allowOrigins?: readonly string[] | undefined;
  /** Maximum unpacked size of an archive in bytes. Default: 4 GiB; the platform allows 100 GiB. */
  unpackedBytes?: number | undefined;
  /** How apps get `/persistent-storage`; by default the best that works on this machine. */
  storageAccess?: StorageAccess | undefined;
  /** Lets the user who runs the emulator, and nobody else, call apps without a token, where the system tells users apart. */
  trustOwner?: boolean | undefined;
  /** Keeps a replica of each app running, whatever its cooldown: a developer pauses, and loading a model takes long. */
  keepWarm?: boolean | undefined;
  /** Called when a call of an app has ended. */
  onCall?: OnCall | undefined;
  /** Called when an app's server can be reached from other machines. */
  onWarning?: ((text: string) => void) | undefined;
}

/**
 * The platform on this machine. It listens on the loopback address. An app with its own server also has its own port,
 * where every local user can call it without a token.
 */
export interface Emulator {
  readonly url: string;
  readonly project: string;
  /** A token for the project, valid for a year. */
  readonly token: string;
  /** Approves a login (`gantry login`) together with its code. */
  readonly approvalSecret: string;
  /** A URL that stores this secret in the browser that opens it. */
  readonly approvalAddress: string;
  /** The page of the project. Its address has a key that only lets its holder see the page. */
  readonly dashboardUrl: string;
  /** Whether the owner can call apps without a token, and nobody else. */
  readonly trustsOwner: boolean;
  /** Aborts when the owner asks the emulator to stop (`gantry emulator stop`). The process that started it then closes it. */
  readonly stopRequested: AbortSignal;
  readonly store: Store;
  /** Reads and writes files of a region's volume, by default `us-east-1`. */
  volume(region?: string): VolumeFiles;
  /** The requests so far, oldest first. */
  readonly calls: RecordedRequest[];
  readonly logs: AppLogs;
  /** The HTTP status of each attempt to deliver a webhook, oldest first; undefined without a response. */
  readonly deliveries: readonly (number | undefined)[];
  /** Creates a token with other claims, for example an expired one. */
  issueToken(claims: Partial<TokenClaims>): string;
  /**
   * Makes the next matching requests fail, one fault each, in this order: `fail('getBuild', 503, '429:2')`. A fault
   * with a `*` applies until reset. Throws a RangeError that lists the valid faults.
   */
  fail(target: FaultTarget, ...faults: (FaultText | (string & {}))[]): void;
  /**
   * Deletes apps, builds, runs, logs, accounts, uploads, volumes, faults and calls, then seeds again. Tokens stay valid.
   * State is reset synchronously; resolves when every process has ended.
   */
  reset(): Promise<void>;
  /** Closes all connections and stops every app. */
  close(): Promise<void>;
}

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
    const temporary = await TemporaryFolder.create('emulator');
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
): Promise<Emulator> {
  const {
    port = 0,
    pace = 0,
    linkSeconds = 600,
    now = Date.now,
    real = true,
    install,
    packages = join(folder, 'packages'),
    webhookPauseMs = 1_000,
    restartPauseMs = 10_000,
    allowOrigins = [],
    unpackedBytes = archiveLimits.bytes,
    trustOwner = false,
    keepWarm = false,
    onCall,
    onWarning: warn = () => {},
  } = options;
  const store = new Store(data && join(data, stateFile));
  const project = options.project ?? store.projects[0] ?? 'p-12345678';
  if (!store.projects.includes(project)) store.projects.push(project);
  store.save();
  const storage = join(folder, 'storage');
  const volumes = new VolumeStore(storage, data);

  // The last step that can fail: after it, close() cleans up.
  const server = await startServer(port, allowOrigins);
  const faults = new FaultQueue();
  const calls: RecordedRequest[] = [];
  const deliveries: (number | undefined)[] = [];
  const limits = { ...archiveLimits, bytes: unpackedBytes };
  const runner = new AppRunner({
    store,
    now,
    storage,
    archiveLimits: limits,
    real,
    folder: join(folder, 'running'),
    logs: data && join(data, 'logs'),
    packages: install ? packages : undefined,
    warn,
    volumes,
    storageAccess: options.storageAccess,
    restartPauseMs,
    leastReplicas: keepWarm ? 1 : 0,
  });
  const stopRequest = new AbortController();
  const platform: Platform = {
    url: server.url,
    storage,
    store,
    volumes,
    faults,
    calls,
    deliveries,
    now,
    pace,
    linkSeconds,
    runner,
    webhookPauseMs,
    archiveLimits: limits,
    onCall,
    isOwner: trustOwner ? await createOwnerCheck(server.port) : undefined,
    requestStop: () => stopRequest.abort(),
  };
  // Found while the first requests arrive: a build waits for it.
  runner.python();
  endAbandonedRuns(platform);
  endAbandonedBuilds(platform);
  const seed = () => options.seed !== undefined && seedApps(project, options.seed, platform);
  if (store.isNew) seed();
  server.open(platform);
  const issueToken = (claims: Partial<TokenClaims>) =>
    signToken({ ...defaultClaims(project, now()), ...claims }, store.key);

  return {
    url: server.url,
    project,
    store,
    calls,
    deliveries,
    logs: runner.logs,
    issueToken,
    token: issueToken({}),
    approvalSecret: approvalSecret(store),
    approvalAddress: approvalAddress(server.url, approvalSecret(store)),
    dashboardUrl: dashboardAddress(server.url, { project }, store),
    stopRequested: stopRequest.signal,
    trustsOwner: platform.isOwner !== undefined,
    volume: (region = 'us-east-1') => new VolumeFiles(volumes, { project, volume: 'default', region }, now),
    fail: (target, ...texts) => faults.add(target, ...texts),
    async reset() {
      const stopped = runner.stop();
      store.clear();
      volumes.clear();
      faults.clear();
      calls.length = 0;
      deliveries.length = 0;
      rmSync(storage, { recursive: true, force: true });
      seed();
      await stopped;
      runner.logs.clear();
      runner.usage.clear();
    },
    async close() {
      await Promise.all([server.close(), runner.stop()]);
      volumes.close();
      await releaseFolder();
    },
  };
}

function defaultClaims(project: string, now: number): TokenClaims {
  const iat = Math.floor(now / 1000);
  // Clients check the expiry by their own clock, and this one may stand still in the past.
  const exp = Math.floor(Math.max(now, Date.now()) / 1000) + 365 * 24 * 60 * 60;
  return { sub: 'emulator', project_id: project, iat, exp };
}
