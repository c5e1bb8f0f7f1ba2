import type { Invoice, PlanCode } from '../../../platform/contract/billing.ts';
import type { AwaitedEnd } from '../../../platform/contract/run-outcome.ts';
import type { ApiKey, ServiceAccount, User } from '../../../platform/contract/team.ts';
import type { AppSettings } from '../apps/settings.ts';
import type { trafficProfiles } from './traffic-profiles.ts';

/** All times are milliseconds since 1970. */
export interface AppRecord {
  /** `<project>-<name>` */
  id: string;
  name: string;
  project: string;
  /** Created by a one-off run (spec 2.5). */
  ephemeral?: boolean;
  createdAt: number;
  updatedAt: number;
  settings: AppSettings;
  /** What was in force before, oldest first. */
  earlier?: { until: number; settings: BilledSettings }[];
  /** Generates the runs of a seeded app. */
  traffic?: Traffic;
}

/** The settings that costs depend on. */
export type BilledSettings = Pick<
  AppSettings,
  'cpu' | 'memory' | 'compute' | 'gpuCount' | 'computeTier' | 'cooldownPeriodSeconds'
> &
  // Absent in the state file of an older version.
  Partial<Pick<AppSettings, 'minReplicaCount'>>;

/**
 * Only events are stored. The current status is computed from the script and the clock (`build-progress.ts`), so that
 * no timer is needed and nothing is lost by a restart.
 */
export interface BuildRecord {
  id: string;
  /** Id of its app. */
  app: string;
  createdAt: number;
  /** Those of this deployment: a later one does not change them. */
  settings: AppSettings;
  /** The archive's key in object storage. */
  keyName: string;
  /** Registries that credentials were sent for. The credentials are not stored. */
  registries: string[];
  /** The archive's files, for a seeded build without an archive. */
  files?: Record<string, { size: number; crc32: number }>;
  /** When the archive was uploaded. */
  startedAt?: number;
  cancelledAt?: number;
  /** Milliseconds that each scene of the script takes. */
  pace: number;
  script: BuildScript;
}

/**
 * A run of an app. As with builds, only events are stored, and the status is computed (`run-progress.ts`). Durations in
 * milliseconds.
 */
export interface RunRecord {
  id: string;
  /** Id of its app. */
  app: string;
  createdAt: number;
  functionName: string;
  method: string;
  async: boolean;
  webhookEndpoint?: string;
  /** The call is a WebSocket. */
  websocket?: boolean;
  /** The name of the replica that serves it. */
  container: string;
  /** How long it waits: to be accepted, for a replica, and in the replica. */
  pendingMs: number;
  proxyQueueMs: number;
  containerQueueMs: number;
  /** How long the replica took to start; 0 if it was running. Part of the wait. */
  coldstartMs: number;
  /** How long it is processed; absent until it is known. */
  runtimeMs?: number;
  /** An HTTP status, 0 if canceled, -1 if the caller disconnected. */
  statusCode?: number;
  cancelledAt?: number;
  /** A file that runs once, not a call. */
  oneOff?: boolean;
  /** The exit code of a one-off run. */
  exitCode?: number;
  /** Executed here rather than generated or simulated: it ends with the emulator. */
  real?: boolean;
}

/** A login that waits for approval. Its code can be exchanged for tokens once. */
export interface DeviceRecord {
  code: string;
  /** The code that the user compares. */
  userCode: string;
  createdAt: number;
  state: 'waiting' | 'approved' | 'denied';
  /** The number of attempts to approve it with a wrong secret. */
  wrongSecrets?: number;
}

export interface Account {
  keys: ApiKey[];
  users: User[];
  serviceAccounts: ServiceAccount[];
  plan: PlanCode;
  creditCardBonusClaimed: boolean;
  paymentMethods: unknown[];
  /** Absent in the state file of an older version. */
  invoices?: Invoice[];
}

/** Generates runs deterministically, day by day, so that they need not be stored. */
export interface Traffic {
  seed: number;
  rhythm: keyof typeof trafficProfiles;
  /** The time of the first runs. Milliseconds since 1970. */
  since: number;
}

/** What a build will do, created when it starts: its scenes in order, then its end. */
export interface BuildScript {
  scenes: BuildScene[];
  /** Without an end, the build runs until it is canceled. */
  end?: BuildEnd;
  /** A status that the first poll of the build gets instead of the real one. */
  surprise?: string;
}

export interface BuildScene {
  /** The build's status during the scene. */
  status: 'building' | 'initializing';
  lines: string[];
  /** What the emulator really does in this scene: it lasts until that has ended. */
  work?: SceneWork;
}

/** An installation or the start of an app. It begins with the build, so it may be ahead of the scenes before it. */
export interface SceneWork {
  lines: { at: number; text: string }[];
  endedAt?: number;
}

/** What the emulator cannot run, and what its calls get. */
export type NotStarted = { reason: string; calls: 'refused' | 'simulated' };

interface BuildEnd {
  status: AwaitedEnd['build'];
  /** Why it failed. */
  reason?: string;
  /** Why the app was not started, although the build succeeded. */
  notStarted?: NotStarted;
  /** What is not as on the platform, for the developer of the app. */
  differences?: string[];
}

/** The app with other settings from now on. */
export function replaceSettings(app: AppRecord, settings: AppSettings, now: number): AppRecord {
  const before = billedSettings(app.settings);
  const replaced = { ...app, settings, updatedAt: now };
  if (JSON.stringify(before) === JSON.stringify(billedSettings(settings))) return replaced;
  return { ...replaced, earlier: [...(app.earlier ?? []), { until: now, settings: before }] };
}

/** The settings that were in force at a time: a later change must not change what was billed. */
export function settingsAt({ settings, earlier = [] }: AppRecord, time: number): BilledSettings {
  return earlier.find(({ until }) => time < until)?.settings ?? settings;
}

function billedSettings(settings: AppSettings): BilledSettings {
  const { cpu, memory, compute, gpuCount, computeTier, cooldownPeriodSeconds, minReplicaCount } = settings;
  return { cpu, memory, compute, gpuCount, computeTier, cooldownPeriodSeconds, minReplicaCount };
}
