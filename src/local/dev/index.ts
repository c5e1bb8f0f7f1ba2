import { EventEmitter } from 'node:events';
import { basename, relative, resolve } from 'node:path';
import { sampleCallOf } from '../../app/sample-call.ts';
import { onAbort } from '../../kernel/clock.ts';
import {
  BuildFailedError,
  ConflictError,
  type FileLocation,
  type GantryError,
  NotReadyError,
  type Problem,
  ProjectError,
} from '../../kernel/errors.ts';
import { defined } from '../../kernel/json-text.ts';
import type { Context } from '../../platform/context.ts';
import { deleteApp } from '../../platform/contract/apps.ts';
import { toAppId } from '../../platform/contract/endpoint.ts';
import type { Secrets } from '../../platform/contract/secrets.ts';
import { noStep } from '../../platform/waiting/index.ts';
import { announceEmulator } from '../emulator/index.ts';
import { type AppVersion, type DevelopOptions, develop, type Reload } from './develop.ts';
import { FolderWatcher } from './folder-watcher.ts';

export type { Reload } from './develop.ts';
export { findAppFolders } from './find-app-folders.ts';

/** The emulator that apps are deployed to. */
interface DevPlatform {
  url: string;
  project: string;
  token: string;
  approvalAddress: string;
  /** Whether calls of the user who runs it need no token. */
  trustsOwner: boolean;
  /** The variables that make a command use it. */
  environment: Record<string, string>;
  store: { givenSecrets: Secrets };
  logs: { subscribe(app: string, print: (line: AppLine) => void): void };
}

export interface AppLine {
  text: string;
  stream: 'stdout' | 'stderr';
  run: string;
  at: number;
}

export interface AppAddresses {
  endpoint: string;
  curl: string;
  dashboard: string;
}

interface SessionPrinter {
  output(app: string, line: AppLine): void;
  ready(app: string, build: string, tookMs: number, formerName: string | undefined): void;
  reload(app: string, build: string, reload: Reload): void;
  /** What is not as on the platform. */
  differences(app: string, lines: readonly string[]): void;
  /** `servingSince` is when the version that is still running was deployed. */
  failure(app: string, changed: string[], error: GantryError, servingSince: string | undefined): void;
  debugger(app: string, port: number): void;
  explain(isReady: boolean): void;
  addresses(apps: Iterable<AppAddresses>): void;
  help(): void;
  clear(): void;
  time(): string;
}

interface SessionOptions {
  signal: AbortSignal;
  print: SessionPrinter;
  folders: readonly string[];
  several: boolean;
  open: boolean;
  /** Where an editor can attach, by folder. */
  debugPorts: ReadonlyMap<string, number>;
}

export type ReadyApp = Awaited<ReturnType<DevSession['describe']>>;

/** The apps that `gantry dev` runs, each deployed again on every change. */
export class DevSession {
  /** Emits `ready` with what is printed about an app that can be called. */
  readonly ready = new EventEmitter();
  readonly #announcement: ReturnType<typeof announceEmulator>;
  readonly #watchers: FolderWatcher[] = [];
  readonly #folders = new Map<string, string>();
  readonly #listening = new Set<string>();
  readonly #shown = new Map<string, ReadyApp>();
  #latest: AppVersion | undefined;

  constructor(
    private readonly context: Context,
    private readonly platform: DevPlatform,
    private readonly options: SessionOptions,
  ) {
    const { url, project, environment } = platform;
    const facts = { command: 'dev', url, project, folder: context.cwd } as const;
    this.#announcement = announceEmulator(context, { ...facts, folders: [...options.folders], apps: [], environment });
  }

  /** Runs the app of a folder, and again on every change, until the signal aborts. */
  async run(
    folder: string,
    { configFile, fromEnvFile, readSecrets }: Pick<DevelopOptions, 'configFile' | 'fromEnvFile' | 'readSecrets'>,
  ): Promise<void> {
    const { context, platform, options } = this;
    const { print } = options;
    const ownContext = context.withOverrides(platform.environment, folder, options.signal);
    const { elapsed, progress } = context;
    const file = fromEnvFile === undefined || fromEnvFile === '-' ? undefined : resolve(context.cwd, fromEnvFile);
    const watcher = new FolderWatcher(folder, { file, elapsed, onWarning: progress.warn });
    this.#watchers.push(watcher);
    // Nothing else ends the wait for a change.
    onAbort(options.signal, () => watcher.ask());
    let name: string | undefined;
    let since: string | undefined;
    let told: readonly string[] = [];
    const prepare = (wanted: string, secrets: Secrets) => {
      this.#checkName(wanted, folder);
      this.#listen(wanted);
      platform.store.givenSecrets = secrets;
      // The steps of several apps would share a line.
      if (options.several) return noStep;
      return progress.step(`${name === undefined ? 'Deploying' : 'Reloading'} ${wanted}`);
    };
    try {
      for await (const reload of develop(ownContext, { watcher, configFile, fromEnvFile, readSecrets, prepare })) {
        if ('error' in reload.outcome) {
          const shownName = name ?? (relative(context.cwd, folder) || basename(folder));
          print.failure(shownName, reload.changed, reload.outcome.error, since);
          print.explain(this.#latest !== undefined);
          continue;
        }
        const { version } = reload.outcome;
        if (name === version.app) {
          this.#shown.set(name, await this.describe(version));
          print.reload(name, version.build, reload);
        } else await this.#introduce(version, reload, name, ownContext);
        print.differences(
          version.app,
          version.differences.filter((line) => !told.includes(line)),
        );
        told = version.differences;
        this.#latest = version;
        name = version.app;
        since = print.time();
      }
    } finally {
      watcher.close();
    }
  }

  /** The folder of an app that runs or is about to. */
  folderOf(app: string): string | undefined {
    return this.#folders.get(app);
  }

  press(key: string, quit: () => void): void {
    const actions: Record<string, () => unknown> = {
      r: () => {
        for (const watcher of this.#watchers) watcher.ask();
      },
      o: () => this.#openLatest(),
      c: () => this.options.print.clear(),
      l: () => this.options.print.addresses(this.#shown.values()),
      h: () => this.options.print.help(),
      '?': () => this.options.print.help(),
      q: quit,
    };
    actions[key.toLowerCase()]?.();
  }

  end(): void {
    this.#announcement.withdraw();
  }

  async describe({ app, build, endpoint, ...version }: AppVersion) {
    const { url, project, token, approvalAddress, trustsOwner } = this.platform;
    const curl = await sampleCall({ app, build, endpoint, ...version }, trustsOwner ? undefined : token);
    const { dashboard } = version;
    const facts = { app, endpoint, curl, dashboard, url, project, token };
    const debugPort = this.options.debugPorts.get(this.#folders.get(app) ?? '');
    return { type: 'ready', ...facts, approveUrl: approvalAddress, build, ...defined({ debugPort }) } as const;
  }

  /** Two apps of one name would replace each other. */
  #checkName(name: string, folder: string): void {
    const other = this.#folders.get(name);
    if (other !== undefined && other !== folder) {
      throw new ConflictError(`two apps are called ${name}`, { why: `the other one is in ${other}` });
    }
    // Names that were tried and failed are free again.
    for (const [tried, where] of this.#folders) {
      if (where === folder && !this.#shown.has(tried)) this.#folders.delete(tried);
    }
    this.#folders.set(name, folder);
  }

  async #introduce(
    version: AppVersion,
    { tookMs }: Reload,
    before: string | undefined,
    ownContext: Context,
  ): Promise<void> {
    const { app, build } = version;
    if (before !== undefined) await this.#forget(before, ownContext);
    this.options.print.ready(app, build, tookMs, before);
    const description = await this.describe(version);
    if (description.debugPort !== undefined) this.options.print.debugger(app, description.debugPort);
    this.#shown.set(app, description);
    this.#announcement.update({ apps: [...this.#shown.keys()] });
    const isFirst = this.#latest === undefined;
    this.#latest = version;
    this.ready.emit('ready', description);
    if (isFirst && this.options.open) await this.#openLatest();
  }

  #listen(app: string): void {
    if (this.#listening.has(app)) return;
    this.#listening.add(app);
    const { project, logs } = this.platform;
    logs.subscribe(toAppId(project, app), (line) => this.options.print.output(app, line));
  }

  /** Nobody calls the app by its former name any more. */
  async #forget(name: string, { api, project }: Context): Promise<void> {
    this.#folders.delete(name);
    this.#shown.delete(name);
    await api(deleteApp, { project, app: name }).catch(() => {});
  }

  async #openLatest(): Promise<void> {
    if (!this.#latest) return this.context.progress.note('no app is ready yet');
    const { runtime, endpoint, dashboard } = this.#latest;
    const { openBrowser, progress } = this.context;
    // Relative links need a trailing slash. A browser cannot call functions.
    const address = runtime === 'custom' ? `${endpoint}/` : dashboard;
    if (!(await openBrowser(address))) progress.note(`cannot open a browser; the address is ${address}`);
  }
}

/**
 * A command that calls the app; empty if main.py has no function. A token goes through stdin: other users of this machine can read the arguments of a
 * process, but not those of `printf`, which is a shell builtin.
 */
async function sampleCall({ local: { config }, endpoint }: AppVersion, token?: string): Promise<string> {
  const { deployment, custom, runtime, root } = config;
  const curl =
    deployment.disable_auth === false && token !== undefined
      ? [`printf 'authorization: Bearer ${token}' | curl`, '-H @-']
      : ['curl'];
  if (runtime !== 'cortex') {
    return [...curl, `${endpoint}${custom?.healthcheck_endpoint ?? '/'}`].join(' ');
  }
  const call = await sampleCallOf(root);
  if (!call) return '';
  const { function: name, parameters } = call;
  const body = JSON.stringify(parameters);
  return [...curl, `${endpoint}/${name}`, "-H 'content-type: application/json'", `-d '${body}'`].join(' ');
}

/** What the user has to fix before the app is reloaded. */
export function reloadProblems(error: GantryError): readonly Problem[] {
  if (error instanceof ProjectError && error.problems.length > 0) return error.problems;
  const { why, fix, location } = error.facts;
  const problem: Problem = { severity: 'error', message: error.message, location };
  // The whole log would repeat the reason.
  if (error instanceof NotReadyError || error instanceof BuildFailedError) {
    const { reason = why, explanation } = (error.facts.details ?? {}) as { reason?: unknown; explanation?: Explained };
    return [{ ...asProblem(explanation, reason), ...problem }];
  }
  return [{ ...problem, why, fix }];
}

function asProblem(explained: Explained | undefined, reason: unknown): Partial<Problem> {
  if (!explained) return reason ? { why: String(reason) } : {};
  const { title, fix, location } = explained;
  const why = [reason, `cause: ${title}`].filter(Boolean).join('\n');
  return { why, fix, ...(location && { location }) };
}

/** What is known of the cause of a failed build. */
type Explained = Record<'title' | 'fix', string> & { location: FileLocation | null };
