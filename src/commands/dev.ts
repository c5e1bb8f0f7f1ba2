import { EventEmitter, on } from 'node:events';
import { basename, relative, resolve } from 'node:path';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { deleteApp } from '../contract/apps.ts';
import { toAppId } from '../contract/endpoint.ts';
import type { Secrets } from '../contract/secrets.ts';
import { type Emulator, findPython, type ServedCall } from '../emulator/index.ts';
import { ConflictError } from '../errors.ts';
import { allowOriginFlag, emulatorEnvironment, installFlag, startOnFreePort } from '../flags/emulator.ts';
import { wholeNumberFlag } from '../flags/values.ts';
import {
  type AppVersion,
  develop,
  FolderWatcher,
  findAppFolders,
  type Reload,
  sampleCall,
} from '../operations/dev/index.ts';
import { announceEmulator, detectShell, evaluationOf } from '../operations/emulator/index.ts';
import { readSecretsFile } from '../operations/secrets/index.ts';
import type { Step } from '../output/progress.ts';
import { wrapCommand } from '../output/wrap-command.ts';
import { devEvents } from '../views/dev-events.ts';
import { DevPrinter } from '../views/dev-printer.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('[dir...]', 'app folders, or folders of app folders', ['.'])
      .option('--port <number>', 'port to listen on (default: 4100, or the next free one)', wholeNumberFlag(0, 65_535))
      .option('--pace <ms>', 'duration of each build stage, in ms', wholeNumberFlag(0), 0)
      .option(...installFlag)
      .option(...allowOriginFlag)
      .option('--env-file <file>', '.env or JSON file with secrets for the app; watched as well')
      .option('--open', 'open the app in the browser once it is ready'),
  run: (context, folders, options) => serve(context, folders, options),
  verbatim: () => true,
  view:
    ({ endpoint, curl }) =>
    ({ columns }) =>
      `${endpoint}\n${wrapCommand(curl, columns)}`,
  effect: 'changes',
  unattended: false,
  exits: ['input-needed', 'not-found', 'project', 'unavailable'],
  json: devEvents,
  details: [
    'Prints a line for each call, what the app prints, and what is wrong with a change; the previous version runs on. In another shell, `gantry emulator env` prints what makes invoke, logs and cp use it.',
    'Calls need no token from the user who runs it, on Linux even if the app is private.',
  ],
  examples: ['dev', 'dev ../other-app --port 0', 'dev apps', 'dev --env-file .env --open'],
});

interface DevFlags {
  port?: number | undefined;
  pace: number;
  install?: true | undefined;
  envFile?: string | undefined;
  allowOrigin?: string[] | undefined;
  open?: true | undefined;
}

/** Yields the URLs of each app once it is ready, then deploys it again on every change until Ctrl-C. */
async function* serve(context: Context, given: string[], { envFile, open, ...options }: DevFlags) {
  const { interruption, cwd } = context;
  const folders = findAppFolders(cwd, given);
  const readSecrets = await secretsReader(context, envFile);
  const session: { current?: DevSession } = {};
  const emulator = await startOnFreePort(context, {
    ...options,
    ...{
      seed: false,
      trustOwner: true,
      onCall: ({ app, ...call }: ServedCall) => session.current?.print.call(app, call),
    },
  });
  interruption.message = '';
  const quit = new AbortController();
  const signal = AbortSignal.any([context.signal, emulator.stopRequested, quit.signal]);
  const stopKeys = await context.prompt.listenForKeys((key) => session.current?.press(key, () => quit.abort()));
  signal.addEventListener('abort', () => stopKeys?.(), { once: true });
  const environmentCommand = evaluationOf('gantry emulator env', detectShell(context.env));
  const several = folders.length > 1;
  const print = new DevPrinter(context, {
    several,
    hasKeys: stopKeys !== undefined,
    environmentCommand,
  });
  const dev = new DevSession(context, emulator, { signal, print, several, open: open === true });
  session.current = dev;
  // Listens before an app can be ready.
  const versions = on(dev.ready, 'ready', { signal });
  const apps = folders.map((folder) => dev.run(folder, { envFile, readSecrets }));
  try {
    await warnWithoutPython(context);
    Promise.all(apps).catch((error: Error) => dev.ready.emit('error', error));
    for await (const [version] of versions) {
      yield version as ReadyApp;
      // Below what was just printed.
      print.explain(true);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    quit.abort();
    await Promise.allSettled(apps);
    dev.end();
    await emulator.close();
  }
}

/** Reads the file at once, so that a missing one ends the command. */
async function secretsReader(context: Context, file: string | undefined): Promise<() => Promise<Secrets>> {
  const first = file === undefined ? {} : await readSecretsFile(context, file);
  return async () => (file === undefined || file === '-' ? first : readSecretsFile(context, file));
}

async function warnWithoutPython({ progress }: Context): Promise<void> {
  if (await findPython()) return;
  progress.warn({
    severity: 'warning',
    message: 'calls are simulated: python3 not found',
    why: 'without Python the app does not run; responses repeat the request',
  });
}

interface SessionOptions {
  signal: AbortSignal;
  print: DevPrinter;
  several: boolean;
  open: boolean;
}

interface AppSources {
  envFile: string | undefined;
  readSecrets: () => Promise<Secrets>;
}

type ReadyApp = Awaited<ReturnType<DevSession['describe']>>;

/** The apps that run. */
class DevSession {
  /** Emits `ready` with what is printed about an app that can be called. */
  readonly ready = new EventEmitter();
  readonly print: DevPrinter;
  readonly #announcement: ReturnType<typeof announceEmulator>;
  readonly #environment: Record<string, string>;
  readonly #watchers: FolderWatcher[] = [];
  /** By name. */
  readonly #folders = new Map<string, string>();
  /** Names of apps whose output is printed. */
  readonly #listening = new Set<string>();
  readonly #shown = new Map<string, ReadyApp>();
  #latest: AppVersion | undefined;

  constructor(
    private readonly context: Context,
    private readonly emulator: Emulator,
    private readonly options: SessionOptions,
  ) {
    const { url, project } = emulator;
    this.print = options.print;
    this.#environment = emulatorEnvironment(emulator);
    const facts = { command: 'dev', url, project, folder: context.cwd, apps: [] } as const;
    this.#announcement = announceEmulator(context, { ...facts, apps: [], environment: this.#environment });
  }

  /** Runs the app of a folder, and again on every change, until the signal aborts. */
  async run(folder: string, { envFile, readSecrets }: AppSources): Promise<void> {
    const { context, emulator, options } = this;
    const own = context.withOverrides(this.#environment, folder, options.signal);
    const { elapsed, progress } = context;
    const file = envFile === undefined || envFile === '-' ? undefined : resolve(context.cwd, envFile);
    const watcher = new FolderWatcher(folder, { file, elapsed, onWarning: progress.warn });
    this.#watchers.push(watcher);
    let name: string | undefined;
    let since: string | undefined;
    let first: Step | undefined;
    const prepare = (wanted: string, secrets: Secrets) => {
      this.#checkName(wanted, folder);
      this.#listen(wanted);
      // The first build may install packages. The steps of several apps would share a line.
      if (name === undefined && !options.several) first = progress.step(`Deploying ${wanted}`);
      emulator.store.secrets.set(emulator.project, secrets);
    };
    try {
      for await (const reload of develop(own, { watcher, envFile, readSecrets, prepare })) {
        first?.clear();
        if ('error' in reload.outcome) {
          const shown = name ?? (relative(context.cwd, folder) || basename(folder));
          this.print.failure(shown, reload.changed, reload.outcome.error, since);
          this.print.explain(this.#latest !== undefined);
          continue;
        }
        const { version } = reload.outcome;
        if (name === version.app) this.print.reload(name, version.build, reload);
        else await this.#introduce(version, reload, name, own);
        this.#latest = version;
        name = version.app;
        since = this.print.time();
      }
    } finally {
      first?.clear();
      watcher.close();
    }
  }

  press(key: string, quit: () => void): void {
    const actions: Record<string, () => unknown> = {
      r: () => {
        for (const watcher of this.#watchers) watcher.wake();
      },
      o: () => this.#openLatest(),
      c: () => this.print.clear(),
      l: () => this.print.addresses(this.#shown.values()),
      h: () => this.print.help(),
      '?': () => this.print.help(),
      q: quit,
    };
    actions[key.toLowerCase()]?.();
  }

  end(): void {
    this.#announcement.withdraw();
  }

  async describe({ app, build, endpoint, ...version }: AppVersion) {
    const { url, project, token, approvalAddress, trustsOwner } = this.emulator;
    const curl = await sampleCall({ app, build, endpoint, ...version }, trustsOwner ? undefined : token);
    const { dashboard } = version;
    const facts = { app, endpoint, curl, dashboard, url, project, token, approveUrl: approvalAddress, build };
    return { type: 'ready', ...facts } as const;
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

  /** Prints where a new app, or one with a new name, can be called. */
  async #introduce(version: AppVersion, { tookMs }: Reload, before: string | undefined, own: Context): Promise<void> {
    const { app, build } = version;
    if (before !== undefined) await this.#forget(before, own);
    this.print.ready(app, build, tookMs, before);
    const description = await this.describe(version);
    this.#shown.set(app, description);
    this.#announcement.update({ apps: [...this.#shown.keys()] });
    const isFirst = this.#latest === undefined;
    this.#latest = version;
    this.ready.emit('ready', description);
    if (isFirst && this.options.open) await this.#openLatest();
  }

  /** Prints what the app prints, also while it starts. */
  #listen(app: string): void {
    if (this.#listening.has(app)) return;
    const { logs, project } = this.emulator;
    this.#listening.add(app);
    logs.subscribe(toAppId(project, app), (line) => this.print.output(app, line));
  }

  /** Nobody calls the app by its former name any more. */
  async #forget(name: string, { api, project }: Context): Promise<void> {
    this.#folders.delete(name);
    this.#shown.delete(name);
    await api(deleteApp, { project, app: name }).catch(() => {});
  }

  async #openLatest(): Promise<void> {
    const { openBrowser, progress } = this.context;
    if (!this.#latest) return progress.note('no app is ready yet');
    const { runtime, endpoint, dashboard } = this.#latest;
    // A browser cannot call functions.
    const address = runtime === 'custom' ? endpoint : dashboard || endpoint;
    if (!(await openBrowser(address))) progress.note(`cannot open a browser; the address is ${address}`);
  }
}
