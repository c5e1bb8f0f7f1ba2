/** What {@link startPlatform} starts with. */
export interface TestPlatformOptions {
  /** Flags of `gantry emulator start`, such as `--install` or `--from deployed`. */
  flags?: readonly string[];
  /** The program. By default that of this package, or what GANTRY_BIN names. */
  program?: string;
}

/** An emulator: deploys apps, fails as it is told, and has a clock and a state that tests set. */
export interface TestPlatform extends AsyncDisposable {
  readonly url: string;
  readonly project: string;
  /** The variables that point gantry, the official client and your code to it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly clock: TestClock;
  readonly webhooks: TestWebhooks;
  /** Deploys the app of a folder, with flags of `gantry deploy`. Rejects with a `GantryFailed`, which has its errors. */
  deploy(folder?: string, ...flags: string[]): Promise<TestApp>;
  /** An app that is deployed already. */
  app(name: string): TestApp;
  /** Lets the next requests fail, as `gantry help faults` says: `fail('invoke=503:2', 'upload=reset-during')`. */
  fail(...faults: string[]): Promise<void>;
  /** Keeps the state under a name, for `restore`. */
  snapshot(name?: string): Promise<void>;
  /** Goes back to a snapshot: apps, runs, logs, volumes, secrets and the clock; faults and deliveries are forgotten. */
  restore(name?: string): Promise<void>;
  /** What a command of gantry prints that works with this platform. Rejects with a `GantryFailed`. */
  gantry(words: readonly string[], folder?: string): Promise<string>;
  /** Ends it, with all that it runs. It also ends with this process. */
  stop(): Promise<void>;
}

export interface TestApp {
  readonly name: string;
  readonly url: string;
  /** Calls the function `run` with these arguments, and returns its result. */
  run(data?: object): Promise<unknown>;
  /**
   * Calls a function, and returns its result. A refusal with Retry-After is repeated when that time has passed, on the
   * clock of the platform. Rejects with a `CallFailed` for any other status but 2xx.
   */
  call(name: string, data?: object): Promise<unknown>;
  /** Calls a function asynchronously, and returns the id of the run. `webhook` gets its result. */
  submit(name: string, data?: object, options?: { webhook?: string }): Promise<string>;
  /** Sends a request to the app, a POST by default. Any status is returned. */
  request(path: string, init?: RequestInit): Promise<Response>;
  /** The lines that the app has printed, oldest first; only those of a run. */
  logs(run?: string): Promise<string[]>;
  /** Its calls, newest first. */
  runs(): Promise<Record<string, unknown>[]>;
  /** How many calls have waited for a replica to start. */
  coldStarts(): Promise<number>;
}

export interface TestClock {
  /** Moves it forward by `30s`, `5m`, `1h30m` or `2d`: replicas cool down, signed URLs expire. */
  advance(duration: string): Promise<void>;
  now(): Promise<Date>;
}

/** Deliveries to an address of the platform itself: no server is needed to receive them. */
export interface TestWebhooks {
  url(): Promise<string>;
  /** Oldest first. */
  received(): Promise<Delivery[]>;
  /** Resolves as soon as there are so many, by default one. Rejects after `timeoutMs`, by default 10,000. */
  wait(count?: number, timeoutMs?: number): Promise<Delivery[]>;
}

export interface Delivery {
  url: string;
  headers: Record<string, string>;
  body: string;
}
