import type { Context } from '../../context.ts';
import { type App, getApp } from '../../contract/apps.ts';
import { buildPhase, getBuildZipContents } from '../../contract/builds.ts';
import { AuthError, GantryError, NotFoundError, type Problem, RateLimitedError } from '../../errors.ts';
import { largestFiles } from '../../project/collect.ts';
import type { AppConfig } from '../../project/config.ts';
import type { FileEntry } from '../../project/files/entry.ts';
import { parseZipContents } from '../builds/index.ts';
import { compareSettings, describeSetup, isPublic, type SettingChange } from './app-settings.ts';
import { compareFiles, type FileChanges } from './compare-files.ts';
import type { LocalApp } from './local-app.ts';

/** What a deploy would send, and what it would change. Plain data: it is the answer of `deploy --dry-run`. */
export interface DeployPlan {
  app: string;
  project: string;
  runtime: string;
  /** Whether an app of this name is deployed already; null when the platform could not tell. */
  exists: boolean | null;
  /** Whether anyone on the internet may call it. */
  public: boolean;
  /** What one replica runs on and how many there may be, defaults included, under the names of create app. */
  setup: Record<string, unknown>;
  settings: SettingChange[];
  /** Null when there is nothing to compare with, or when it was not asked for. */
  files: FileChanges | null;
  /** Zero files for a partner's app: nothing is sent. */
  send: { files: number; bytes: number; largest: { path: string; bytes: number }[] };
  warnings: Problem[];
  /** The last build's bad end, if it had one: the same files may be worth another try. */
  failedBuild: string | null;
  /** Whether a deploy would change anything that can be compared. */
  changes: boolean;
}

export interface PlanOptions {
  /** Reads every file that may have stayed the same. */
  compareFiles: boolean;
  /** The comparison is all that is wanted, so it fails when the deployed app cannot be read. */
  dryRun: boolean;
}

/** Compares the app on disk with the deployed one. Without a dry run, a comparison that cannot be made is a warning. */
export async function planDeploy(context: Context, local: LocalApp, options: PlanOptions): Promise<DeployPlan> {
  const { project, entries, bytes, warnings } = local;
  const { app, exists } = await deployedApp(context, project.name, options);
  const settings = app ? compareSettings(project, app) : [];
  const comparesFiles = app && options.compareFiles && !project.partner;
  const files = comparesFiles ? await changedFiles(context, app, project, entries, options) : null;
  const filesChange = files !== null && files.added.length + files.changed.length + files.removed.length > 0;
  const last = app?.lastBuildStatus;
  const failedBuild = last && buildPhase(last) === 'failed' ? last : null;
  return {
    app: project.name,
    project: context.project,
    runtime: project.runtime,
    exists,
    public: isPublic(project),
    setup: describeSetup(project),
    settings,
    files,
    send: {
      files: entries.length,
      bytes,
      largest: largestFiles(entries).map(({ path, size }) => ({ path, bytes: size })),
    },
    warnings,
    failedBuild,
    changes: !app || failedBuild !== null || settings.length > 0 || filesChange,
  };
}

async function deployedApp(
  context: Context,
  name: string,
  options: PlanOptions,
): Promise<{ app?: App; exists: boolean | null }> {
  try {
    return { app: await context.api(getApp, { project: context.project, app: name }), exists: true };
  } catch (error) {
    if (error instanceof NotFoundError) return { exists: false };
    warnOrThrow(context, error, options, 'the deployed app cannot be read');
    return { exists: null };
  }
}

/** Null where there is no build to compare with, or the platform does not tell its files. */
async function changedFiles(
  context: Context,
  app: App,
  { name }: AppConfig,
  entries: FileEntry[],
  options: PlanOptions,
): Promise<FileChanges | null> {
  const { api, project, signal } = context;
  const build = app.latestReadyBuildId || app.latestBuildId;
  if (!build) return null;
  try {
    const { zipFiles } = await api(getBuildZipContents, { project, app: name, build });
    return await compareFiles(entries, parseZipContents(zipFiles), signal);
  } catch (error) {
    if (!(error instanceof NotFoundError)) warnOrThrow(context, error, options, 'the deployed files cannot be read');
    return null;
  }
}

/**
 * A deploy needs no comparison. It ends all the same where the next call would fail too: no answer at all, a token that
 * is refused, too many requests.
 */
function warnOrThrow({ progress, signal }: Context, error: unknown, { dryRun }: PlanOptions, what: string): void {
  if (dryRun || signal.aborted || !(error instanceof GantryError) || error.facts.status === undefined) throw error;
  if (error instanceof AuthError || error instanceof RateLimitedError) throw error;
  progress.warn(`${what}, deploying without a comparison: ${error.message}`);
}
