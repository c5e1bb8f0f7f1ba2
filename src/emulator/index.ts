import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { TemporaryFolder } from '../disk/index.ts';
import { signToken, type TokenClaims } from './account/access.ts';
import { approvalAddress, approvalSecret } from './account/activation.ts';
import { archiveLimits } from './builds/archive.ts';
import { FaultQueue, type FaultTarget, type FaultText } from './faults/faults.ts';
import type { AppLogs } from './logs/app-logs.ts';
import type { DeliveryAttempt, Platform } from './platform.ts';
import { AppRunner } from './running/app-runner.ts';
import { endAbandonedRuns } from './runs/record.ts';
import { seedApps } from './seed/apps.ts';
import { startServer } from './server/listen.ts';
import type { RecordedRequest } from './server/recorded-request.ts';
import { lockDataFolder, preparePrivateFolder, stateFile } from './state/data-folder.ts';
import { Store } from './state/store.ts';
import { VolumeFiles, VolumeStore } from './volumes/volume-store.ts';

export { faults, parseFaultOption, statusFaults } from './faults/faults.ts';
export { findPython } from './running/python.ts';
export { DamagedDataError } from './state/damaged.ts';
export { DataFolderInUseError } from './state/data-folder.ts';

export interface EmulatorOptions {
  /** 0, the default, takes any free one. */
  port?: number | undefined;
  /** A folder for state and uploads: both are there again after a restart. Without it nothing is left behind. */
  data?: string | undefined;
  /** Milliseconds a stage of a build takes. With 0, the default, a build ends with its upload. */
  pace?: number | undefined;
  /** Seconds a signed link is valid: 600, the default, as the platform has it. */
  linkSeconds?: number | undefined;
  /** The clock, in milliseconds since 1970. */
  now?: (() => number) | undefined;
  /** The one project there is. */
  project?: string | undefined;
  /**
   * Fills the project with three apps that have been called for 30 days, unless `data` is in use already. The same
   * number at the same time gives the same. Without it the project is empty.
   */
  seed?: number | undefined;
  /** `false`: apps are not run, even where there is Python for it; calls are simulated. */
  real?: boolean | undefined;
  /** Installs what `requirements.txt` names, for each app by itself. Without it nothing is installed. */
  install?: boolean | undefined;
  /** Milliseconds between two attempts to deliver to a webhook: 1000, the default, where the platform takes up to 5000. */
  webhookPauseMs?: number | undefined;
  /** Origins of web pages that may call apps, such as `http://localhost:3000`. Pages of all others are refused. */
  allowOrigins?: readonly string[] | undefined;
  /** Bytes that the archive of an app may unpack to: 4 GiB, the default, where the platform allows 100 GiB. */
  unpackedBytes?: number | undefined;
  /** Hears of apps that run but are open to other machines. */
  onWarning?: ((text: string) => void) | undefined;
}

/**
 * The platform on this machine. It listens on the loopback address itself; an app with a server of its own has a port of
 * its own, where every local user can call it without a token.
 */
export interface Emulator {
  readonly url: string;
  readonly project: string;
  /** A token for the project, valid for a year. */
  readonly token: string;
  /** What approves a login (`gantry login`), beside its code. */
  readonly approvalSecret: string;
  /** The page that gives a browser this secret. */
  readonly approvalAddress: string;
  readonly store: Store;
  /** The volume of a region, `us-east-1` if none is named: to arrange files in it and to look at them. */
  volume(region?: string): VolumeFiles;
  /** Every request so far, the oldest first. */
  readonly calls: RecordedRequest[];
  /** What apps print: to look at it, to listen to it, to arrange it. */
  readonly logs: AppLogs;
  /** Every attempt so far to deliver to a webhook, the oldest first. */
  readonly deliveries: readonly DeliveryAttempt[];
  /** Another token: expired, say, or for another project. */
  issueToken(claims: Partial<TokenClaims>): string;
  /**
   * Makes the next matching calls go wrong, one fault each, in this order: `fail('getBuild', 503, '429:2')`. A fault
   * with a `*` stays. Throws a RangeError that lists the valid ones when this is none.
   */
  fail(target: FaultTarget, ...faults: (FaultText | (string & {}))[]): void;
  /**
   * Stops what runs and forgets apps, builds, runs, logs, accounts, uploads, volumes, faults and calls, and seeds again.
   * Tokens stay valid. Fulfilled when every process has ended; the rest is done at once.
   */
  reset(): Promise<void>;
  /** Cuts all connections, stops every app, and stops. */
  close(): Promise<void>;
}

/**
 * Starts the platform. Rejects when the port is taken (`EADDRINUSE`), with a `DataFolderInUseError` when another emulator
 * has the data folder, and with a `DamagedDataError` when what is in it cannot be read.
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const data = options.data || undefined;
  const { folder, leave } = await takeFolder(data);
  try {
    return await startIn(folder, data, leave, options);
  } catch (error) {
    await leave();
    throw error;
  }
}

/** The folder to work in. A temporary one is removed even if the process exits without calling `leave`. */
async function takeFolder(data: string | undefined): Promise<{ folder: string; leave: () => Promise<void> }> {
  if (data === undefined) {
    const temporary = await TemporaryFolder.create('gantry-emulator-');
    preparePrivateFolder(temporary.path);
    return { folder: temporary.path, leave: () => temporary.remove() };
  }
  preparePrivateFolder(data);
  const lock = lockDataFolder(data);
  return { folder: data, leave: async () => lock.release() };
}

/** `leave` gives up the folder; it is called when the emulator has stopped. */
async function startIn(
  folder: string,
  data: string | undefined,
  leave: () => Promise<void>,
  options: EmulatorOptions,
): Promise<Emulator> {
  const {
    port = 0,
    pace = 0,
    linkSeconds = 600,
    now = Date.now,
    real = true,
    install,
    webhookPauseMs = 1_000,
    allowOrigins = [],
    unpackedBytes = archiveLimits.bytes,
    onWarning: warn = () => {},
  } = options;
  const store = new Store(data && join(data, stateFile));
  const project = options.project ?? store.projects[0] ?? 'p-12345678';
  if (!store.projects.includes(project)) store.projects.push(project);
  store.save();
  const storage = join(folder, 'storage');
  const volumes = new VolumeStore(storage, data);

  // The last step that can fail: after it, close() is there to clean up.
  const server = await startServer(port, allowOrigins);
  const faults = new FaultQueue();
  const calls: RecordedRequest[] = [];
  const deliveries: DeliveryAttempt[] = [];
  const limits = { ...archiveLimits, bytes: unpackedBytes };
  const running = new AppRunner({
    store,
    now,
    storage,
    archiveLimits: limits,
    real,
    folder: join(folder, 'running'),
    logs: data && join(data, 'logs'),
    packages: install ? join(folder, 'packages') : undefined,
    warn,
  });
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
    runner: running,
    webhookPauseMs,
    archiveLimits: limits,
  };
  endAbandonedRuns(platform);
  const seed = () => options.seed !== undefined && seedApps(project, options.seed, platform);
  if (store.isNew) seed();
  server.open(platform);
  const issueToken = (claims: Partial<TokenClaims>) =>
    signToken({ ...usualClaims(project, now()), ...claims }, store.key);

  return {
    url: server.url,
    project,
    store,
    calls,
    deliveries,
    logs: running.logs,
    issueToken,
    token: issueToken({}),
    approvalSecret: approvalSecret(store),
    approvalAddress: approvalAddress(server.url, approvalSecret(store)),
    volume: (region = 'us-east-1') => new VolumeFiles(volumes, { project, volume: 'default', region }, now),
    fail: (target, ...texts) => faults.add(target, ...texts),
    async reset() {
      const stopped = running.stop();
      store.clear();
      volumes.clear();
      faults.clear();
      calls.length = 0;
      deliveries.length = 0;
      rmSync(storage, { recursive: true, force: true });
      seed();
      await stopped;
      running.logs.clear();
    },
    async close() {
      await Promise.all([server.close(), running.stop()]);
      volumes.close();
      await leave();
    },
  };
}

function usualClaims(project: string, now: number): TokenClaims {
  const iat = Math.floor(now / 1000);
  return { sub: 'emulator', project_id: project, iat, exp: iat + 365 * 24 * 60 * 60 };
}
