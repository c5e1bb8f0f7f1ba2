import * as v from 'valibot';
import { AppCreation } from '../../../platform/contract/apps.ts';
import { Invoice, planCodes } from '../../../platform/contract/billing.ts';
import { ApiKey, ServiceAccount, User } from '../../../platform/contract/team.ts';
import { type AppSettings, withDefaults } from '../apps/settings.ts';
import { trafficProfiles } from './traffic-profiles.ts';

/** Milliseconds since 1970, within the range of Date. */
export const Time = v.pipe(v.number(), v.minValue(0), v.maxValue(8e15));
const Duration = v.pipe(v.number(), v.minValue(0));
const Texts = v.array(v.string());
/** What another version does not have or know has its default. */
const Settings = v.pipe(AppCreation, v.transform(withDefaults));

/** The settings that costs depend on. */
const BilledSettings = v.object({
  cpu: v.number(),
  memory: v.number(),
  gpuCount: v.number(),
  cooldownPeriodSeconds: v.number(),
  minReplicaCount: v.number(),
  compute: Texts,
  computeTier: v.string(),
});
export type BilledSettings = v.InferOutput<typeof BilledSettings>;

/** Generates runs deterministically, day by day, so that they need not be stored. */
const Traffic = v.object({
  seed: v.number(),
  rhythm: v.picklist(Object.keys(trafficProfiles) as (keyof typeof trafficProfiles)[]),
  /** The time of the first runs. */
  since: Time,
});
export type Traffic = v.InferOutput<typeof Traffic>;

const AppRecord = v.object({
  /** `<project>-<name>` */
  id: v.string(),
  name: v.string(),
  project: v.string(),
  /** Created by a one-off run (spec 2.5). */
  ephemeral: v.exactOptional(v.boolean()),
  createdAt: Time,
  updatedAt: Time,
  settings: Settings,
  /** What was in force before, oldest first. */
  earlier: v.exactOptional(v.array(v.object({ until: Time, settings: BilledSettings }))),
  traffic: v.exactOptional(Traffic),
});
export type AppRecord = v.InferOutput<typeof AppRecord>;

/** An installation or the start of an app. It begins with the build, so it may be ahead of the scenes before it. */
const SceneWork = v.object({
  lines: v.array(v.object({ at: Time, text: v.string() })),
  endedAt: v.exactOptional(Time),
});
export type SceneWork = v.InferOutput<typeof SceneWork>;

const BuildScene = v.object({
  /** The build's status during the scene. */
  status: v.picklist(['building', 'initializing']),
  lines: Texts,
  /** What the emulator really does in this scene: it lasts until that has ended. */
  work: v.exactOptional(SceneWork),
});
export type BuildScene = v.InferOutput<typeof BuildScene>;

/** What the emulator cannot run, and what its calls get. */
const NotStarted = v.object({ reason: v.string(), calls: v.picklist(['refused', 'simulated']) });
export type NotStarted = v.InferOutput<typeof NotStarted>;

/** What a build will do, created when it starts: its scenes in order, then its end. */
const BuildScript = v.object({
  scenes: v.array(BuildScene),
  /** Without an end, the build runs until it is canceled. */
  end: v.exactOptional(
    v.object({
      status: v.string(),
      reason: v.exactOptional(v.string()),
      /** Why the app was not started, although the build succeeded. */
      notStarted: v.exactOptional(NotStarted),
      /** What is not as on the platform, for the developer of the app. */
      differences: v.exactOptional(Texts),
    }),
  ),
  /** A status that the first poll of the build gets instead of the real one. */
  surprise: v.exactOptional(v.string()),
});
export type BuildScript = v.InferOutput<typeof BuildScript>;

/**
 * Only events are stored. The current status is computed from the script and the clock (`script.ts`), so that
 * no timer is needed and nothing is lost by a restart.
 */
const BuildRecord = v.object({
  id: v.string(),
  /** Id of its app. */
  app: v.string(),
  createdAt: Time,
  /** The settings of this deployment: a later one does not change them. */
  settings: Settings,
  /** The archive's key in object storage. */
  keyName: v.string(),
  /** The archive's files, for a seeded build without an archive. */
  files: v.exactOptional(v.record(v.string(), v.object({ size: v.number(), crc32: v.number() }))),
  /** When the archive was uploaded. */
  startedAt: v.exactOptional(Time),
  cancelledAt: v.exactOptional(Time),
  /** How long each scene of the script takes. */
  pace: Duration,
  script: BuildScript,
});
export type BuildRecord = v.InferOutput<typeof BuildRecord>;

/** A run of an app. As with builds, only events are stored, and the status is computed (`runs/record.ts`). */
const RunRecord = v.object({
  id: v.string(),
  /** Id of its app. */
  app: v.string(),
  createdAt: Time,
  functionName: v.string(),
  method: v.string(),
  async: v.boolean(),
  webhookEndpoint: v.exactOptional(v.string()),
  /** What became of its delivery; absent before the first attempt has ended. */
  webhookDelivery: v.exactOptional(v.string()),
  /** The call is a WebSocket. */
  websocket: v.exactOptional(v.boolean()),
  /** The name of the replica that serves it. */
  container: v.string(),
  /** How long it waits: to be accepted, for a replica, and in the replica. */
  pendingMs: Duration,
  proxyQueueMs: Duration,
  containerQueueMs: Duration,
  /** How long the replica took to start; 0 if it was running. Part of the wait. */
  coldstartMs: Duration,
  /** How long it is processed; absent until it is known. */
  runtimeMs: v.exactOptional(Duration),
  /** An HTTP status, 0 if canceled, -1 if the caller disconnected. */
  statusCode: v.exactOptional(v.number()),
  cancelledAt: v.exactOptional(Time),
  /** A file that runs once, not a call. */
  oneOff: v.exactOptional(v.boolean()),
  /** What the hardware of a file's run costs. */
  billed: v.exactOptional(BilledSettings),
  exitCode: v.exactOptional(v.number()),
  /** Executed here rather than generated or simulated: it ends with the emulator. */
  real: v.exactOptional(v.boolean()),
});
export type RunRecord = v.InferOutput<typeof RunRecord>;

/** A replica whose process ran here, and has ended. Times in milliseconds since 1970. */
const ReplicaRecord = v.object({
  name: v.string(),
  /** Id of its app. */
  app: v.string(),
  build: v.string(),
  /** The begin of its start, which is billed. */
  startedAt: v.number(),
  /** When it could serve runs; null if it failed to start. */
  readyAt: v.nullable(v.number()),
  /** When it ended, or will end without further runs. */
  endsAt: v.number(),
  /** How often its process was started again; only of replicas whose process runs here. */
  restarts: v.exactOptional(v.number()),
});
export type ReplicaRecord = v.InferOutput<typeof ReplicaRecord>;

/** The lifetime of a replica. Times in milliseconds since 1970. */
export interface ReplicaPeriod extends Omit<ReplicaRecord, 'app' | 'readyAt'> {
  /** Infinite until it can serve runs. */
  readyAt: number;
  state: 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'Failed';
  isTerminating?: boolean;
  /** Kept without calls, and not a process: it has ended where one that serves took its place. */
  isMadeUp?: boolean;
  /** What it costs, if not what those of its app do. */
  billed?: BilledSettings;
}

const Account = v.object({
  keys: v.array(ApiKey),
  users: v.array(User),
  serviceAccounts: v.array(ServiceAccount),
  plan: v.picklist(planCodes),
  creditCardBonusClaimed: v.boolean(),
  paymentMethods: v.array(v.unknown()),
  invoices: v.array(Invoice),
});
export type Account = v.InferOutput<typeof Account>;

/** The version of the state file. */
export const stateVersion = 1;

export const State = v.object({
  version: v.pipe(v.number(), v.maxValue(stateVersion, 'was written by a newer version of gantry')),
  projects: Texts,
  listened: v.optional(v.object({ folder: v.string(), port: v.number() })),
  key: v.pipe(v.string(), v.minLength(1)),
  idsGiven: v.pipe(v.number(), v.integer(), v.minValue(0)),
  apps: v.record(v.string(), AppRecord),
  builds: v.record(v.string(), BuildRecord),
  runs: v.record(v.string(), RunRecord),
  replicas: v.record(v.string(), ReplicaRecord),
  accounts: v.record(v.string(), Account),
  secrets: v.record(v.string(), v.record(v.string(), v.string())),
  volumeSizes: v.record(v.string(), v.number()),
});
export type State = v.InferOutput<typeof State>;

/** A login that waits for approval. Its code can be exchanged for tokens once. */
export interface DeviceRecord {
  code: string;
  /** The code that the user compares. */
  userCode: string;
  createdAt: number;
  state: 'waiting' | 'approved' | 'denied';
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

/** Picks what costs depend on. */
export function billedSettings(settings: AppSettings): BilledSettings {
  return v.parse(BilledSettings, settings);
}
