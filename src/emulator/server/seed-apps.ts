import { crc32 } from 'node:zlib';
import type { AppCreation } from '../../platform/contract/apps.ts';
import { createBuild } from '../endpoints/builds/handlers.ts';
import type { Platform } from '../endpoints/platform.ts';
import { withDefaults } from '../model/apps/settings.ts';
import { createBuildScript, type ReadArchive } from '../model/builds/script.ts';
import type { BuildFault } from '../model/faults.ts';
import { replicaNamePrefix } from '../model/seed/traffic.ts';
import type { AppRecord, Traffic } from '../model/state/records.ts';
import { trafficProfiles } from '../model/state/traffic-profiles.ts';
import { day, minute } from '../model/time.ts';

/**
 * Adds three apps with 30 days of runs, and the app of a one-off run. Times are relative to now, so the same seed at the
 * same time creates the same data.
 */
export function seedApps(project: string, seed: number, platform: Platform): void {
  const now = platform.now();
  for (const sample of seededApps) {
    const createdAt = now - sample.age * day;
    const { name, ephemeral, rhythm } = sample;
    const app: AppRecord = {
      id: `${project}-${name}`,
      name,
      project,
      createdAt,
      updatedAt: createdAt,
      settings: withDefaults({ name, cliVersion: '1.0.0', ...sample.settings, ...(rhythm && scalingOf(rhythm)) }),
      ...(ephemeral && { ephemeral }),
      ...(rhythm && { traffic: { seed, rhythm, since: createdAt } }),
    };
    platform.store.apps.set(app.id, app);
    for (const build of sample.builds) addBuild(app, build, now - build.age * day, sample.files, platform);
    if (app.traffic?.rhythm === 'transcriber') addActiveRuns(app, app.traffic, platform);
  }
  platform.store.save();
}

interface SeedApp {
  name: string;
  /** In days. */
  age: number;
  ephemeral?: boolean;
  rhythm?: Traffic['rhythm'];
  settings: Partial<AppCreation>;
  files: Record<string, string>;
  /** Oldest first. */
  builds: readonly SeedBuild[];
}

interface SeedBuild {
  /** In days. */
  age: number;
  fault?: BuildFault;
  /** Minutes after which it was canceled. */
  cancelledAfter?: number;
}

const seededApps: readonly SeedApp[] = [
  {
    name: 'web',
    age: 30,
    rhythm: 'web',
    settings: {
      pythonVersion: '3.12',
      compute: ['ADA_L4'],
      gpuCount: 1,
      cpu: 4,
      memory: 24,
      region: 'us-east-1',
      disableAuth: false,
      shellCommands: ['python download_weights.py'],
    },
    files: {
      'main.py': 'from model import load\n\nmodel = load()\n\n\ndef predict(prompt: str):\n    return model(prompt)\n',
      'model.py': 'def load():\n    return lambda prompt: prompt[::-1]\n',
      'download_weights.py': 'print("weights: 4.1 GB")\n',
      'requirements.txt': 'torch==2.9.1\ntransformers>=4.56\naccelerate\n',
    },
    builds: [{ age: 30 }, { age: 18.52, fault: 'build_failure' }, { age: 18.48 }, { age: 2.3 }],
  },
  {
    name: 'transcriber',
    age: 30,
    rhythm: 'transcriber',
    settings: {
      runtime: 'custom',
      entrypoint: ['uvicorn', 'server:app', '--host', '0.0.0.0', '--port', '8080'],
      port: 8080,
      healthcheckEndpoint: '/health',
      readycheckEndpoint: '/ready',
      computeTier: 'protected',
      compute: ['AMPERE_A10'],
      gpuCount: 1,
      cpu: 4,
      memory: 16,
      region: 'eu-north-1',
      disableAuth: false,
      responseGracePeriodSeconds: 3600,
    },
    files: {
      'server.py': 'from fastapi import FastAPI\n\napp = FastAPI()\n',
      'requirements.txt': 'fastapi\nuvicorn\nfaster-whisper==1.2.0\n',
      'pkglist.txt': 'ffmpeg\n',
    },
    builds: [{ age: 30 }, { age: 12.1, cancelledAfter: 1 }, { age: 12 }, { age: 6.4, fault: 'init_timeout' }],
  },
  {
    name: 'nightly-report',
    age: 30,
    rhythm: 'nightly',
    settings: {
      cpu: 1,
      memory: 2,
      region: 'us-east-1',
      disableAuth: false,
      useUv: true,
    },
    files: {
      'main.py': 'def build_report(day: str):\n    return {"day": day}\n\n\ndef send_digest():\n    return "sent"\n',
      'requirements.txt': 'pandas\nmatplotlib==3.10.7\n',
    },
    builds: [{ age: 30 }, { age: 11 }, { age: 0.4, fault: 'build_failure' }],
  },
  {
    name: 'run-3f2a91',
    age: 0.12,
    ephemeral: true,
    settings: { region: 'us-east-1' },
    files: { 'main.py': 'print("once")\n' },
    builds: [{ age: 0.12 }],
  },
];

/** The settings by which its runs were generated. */
function scalingOf(rhythm: Traffic['rhythm']) {
  const { replicas, concurrency, cooldown } = trafficProfiles[rhythm];
  return { maxReplicaCount: replicas, replicaConcurrency: concurrency, cooldownPeriodSeconds: cooldown / 1000 };
}

/** A past build with the log that its files would produce. */
function addBuild(app: AppRecord, sample: SeedBuild, at: number, files: SeedApp['files'], platform: Platform): void {
  const build = createBuild(app, { ...platform, now: () => at, pace: minute / 3 });
  const archive = createArchive(files);
  build.files = Object.fromEntries(archive.files);
  build.startedAt = at + 4_000;
  build.script = createBuildScript({ settings: app.settings, archive }, sample.fault);
  if (sample.cancelledAfter) build.cancelledAt = at + sample.cancelledAfter * minute;
  app.updatedAt = at;
}

function createArchive(files: SeedApp['files']): ReadArchive {
  const contents = new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));
  const facts = [...contents].map(([path, bytes]) => [path, { size: bytes.length, crc32: crc32(bytes) }] as const);
  return { files: new Map(facts), contents };
}

/** One run in each short-lived state, so that each can be seen at any time. */
function addActiveRuns(app: AppRecord, traffic: Traffic, { store, now }: Platform): void {
  const prefix = replicaNamePrefix(app, traffic);
  const first = `${prefix}-7d2c4`;
  const second = `${prefix}-b81f0`;
  const defaults = { app: app.id, functionName: 'transcribe', async: true, statusCode: 200 };
  const hook = 'https://hooks.example.com/transcripts';
  for (const { ago, ...run } of [
    { ago: 20 * minute, container: first, runtimeMs: 5 * minute, cancelledAt: now() - 18 * minute },
    { ago: 65_000, container: first, runtimeMs: 140_000, webhookEndpoint: hook },
    { ago: 40_000, container: first, containerQueueMs: 100_000, runtimeMs: 90_000, webhookEndpoint: hook },
    { ago: 12_000, container: second, proxyQueueMs: 41_500, coldstartMs: 41_000, runtimeMs: 70_000 },
    { ago: 3_000, container: second, pendingMs: 36_000, runtimeMs: 45_000, webhookEndpoint: hook },
  ]) {
    store.addRun({ ...defaults, ...run, createdAt: now() - ago });
  }
}
