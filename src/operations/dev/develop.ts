import { statSync } from 'node:fs';
import type { Context } from '../../context.ts';
import type { Secrets } from '../../contract/secrets.ts';
import { GantryError, NotReadyError } from '../../errors.ts';
import type { Progress, Step } from '../../output/progress.ts';
import { checkAppSource, throwOnError } from '../../project/app-source.ts';
import { type Deployment, deploy, type LocalApp, readLocalApp } from '../deploy/index.ts';
import { TimeLimit } from '../waiting/index.ts';
import { configName } from './find-app-folders.ts';
import type { FolderChange, FolderWatcher } from './folder-watcher.ts';

export interface AppVersion extends Deployment {
  local: LocalApp;
}

/** A version that was deployed, or why it was not. */
export interface Reload {
  outcome: { version: AppVersion } | { error: GantryError };
  /** Changed files; empty for the first version, and if a reload was asked for. */
  changed: string[];
  /** From the first change that was noticed to the end of the build. */
  tookMs: number;
}

export interface DevelopOptions {
  watcher: FolderWatcher;
  /** The name of the file with secrets for the app, if there is one, and what reads it. */
  fromEnvFile: string | undefined;
  readSecrets: () => Promise<Secrets>;
  /** Called before a version is deployed, with the secrets of the file. Throws a GantryError if it must not be. */
  prepare: (name: string, secrets: Secrets) => void;
}

/** Builds on the emulator take seconds at most. In ms. */
const defaultMs = 600_000;
/** In ms: the emulator may be polled more often than the platform. */
const pauses = { firstMs: 10, maxMs: 100, growth: 1.2 };

/**
 * Deploys the app in the working directory, and again whenever one of its files changes or the watcher is woken. Yields
 * each attempt. Ends when the signal aborts.
 */
export async function* develop(context: Context, options: DevelopOptions): AsyncGenerator<Reload> {
  const { signal, elapsed, progress } = context;
  const quiet: Context = Object.create(context, { progress: { value: quietProgress(progress) } });
  const app = new WatchedApp(quiet, options);
  let change: FolderChange = { noticedAt: elapsed(), paths: [] };
  while (!signal.aborted) {
    const attempt = await app.reload(change);
    if (signal.aborted) return;
    if (attempt) yield { ...attempt, tookMs: Math.round(elapsed() - change.noticedAt) };
    change = await options.watcher.nextChange(signal);
  }
}

/** What is sent of each file, as text that changes if and only if the file does. */
type Snapshot = ReadonlyMap<string, string>;

class WatchedApp {
  /** Of the version that was tried last; undefined if it could not be read, so that the next change is tried in any case. */
  #tried: Snapshot | undefined;

  constructor(
    private readonly context: Context,
    private readonly options: DevelopOptions,
  ) {}

  /** Undefined if nothing that is sent has changed. */
  async reload({ paths }: FolderChange): Promise<Omit<Reload, 'tookMs'> | undefined> {
    const { fromEnvFile, readSecrets, prepare } = this.options;
    const before = this.#tried;
    let changed = paths.filter((path) => path === configName || path === fromEnvFile);
    try {
      const secrets = await readSecrets();
      const local = await readLocalApp(this.context, { configFile: configName, checkSource: false });
      const current = takeSnapshot(local, fromEnvFile, secrets);
      changed = before ? differences(before, current) : paths.filter((path) => current.has(path));
      if (before && changed.length === 0 && paths.length > 0) return undefined;
      this.#tried = current;
      prepare(local.project.name, secrets);
      const limit = new TimeLimit(this.context, { typedMs: undefined, defaultMs, failure: '' });
      const deployment = await deploy(this.context, local, { detach: false, logs: false, limit, pauses }).catch(
        (error) => this.#locate(error, local),
      );
      return { outcome: { version: { ...deployment, local } }, changed };
    } catch (error) {
      if (!(error instanceof GantryError) && !this.context.signal.aborted) throw error;
      if (this.#tried === before) this.#tried = undefined;
      return { outcome: { error: error as GantryError }, changed };
    }
  }

  /** A syntax error is shown with its place instead of the traceback of the build. */
  async #locate(error: unknown, { project }: LocalApp): Promise<never> {
    const { cwd, env, signal } = this.context;
    if (error instanceof NotReadyError) throwOnError(await checkAppSource(project, cwd, { env, signal }));
    throw error;
  }
}

function takeSnapshot({ entries, project }: LocalApp, fromEnvFile: string | undefined, secrets: Secrets): Snapshot {
  const files = entries.map(({ path, size, executable, source }): [string, string] => {
    const content = 'text' in source ? source.text : statSync(source.file, { throwIfNoEntry: false })?.mtimeMs;
    return [path, JSON.stringify([size, executable, content])];
  });
  const env: [string, string][] = fromEnvFile === undefined ? [] : [[fromEnvFile, JSON.stringify(secrets)]];
  return new Map([...files, [configName, project.text], ...env]);
}

function differences(before: Snapshot, after: Snapshot): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
}

/** Hides the steps and notes of each deploy, and warnings that were printed before. Problems are printed with their place. */
function quietProgress(progress: Progress): Progress {
  const printed = new Set<string>();
  const noStep: Step = { update: () => {}, done: () => {}, fail: () => {}, clear: () => {} };
  return {
    ...progress,
    step: () => noStep,
    note: () => {},
    event: () => {},
    warn(problem) {
      const text = JSON.stringify(typeof problem === 'object' ? [problem.message, problem.why] : problem);
      if (!printed.has(text)) progress.warn(problem);
      printed.add(text);
    },
  };
}
