import type { Context } from '../context.ts';
import { type App, getApp } from '../contract/apps.ts';
import { buildPhase, getBuildZipContents } from '../contract/builds.ts';
import { NotFoundError, type Problem } from '../errors.ts';
import { type Entry, largest } from '../project/collect.ts';
import type { Project } from '../project/config.ts';
import { isPublic, type SettingChange, settingChanges, setupOf } from './app-settings.ts';
import { type FileChanges, fileChanges } from './file-changes.ts';
import type { LocalApp } from './local-app.ts';
import { zipEntries } from './zip-entries.ts';

/** What a deploy would send, and what it would change. Plain data: it is the answer of `deploy --dry-run`. */
export interface DeployPlan {
  app: string;
  project: string;
  runtime: string;
  /** Whether an app of this name is deployed already. */
  exists: boolean;
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

/** Compares the app on disk with the deployed one. `compareFiles` reads every file that may have stayed the same. */
export async function planDeploy(context: Context, local: LocalApp, compareFiles: boolean): Promise<DeployPlan> {
  const { project, entries, bytes, warnings } = local;
  const app = await deployedApp(context, project.name);
  const settings = app ? settingChanges(project, app) : [];
  const files = app && compareFiles && !project.partner ? await changedFiles(context, app, project, entries) : null;
  const filesChange = files !== null && files.added.length + files.changed.length + files.removed.length > 0;
  const last = app?.lastBuildStatus;
  const failedBuild = last && buildPhase(last) === 'failed' ? last : null;
  return {
    app: project.name,
    project: context.project,
    runtime: project.runtime,
    exists: app !== undefined,
    public: isPublic(project),
    setup: setupOf(project),
    settings,
    files,
    send: {
      files: entries.length,
      bytes,
      largest: largest(entries).map(({ path, size }) => ({ path, bytes: size })),
    },
    warnings,
    failedBuild,
    changes: !app || failedBuild !== null || settings.length > 0 || filesChange,
  };
}

async function deployedApp({ api, project }: Context, app: string): Promise<App | undefined> {
  try {
    return await api(getApp, { project, app });
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/** Null where there is no build to compare with, or the platform does not tell its files. */
async function changedFiles(
  context: Context,
  app: App,
  { name }: Project,
  entries: Entry[],
): Promise<FileChanges | null> {
  const { api, project, signal } = context;
  const build = app.latestReadyBuildId || app.latestBuildId;
  if (!build) return null;
  try {
    const { zipFiles } = await api(getBuildZipContents, { project, app: name, build });
    return await fileChanges(entries, zipEntries(zipFiles), signal);
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}
