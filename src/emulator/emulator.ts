import type { TokenClaims } from './endpoints/account/access.ts';
import type { OnCall } from './endpoints/call-observer.ts';
import type { FaultTarget, FaultText } from './model/faults.ts';
import type { Lateness } from './model/platform-clock.ts';
import type { RecordedRequest } from './model/recorded-request.ts';
import type { Store } from './model/state/store.ts';
import type { DebuggingOptions } from './running/debugging/debugging.ts';
import type { AppLogs } from './running/logs/app-logs.ts';
import type { StorageAccess } from './running/replicas/persistent-storage.ts';
import type { VolumeFiles } from './running/volumes/volume-files.ts';

export interface EmulatorOptions {
  /** 0, the default, picks a free port. */
  port?: number | undefined;
  /** A folder for state and uploads, which survive a restart. Without it everything is temporary. */
  data?: string | undefined;
  /** The folder of a snapshot, whose state it starts with. `data` must have none then. */
  from?: string | undefined;
  /** Milliseconds that each stage of a build takes. With 0, the default, a build ends with its upload. */
  pace?: number | undefined;
  /** Milliseconds after which replies show a log line, and what was created. Default: 0. */
  late?: number | undefined;
  /** Seconds that a signed URL is valid. Default: 600, as on the platform. */
  linkSeconds?: number | undefined;
  /** The clock, in milliseconds since 1970. */
  now?: (() => number) | undefined;
  /** The id of the only project. */
  project?: string | undefined;
  /**
   * Fills the project with three apps and 30 days of their runs, unless `data` or `from` has state. The same number at
   * the same time creates the same data. Without it the project is empty.
   */
  seed?: number | undefined;
  /** `false`: nobody uses the project yet. Else it has users, service accounts, keys and invoices. */
  hasAccount?: boolean | undefined;
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
  /** How apps get `/persistent-storage`; by default the best that works on this machine. */
  storageAccess?: StorageAccess | undefined;
  /** Lets the user who runs the emulator, and nobody else, call apps without a token, where the system tells users apart. */
  trustOwner?: boolean | undefined;
  /** Keeps a replica of each app running, whatever its cooldown: a developer pauses, and loading a model takes long. */
  keepWarm?: boolean | undefined;
  /** How the code of apps is debugged. Without it, `breakpoint()` says what to do instead. */
  debugging?: DebuggingOptions | undefined;
  /** Hides what looks like a secret in text that a page shows. */
  hideSecrets?: ((text: string) => string) | undefined;
  /** How many requests `calls` has at most. Default: 10,000. */
  maxCalls?: number | undefined;
  /** How many builds of each app are kept, besides the one that serves. Default: all. */
  maxBuilds?: number | undefined;
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
  /** The page of the last calls. Its address has a key that lets its holder see their bodies, and send them again. */
  readonly callsUrl: string;
  /** Whether the owner can call apps without a token, and nobody else. */
  readonly trustsOwner: boolean;
  /** Aborts when the owner asks the emulator to stop (`gantry emulator stop`). The process that started it then closes it. */
  readonly stopRequested: AbortSignal;
  readonly store: Store;
  /** Lets what is late show. */
  readonly late: Lateness;
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
