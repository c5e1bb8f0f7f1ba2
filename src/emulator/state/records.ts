import type { ApiKey } from '../../contract/api-keys.ts';
import type { Invoice } from '../../contract/costs.ts';
import type { PlanCode } from '../../contract/plan.ts';
import type { ServiceAccount } from '../../contract/service-accounts.ts';
import type { User } from '../../contract/users.ts';
import type { AppSettings } from '../apps/settings.ts';
import type { trafficProfiles } from '../seed/traffic-profiles.ts';

/** All times are milliseconds since 1970. */
export interface AppRecord {
  /** `<project>-<name>` */
  id: string;
  name: string;
  project: string;
  /** Made by a one-off run (spec 2.5). */
  ephemeral?: boolean;
  createdAt: number;
  updatedAt: number;
  settings: AppSettings;
  /** Calls of a seeded app: they go on by themselves. */
  traffic?: Traffic;
}

/**
 * Only what happened is kept: where a build stands now is read from its script and the clock (`timeline.ts`).
 * So nothing has to be woken up to move it on, and nothing is lost by a restart.
 */
export interface BuildRecord {
  id: string;
  /** Id of its app. */
  app: string;
  createdAt: number;
  /** Those of its own deploy: a later deploy of the app changes nothing here. */
  settings: AppSettings;
  /** Where its archive is in object storage. */
  keyName: string;
  /** Registries the deploy sent a login for. The login itself is not kept. */
  registries: string[];
  /** What is in the archive of a seeded build: none was sent. */
  files?: Record<string, { size: number; crc32: number }>;
  /** When its archive had arrived; absent while we wait for it. */
  startedAt?: number;
  cancelledAt?: number;
  /** Milliseconds each scene of the script takes. */
  pace: number;
  script: BuildScript;
}

/**
 * A call of an app. As with a build, only what happens is kept: where it stands is read from it and the clock
 * (`run-reading.ts`). Durations in milliseconds.
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
  /** Name of the replica that serves it. */
  container: string;
  /** How long it waits to be noticed, then for a replica, then in the replica. */
  pendingMs: number;
  proxyQueueMs: number;
  containerQueueMs: number;
  /** How long the start of a replica took; 0 when one was there. It is part of what the run waits. */
  coldstartMs: number;
  /** How long it is worked on; absent as long as nobody can tell. */
  runtimeMs?: number;
  /** What it ends with: an HTTP status, 0 cancelled, -1 closed by its caller. */
  statusCode?: number;
  cancelledAt?: number;
  /** What a one-off run's program ended with. */
  exitCode?: number;
  /** It is carried out for real: when the emulator ends, so does it. */
  real?: boolean;
}

/** A trouble of the platform's services, for its status page. */
export interface Incident {
  title: string;
  /** `degraded`, `downtime` or `maintenance`. */
  state: string;
  /** Names of the services it concerns (`status.ts`). */
  services: string[];
  startedAt: number;
  /** When it ended, or is planned to. */
  endsAt?: number;
  updates: { at: number; message: string }[];
}

/** A login that waits for a person to agree. Its code gives tokens once. */
export interface DeviceRecord {
  code: string;
  /** What the person compares. */
  userCode: string;
  createdAt: number;
  state: 'waiting' | 'approved' | 'denied';
  /** How often somebody tried to approve it with a wrong secret. */
  wrongSecrets?: number;
  /** Who asks sooner after the last time is told to slow down. */
  intervalSeconds: number;
  polledAt?: number;
}

/** What a refresh token stands for. */
export interface SessionRecord {
  user: string;
  createdAt: number;
}

/** What belongs to a project beside its apps: who may use it, with what, and who pays. */
export interface Account {
  keys: ApiKey[];
  users: User[];
  serviceAccounts: ServiceAccount[];
  plan: PlanCode;
  creditCardBonusClaimed: boolean;
  paymentMethods: unknown[];
  /** Absent in the state of an older emulator. */
  invoices?: Invoice[];
}

/** Calls that are made up rather than kept: a day of them follows from this and the day, each time the same. */
export interface Traffic {
  seed: number;
  rhythm: keyof typeof trafficProfiles;
  /** When the first calls came. Milliseconds since 1970. */
  since: number;
}

/** What a build will do, written once when it starts: scene after scene, then an end. */
export interface BuildScript {
  scenes: BuildScene[];
  /** Without an end it goes on until somebody cancels it. */
  end?: BuildEnd;
  /** A status that the first look at the build finds instead of the true one. */
  surprise?: string;
}

export interface BuildScene {
  /** The build's status while the scene lasts. */
  status: 'building' | 'initializing';
  lines: string[];
}

interface BuildEnd {
  status: string;
  /** Why it failed, in the user's words. */
  reason?: string;
}
