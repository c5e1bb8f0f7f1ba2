import { statSync } from 'node:fs';
import { checkAppSource, throwOnError } from '../../app/app-source.ts';
import { type Deployment, type LocalApp, makeSettings, readLocalApp, sendApp } from '../../deploys/send/index.ts';
import { dayMs } from '../../kernel/durations.ts';
import { type GantryError, InterruptedError, NotReadyError, throwUnexpected } from '../../kernel/errors.ts';
import type { Progress, Step } from '../../kernel/output/progress.ts';
import type { Context } from '../../platform/context.ts';
import type { Secrets } from '../../platform/contract/secrets.ts';
import { contextUntil, noStep, TimeLimit } from '../../platform/waiting/index.ts';
import type { FolderChange, FolderWatcher } from './folder-watcher.ts';
import { RestlessFiles } from './restless-files.ts';

export interface AppVersion extends Deployment {
  local: LocalApp;
}

export interface Reload {
  outcome: { version: AppVersion } | { error: GantryError };
  /** Changed files of the user; empty for the first version, and if a reload was asked for. */
  changed: string[];
  /** From the first change that was noticed to the end of the build. */
  tookMs: number;
}

export interface DevelopOptions {
  watcher: FolderWatcher;
  configFile: string;
  /** The name of the file with secrets for the app, if there is one, and what reads it. */
  fromEnvFile: string | undefined;
  readSecrets: () => Promise<Secrets>;
  /**
   * Called before a version is deployed, with the secrets of the file. Throws a GantryError if it must not be. Returns
   * where to say what the deploy does.
   */
  prepare: (name: string, secrets: Secrets) => Step;
}

/** In ms. The emulator has limits of its own, which do not count while the app stands in a breakpoint. */
const defaultMs = dayMs;
/** In ms: the emulator may be polled more often than the platform. */
const pauses = { firstMs: 10, maxMs: 100, growth: 1.2 };

/**
 * Deploys the app in the working directory, and again whenever one of its files changes or a reload is asked for. A
 * change ends the reload before it, whatever that waits for: files that would do so time after time are restless. Yields
 * each attempt that was not overtaken. Ends when the signal aborts.
 */
export async function* develop(context: Context, options: DevelopOptions): AsyncGenerator<Reload> {
  const { signal, elapsed } = context;
  const { watcher } = options;
  const app = new WatchedApp(context, options);
  let change: FolderChange = { noticedAt: elapsed(), paths: [], isAsked: true };
  while (!signal.aborted) {
    const overtaken = new AbortController();
    const reload = app.reload(change, AbortSignal.any([signal, overtaken.signal]));
    const newer = await changeDuring(reload, app, watcher);
    if (newer) overtaken.abort(new InterruptedError('a later change replaces it'));
    const attempt = await reload;
    if (signal.aborted) return;
    if (attempt) yield { ...attempt, tookMs: Math.round(elapsed() - change.noticedAt) };
    if (!newer) await watcher.changed();
    change = newer && !attempt ? joined(change, newer) : (newer ?? watcher.take());
  }
}

/** The first change that matters and is noticed before a reload has ended, however it ends. */
async function changeDuring(reload: Promise<unknown>, app: WatchedApp, watcher: FolderWatcher) {
  const ended = reload.then(
    () => true,
    () => true,
  );
  while (!(await Promise.race([ended, watcher.changed().then(() => false)]))) {
    const noticed = watcher.take();
    if ((await app.changedBy(noticed))?.length !== 0) return noticed;
  }
  return undefined;
}

function joined(earlier: FolderChange, later: FolderChange): FolderChange {
  const paths = [...new Set([...earlier.paths, ...later.paths])];
  return { ...later, paths, isAsked: earlier.isAsked || later.isAsked };
}

class WatchedApp {
  /** The version that was tried last; undefined if it could not be read, so that the next change is tried in any case. */
  #tried: AppSnapshot | undefined;
  /** The version that was looked at last, deployed or not. */
  #seen: AppSnapshot | undefined;
  /** The look of the last reload at the app. */
  #reading: Promise<unknown> = Promise.resolve();
  readonly #warned = new Set<string>();
  readonly #restless: RestlessFiles;

  constructor(
    private readonly context: Context,
    private readonly options: DevelopOptions,
  ) {
    this.#restless = new RestlessFiles(context.progress);
  }

  /** Undefined if nothing that is sent has changed, and if the signal aborted before it was deployed. */
  async reload(change: FolderChange, signal: AbortSignal): Promise<Omit<Reload, 'tookMs'> | undefined> {
    const { paths, isAsked } = change;
    const { configFile, fromEnvFile, prepare } = this.options;
    const before = this.#tried;
    let changed = paths.filter((path) => path === configFile || path === fromEnvFile || before?.has(path));
    let step: Step | undefined;
    try {
      const reading = this.#read();
      this.#reading = reading;
      const { local, secrets, snapshot } = await reading;
      this.#countChanged(local, snapshot, change);
      if (before && !isAsked && changedFiles(before, snapshot).length === 0) return undefined;
      changed = before ? changedFiles(before, snapshot) : paths.filter((path) => snapshot.has(path));
      this.#tried = snapshot;
      step = prepare(local.config.name, secrets);
      const context = this.#contextOf(signal, step);
      const limit = new TimeLimit(context, { typedMs: undefined, defaultMs, failure: '' });
      const made = makeSettings(local.config, {});
      const sent = sendApp(context, local, made, { logs: false, limit, pauses });
      const { deployment } = await sent.catch((error) => this.#locate(error, local));
      if (deployment.notStarted?.calls === 'refused') {
        throw new NotReadyError(`${deployment.app} was not started`, { why: deployment.notStarted.reason });
      }
      return { outcome: { version: { ...deployment, local } }, changed };
    } catch (error) {
      if (signal.aborted) {
        this.#tried = before;
        return undefined;
      }
      throwUnexpected(error);
      if (this.#tried === before) this.#tried = undefined;
      return { outcome: { error }, changed };
    } finally {
      this.#restless.endedAt = this.context.elapsed();
      step?.clear();
    }
  }

  /** Files that the app itself writes again and again are no change of it. */
  #countChanged({ config }: LocalApp, snapshot: AppSnapshot, { noticedAt }: FolderChange): void {
    const before = this.#seen;
    this.#seen = snapshot;
    this.#restless.count(before ? changedFiles(before, snapshot) : [], noticedAt, config.deployment.exclude);
    for (const path of this.#restless.ignored) for (const each of [this.#tried, snapshot]) each?.delete(path);
  }

  /** What is newer than in the version that is being deployed. Undefined if that one is not to go on in any case. */
  async changedBy({ isAsked }: FolderChange): Promise<string[] | undefined> {
    if (isAsked) return undefined;
    // What was noticed before that look had ended is compared with what it found: else a slow one is overtaken each time.
    await this.#reading.catch(() => {});
    const tried = this.#tried;
    if (!tried || this.context.signal.aborted) return undefined;
    return this.#read().then(
      ({ snapshot }) => changedFiles(tried, snapshot),
      () => undefined,
    );
  }

  async #read() {
    const { configFile, fromEnvFile, readSecrets } = this.options;
    const secrets = await readSecrets();
    const context = this.#contextOf(this.context.signal, noStep);
    const local = await readLocalApp(context, { configFile });
    const snapshot = takeSnapshot(local, { configFile, fromEnvFile }, secrets);
    for (const path of this.#restless.ignored) snapshot.delete(path);
    return { local, secrets, snapshot };
  }

  #contextOf(signal: AbortSignal, step: Step): Context {
    const { context } = this;
    return contextUntil(context, signal, {
      by: 'gantry dev',
      progress: quietProgress(context.progress, { warned: this.#warned, step, signal }),
    });
  }

  /** A syntax error is shown with its place instead of the traceback of the build. */
  async #locate(error: unknown, { config }: LocalApp): Promise<never> {
    const { cwd, env, signal } = this.context;
    if (error instanceof NotReadyError) throwOnError(await checkAppSource(config, cwd, { env, signal }));
    throw error;
  }
}

interface Quiet {
  warned: Set<string>;
  step: Step;
  /** Ends the reload: what is left of one that a newer change has ended is nobody's problem. */
  signal: AbortSignal;
}

/**
 * Hides the notes of each deploy, and warnings that were printed before. Its steps only update that of the reload.
 * Problems are printed with their place.
 */
function quietProgress(progress: Progress, { warned, step, signal }: Quiet): Progress {
  return {
    ...progress,
    step: () => ({ ...noStep, update: step.update }),
    note: () => {},
    event: () => {},
    warn(problem) {
      if (signal.aborted) return;
      const text = JSON.stringify(
        typeof problem === 'object' && 'severity' in problem ? [problem.message, problem.why] : problem,
      );
      if (!warned.has(text)) progress.warn(problem);
      warned.add(text);
    },
  };
}

/** What is sent of an app: by the path where the app finds a file, what changes if and only if the file does. */
type AppSnapshot = Map<string, string>;

function takeSnapshot(
  { entries, config }: LocalApp,
  { configFile, fromEnvFile }: Pick<DevelopOptions, 'configFile' | 'fromEnvFile'>,
  secrets: Secrets,
): AppSnapshot {
  const snapshot: AppSnapshot = new Map();
  for (const { path, size, executable, source, stats } of entries) {
    // A text is made of the config file.
    if ('text' in source) continue;
    const { mtimeMs } = stats ?? statSync(source.file, { throwIfNoEntry: false }) ?? {};
    snapshot.set(path, `${size} ${executable} ${mtimeMs}`);
  }
  if (fromEnvFile !== undefined) snapshot.set(fromEnvFile, JSON.stringify(secrets));
  return snapshot.set(configFile, config.text);
}

function changedFiles(before: AppSnapshot, after: AppSnapshot): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
}
