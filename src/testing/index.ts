/**
 * Tests of apps on the emulator, for vitest, node:test and others: `import { startPlatform } from 'gantry/testing'`.
 * It runs in a process of its own.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pause } from '../kernel/clock.ts';
import { packageCommand } from '../own-files.ts';
import { CallFailed, privateEnvironment, runGantry, type StartedGantry, startGantry } from './gantry-process.ts';

export { CallFailed, GantryFailed } from './gantry-process.ts';

/** What {@link startPlatform} starts with. */
export interface TestPlatformOptions {
  /** Flags of `gantry emulator start`, such as `--install` or `--from deployed`. */
  flags?: readonly string[];
  /** The program. By default that of this package, or what GANTRY_BIN names. */
  program?: string;
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

/** Starts an emulator on a free port, in a process that ends with `stop` or with this one. Nothing else uses its state. */
export async function startPlatform(options: TestPlatformOptions = {}): Promise<TestPlatform> {
  const { GANTRY_BIN } = process.env;
  const { flags = [], program = GANTRY_BIN, ...unknown } = options;
  const [odd] = Object.keys(unknown);
  if (odd !== undefined) throw new TypeError(`startPlatform has no option ${odd}: pass flags and program`);
  const command = program === undefined ? packageCommand() : [program];
  const folder = await mkdtemp(join(tmpdir(), 'gantry-testing-'));
  const env = privateEnvironment(folder);
  const start = 'emulator start --port 0 --no-seed --end-with-stdin --late 0';
  const words = [...start.split(' '), ...flags];
  try {
    return new TestPlatform(await startGantry(command, words, env), command, env, folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** An emulator: deploys apps, fails as it is told, and has a clock and a state that tests set. */
export class TestPlatform implements AsyncDisposable {
  readonly url: string;
  readonly project: string;
  /** The variables that point gantry, the official client and your code to it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly clock: TestClock;
  readonly webhooks: TestWebhooks;
  readonly #snapshots = new Map<string, string>();
  #stopped: Promise<void> | undefined;

  constructor(
    private readonly emulator: StartedGantry,
    private readonly command: readonly string[],
    private readonly env: Record<string, string | undefined>,
    private readonly folder: string,
  ) {
    ({ url: this.url, project: this.project, environment: this.environment } = emulator.ready);
    this.clock = {
      advance: async (duration) => void (await this.#control('advance', { ms: millisecondsOf(duration) })),
      now: async () => new Date(String((await this.#control('advance', { ms: 0 })).now)),
    };
    const webhooks = async () => (await this.#control('webhooks')) as { url: string; deliveries: Delivery[] };
    this.webhooks = {
      url: async () => (await webhooks()).url,
      received: async () => (await webhooks()).deliveries,
      wait: (count = 1, timeoutMs = 10_000) => this.#waitForWebhooks(count, timeoutMs),
    };
  }

  /** Deploys the app of a folder, with flags of `gantry deploy`. Rejects with a `GantryFailed`, which has its errors. */
  async deploy(folder = '.', ...flags: string[]): Promise<TestApp> {
    const printed = await this.gantry(['deploy', '--yes', '--json', ...flags], folder);
    const { app, differences } = JSON.parse(printed) as { app: string; differences: string[] };
    return Object.assign(this.app(app), { differences });
  }

  /** An app that is deployed already. */
  app(name: string): TestApp {
    return new TestApp(name, this, (url, init) => this.#send(url, init));
  }

  /** Lets the next requests fail, as `gantry help faults` says: `fail('invoke=503:2', 'upload=reset-during')`. */
  async fail(...faults: string[]): Promise<void> {
    await this.#control('fail', { faults });
  }

  /** Keeps the state under a name, for `restore`. */
  async snapshot(name = 'default'): Promise<void> {
    const path = join(this.folder, `snapshot-${this.#snapshots.size}-${process.hrtime.bigint()}`);
    await this.#control('save', { folder: path });
    this.#snapshots.set(name, path);
  }

  /** Goes back to a snapshot: apps, runs, logs, volumes, secrets and the clock; faults and deliveries are forgotten. */
  async restore(name = 'default'): Promise<void> {
    const path = this.#snapshots.get(name);
    if (path === undefined)
      throw new Error(`there is no snapshot ${name}: it has these: ${[...this.#snapshots.keys()]}`);
    await this.#control('restore', { folder: path });
  }

  /** What a command of gantry prints that works with this platform. Rejects with a `GantryFailed`. */
  gantry(words: readonly string[], folder = '.'): Promise<string> {
    return runGantry(this.command, words, { env: { ...this.env, ...this.environment }, cwd: resolve(folder) });
  }

  /** Ends it, with all that it runs. It also ends with this process. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    // An emulator that has ended already cannot be asked to.
    await this.#control('stop').catch(() => this.emulator.kill());
    await this.emulator.ended();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #waitForWebhooks(count: number, timeoutMs: number): Promise<Delivery[]> {
    const lastTry = performance.now() + timeoutMs;
    for (;;) {
      const received = await this.webhooks.received();
      if (received.length >= count) return received;
      if (performance.now() > lastTry) {
        throw new Error(`${received.length} of ${count} webhooks were delivered in ${timeoutMs} ms`);
      }
      await pause(pollMs);
    }
  }

  async #control(action: string, parameters: object = {}): Promise<Record<string, unknown>> {
    const body = JSON.stringify({ secret: this.environment.GANTRY_EMULATOR_SECRET, ...parameters });
    const reply = await this.#send(`${this.url}/emulator/${action}`, { method: 'POST', body });
    const document = (await reply.json()) as Record<string, unknown>;
    if (!reply.ok) throw new Error(String(document.message));
    return document;
  }

  #send(url: string, { headers, ...init }: RequestInit): Promise<Response> {
    const ownHeaders = { authorization: `Bearer ${this.environment.GANTRY_TOKEN}`, 'content-type': 'application/json' };
    return fetch(url, { ...init, headers: { ...ownHeaders, ...Object.fromEntries(new Headers(headers)) } });
  }
}

const pollMs = 20;

const unitMs: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function millisecondsOf(duration: string): number {
  const parts = [...duration.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== duration) {
    throw new RangeError(`expected a duration such as 30s, 5m, 1h30m or 7d, not "${duration}"`);
  }
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * (unitMs[unit ?? ''] ?? 0), 0);
}

export class TestApp {
  readonly url: string;
  /** What the emulator does not do as the platform does, in words; known of an app from `deploy`. */
  readonly differences: readonly string[] = [];
  readonly #api: string;

  constructor(
    readonly name: string,
    private readonly platform: Pick<TestPlatform, 'url' | 'project' | 'clock'>,
    /** Sends a request with the token. */
    private readonly send: (url: string, init: RequestInit) => Promise<Response>,
  ) {
    const { url, project } = platform;
    this.url = `${url}/v4/${project}/${encodeURIComponent(name)}`;
    this.#api = `${url}/v2/projects/${project}/apps/${project}-${encodeURIComponent(name)}`;
  }

  /** Calls the function `run` with these arguments, and returns its result. */
  run(data?: object): Promise<unknown> {
    return this.call('run', data);
  }

  /**
   * Calls a function, and returns its result. A refusal with Retry-After is repeated when that time has passed, on the
   * clock of the platform. Rejects with a `CallFailed` for any other status but 2xx.
   */
  async call(name: string, data: object = {}): Promise<unknown> {
    const send = () => this.request(name, { body: JSON.stringify(data) });
    let response = await send();
    for (let retries = 0; retries < mostRetries; retries += 1) {
      const seconds = response.headers.get('retry-after') ?? '';
      if (![429, 503].includes(response.status) || !/^\d+$/.test(seconds)) break;
      await response.body?.cancel();
      await this.platform.clock.advance(`${seconds}s`);
      response = await send();
    }
    const document = await this.#resultOf(name, response);
    return isOfFunction(document) ? document.result : document;
  }

  /** Calls a function asynchronously, and returns the id of the run. `webhook` gets its result. */
  async submit(name: string, data: object = {}, { webhook }: { webhook?: string } = {}): Promise<string> {
    const query = new URLSearchParams({ async: 'true', ...(webhook && { webhookEndpoint: webhook }) });
    const response = await this.request(`${name}?${query}`, { body: JSON.stringify(data) });
    return (Object(await this.#resultOf(name, response)) as { run_id: string }).run_id;
  }

  /** Sends a request to the app, a POST by default. Any status is returned. */
  request(path: string, init: RequestInit = {}): Promise<Response> {
    return this.send(`${this.url}/${path.replace(/^\/+/, '')}`, { method: 'POST', ...init });
  }

  /** The lines that the app has printed, oldest first; only those of a run. */
  async logs(run?: string): Promise<string[]> {
    const query = new URLSearchParams({ direction: 'forward', pageSize: '1000', ...(run && { runId: run }) });
    return (await this.#all('logs', query)).map(({ logLine }) => String(logLine));
  }

  /** Its calls, newest first. */
  async runs(): Promise<Record<string, unknown>[]> {
    return this.#all('runs', new URLSearchParams());
  }

  /** How many calls have waited for a replica to start. */
  async coldStarts(): Promise<number> {
    return (await this.runs()).filter(({ coldstartTimeMs }) => Number(coldstartTimeMs) > 0).length;
  }

  async #resultOf(name: string, response: Response): Promise<unknown> {
    const body = await response.text();
    if (!response.ok) {
      const run = response.headers.get('x-request-id');
      throw new CallFailed(`${this.name}/${name}`, response.status, body, run ? await this.logs(run) : []);
    }
    try {
      return JSON.parse(body);
    } catch {
      return body;
    }
  }

  /** The items of all pages. */
  async #all(path: string, query: URLSearchParams): Promise<Record<string, unknown>[]> {
    const all: Record<string, unknown>[] = [];
    for (;;) {
      const response = await this.send(`${this.#api}/${path}?${query}`, {});
      const body = await response.text();
      if (!response.ok) throw new Error(`GET ${path} was answered with ${response.status}: ${body}`);
      const { items, logs = items, nextToken, nextPageToken = nextToken }: ReplyPage = JSON.parse(body || '{}');
      for (const item of logs ?? []) all.push(item);
      if (!nextPageToken) return all;
      query.set('nextToken', nextPageToken);
    }
  }
}

/** A page of runs or of a log. */
interface ReplyPage {
  items?: Record<string, unknown>[];
  logs?: Record<string, unknown>[];
  nextToken?: string;
  nextPageToken?: string;
}

const mostRetries = 4;

/** What a function returns is in an envelope; what a server answers is not. */
function isOfFunction(document: unknown): document is { result: unknown } {
  return typeof document === 'object' && document !== null && 'run_id' in document && 'result' in document;
}
