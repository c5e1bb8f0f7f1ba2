import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { TemporaryFolder } from '../kernel/disk/index.ts';
import type { Emulator, EmulatorOptions } from './emulator.ts';
import { signToken, type TokenClaims } from './endpoints/account/access.ts';
import { approvalAddress, approvalSecret } from './endpoints/account/activation.ts';
import { type Platform, StateChanges } from './endpoints/platform.ts';
import { createOwnerCheck } from './http/owner-check.ts';
import { callsAddress, dashboardAddress } from './model/dashboard-address.ts';
import { FaultQueue } from './model/faults.ts';
import { InspectedCalls } from './model/inspected-calls.ts';
import { Lateness, PlatformClock } from './model/platform-clock.ts';
import type { RecordedRequest } from './model/recorded-request.ts';
import { endAbandonedRuns } from './model/runs/record.ts';
import { lockDataFolder, preparePrivateFolder, stateFile } from './model/state/data-folder.ts';
import { Store } from './model/state/store.ts';
import { AppRunner } from './running/app-runner.ts';
import { endAbandonedBuilds } from './running/builds/perform-build.ts';
import { Debugging } from './running/debugging/debugging.ts';
import { VolumeFiles } from './running/volumes/volume-files.ts';
import { journalFile, VolumeStore } from './running/volumes/volume-store.ts';
import { startServer } from './server/listen.ts';
import { forgetRecords, startFrom } from './server/snapshots.ts';

export type { Emulator, EmulatorOptions } from './emulator.ts';
export { faults, lateFault, parseFaultOption, statusFaults } from './model/faults.ts';
export { DamagedDataError, DataFolderHasStateError, DataFolderInUseError } from './model/state/data-folder.ts';
export { DebugRelay } from './running/debugging/debug-relay.ts';
export type { OnBreakpoint } from './running/debugging/holds.ts';
export { killTree } from './running/processes/process.ts';
export { findPython, isPythonOnPath } from './running/processes/python.ts';

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
    late = 0,
    linkSeconds = 600,
    real = true,
    install,
    packages = join(folder, 'packages'),
    webhookPauseMs = 1_000,
    restartPauseMs = 10_000,
    allowOrigins = [],
    trustOwner = false,
    keepWarm = false,
    debugging: debuggingOptions = {},
    hideSecrets = (text) => text,
    onCall,
    onWarning: warn = () => {},
  } = options;
  const clock = new PlatformClock(options.now ?? Date.now);
  await startFrom(options.from, folder, clock);
  const { now } = clock;
  const store = new Store(data && join(data, stateFile), join(folder, stateFile));
  const project = options.project ?? store.projects[0] ?? 'p-12345678';
  store.hasAccount = options.hasAccount !== false;
  if (!store.projects.includes(project)) store.projects.push(project);
  store.save();
  const storage = join(folder, 'storage');
  const volumes = new VolumeStore(storage, data && join(data, journalFile), join(folder, journalFile));

  // The last step that can fail: after it, close() cleans up.
  const server = await startServer(port, allowOrigins);
  const faults = new FaultQueue();
  const calls: RecordedRequest[] = [];
  const deliveries: (number | undefined)[] = [];
  const debugging = await Debugging.open(debuggingOptions);
  const runner = new AppRunner({
    debugging,
    store,
    now,
    archives: storage,
    real,
    folder: join(folder, 'running'),
    logs: data && join(data, 'logs'),
    logsFrom: join(folder, 'logs'),
    packages,
    installs: install === true,
    warn,
    volumes,
    storageAccess: options.storageAccess,
    restartPauseMs,
    leastReplicas: keepWarm ? 1 : 0,
  });
  const stopRequest = new AbortController();
  const platform: Platform = {
    url: server.url,
    hasAppOrigins: server.hasAppOrigins,
    folder,
    storage,
    clock,
    changes: new StateChanges(),
    store,
    volumes,
    faults,
    calls,
    inspected: new InspectedCalls(),
    hideSecrets,
    maxCalls: options.maxCalls ?? 10_000,
    maxBuilds: options.maxBuilds ?? Number.POSITIVE_INFINITY,
    deliveries,
    captured: [],
    now,
    pace,
    late: new Lateness(now, late),
    linkSeconds,
    runner,
    webhookPauseMs,
    onCall,
    isOwner: trustOwner ? await createOwnerCheck(server.port) : undefined,
    requestStop: () => stopRequest.abort(),
  };
  endAbandonedRuns(platform);
  endAbandonedBuilds(platform);
  const seed = await loadSeed(project, options.seed);
  if (store.isNew) seed(platform);
  server.open(platform);
  const issueToken = (claims: Partial<TokenClaims>) =>
    signToken({ ...defaultClaims(project, now()), ...claims }, store.key);

  return {
    url: server.url,
    project,
    store,
    late: platform.late,
    calls,
    deliveries,
    logs: runner.logs,
    issueToken,
    token: issueToken({}),
    approvalSecret: approvalSecret(store),
    approvalAddress: approvalAddress(server.url, approvalSecret(store)),
    dashboardUrl: dashboardAddress(server.url, { project }, store),
    callsUrl: callsAddress(server.url, { project }, store),
    stopRequested: stopRequest.signal,
    trustsOwner: platform.isOwner !== undefined,
    volume: (region = 'us-east-1') => new VolumeFiles(volumes, { project, volume: 'default', region }, now),
    fail: (target, ...texts) => faults.add(target, ...texts),
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
    async close() {
      await Promise.all([server.close(), runner.stop()]);
      debugging.close();
      volumes.close();
      try {
        store.close();
      } finally {
        await releaseFolder();
      }
    },
  };
}

async function loadSeed(project: string, seed: number | undefined): Promise<(platform: Platform) => void> {
  if (seed === undefined) return () => {};
  const { seedApps } = await import('./server/seed-apps.ts');
  return (platform) => seedApps(project, seed, platform);
}

function defaultClaims(project: string, now: number): TokenClaims {
  const iat = Math.floor(now / 1000);
  // Clients check the expiry by their own clock, and this one may stand still in the past.
  const exp = Math.floor(Math.max(now, Date.now()) / 1000) + 365 * 24 * 60 * 60;
  return { sub: 'emulator', project_id: project, iat, exp };
}
