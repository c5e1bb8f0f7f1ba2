import { relative, resolve } from 'node:path';
import type { Context } from '../context.ts';
import { type App, getApp } from '../contract/apps.ts';
import { getBuildZipContents } from '../contract/builds.ts';
import { NotFoundError, type Problem } from '../errors.ts';
import { filesText } from '../output/words.ts';
import { checkLimits, collect, defaultExclude, defaultInclude, type Entry, largest } from '../project/collect.ts';
import { loadProject, type Project } from '../project/config.ts';
import { generatedEntries, withGenerated } from '../project/dependencies.ts';
import { withName } from '../project/rename.ts';
import { isPublic, type SettingChange, settingChanges } from './app-settings.ts';
import { type FileChanges, fileChanges } from './file-changes.ts';
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
  settings: SettingChange[];
  /** Null when there is nothing to compare with, or when it was not asked for. */
  files: FileChanges | null;
  /** Zero files for a partner's app: nothing is sent. */
  send: { files: number; bytes: number; largest: { path: string; bytes: number }[] };
  warnings: Problem[];
  /** Whether a deploy would change anything that can be compared. */
  changes: boolean;
}

/** The app on disk, read and collected: what a plan is made from and an archive is made of. */
export interface LocalApp {
  project: Project;
  entries: Entry[];
  bytes: number;
  warnings: Problem[];
}

export interface LocalOptions {
  /** The config file, relative to the working directory. */
  configFile: string;
  name?: string | undefined;
}

/** Reads the config file, gathers the files beside it and adds the generated ones. Throws ProjectError. */
export async function readLocalApp(context: Context, { configFile, name }: LocalOptions): Promise<LocalApp> {
  const { cwd, progress, signal } = context;
  const { project, warnings } = await loadProject(resolve(cwd, configFile), { name, shownAs: configFile });
  if (name !== undefined) project.text = await withName(project.text, name);
  for (const warning of warnings) progress.warn(warning);
  if (project.partner) return { project, entries: [], bytes: 0, warnings };

  const step = progress.step('Collecting files');
  try {
    const { deployment, dependencies, root, file, custom } = project;
    const config = relative(root, file);
    const wanted = [config, custom?.dockerfile_path, ...Object.values(dependencies.paths)];
    const [collection, generated] = await Promise.all([
      collect(root, {
        include: deployment.include ?? defaultInclude,
        exclude: deployment.exclude ?? defaultExclude,
        always: wanted.filter((path): path is string => Boolean(path)),
        signal,
      }),
      generatedEntries({
        ...dependencies,
        root,
        shellCommands: deployment.shell_commands ?? [],
        preBuildCommands: deployment.pre_build_commands ?? [],
      }),
    ]);
    const renamed = name === undefined ? [] : [textEntry(config, project.text)];
    const entries = withGenerated(collection.entries, [...generated, ...renamed]);
    const bytes = entries.reduce((sum, entry) => sum + entry.size, 0);
    const found = [...collection.warnings, ...checkLimits(entries)];
    step.done(`Collected ${filesText(entries.length, bytes)}`);
    for (const warning of found) progress.warn(warning);
    return { project, entries, bytes, warnings: [...warnings, ...found] };
  } catch (error) {
    step.fail();
    throw error;
  }
}

/** The config file under the name given on the command line: it is sent nowhere under its old one (H-33). */
function textEntry(path: string, text: string): Entry {
  return { path, size: Buffer.byteLength(text), executable: false, source: { text } };
}

/** Compares the app on disk with the deployed one. `compareFiles` reads every file that may have stayed the same. */
export async function planDeploy(context: Context, local: LocalApp, compareFiles: boolean): Promise<DeployPlan> {
  const { project, entries, bytes, warnings } = local;
  const app = await deployedApp(context, project.name);
  const settings = app ? settingChanges(project, app) : [];
  const files = app && compareFiles && !project.partner ? await changedFiles(context, app, project, entries) : null;
  const filesChange = files !== null && files.added.length + files.changed.length + files.removed.length > 0;
  return {
    app: project.name,
    project: context.project,
    runtime: project.runtime,
    exists: app !== undefined,
    public: isPublic(project),
    settings,
    files,
    send: {
      files: entries.length,
      bytes,
      largest: largest(entries).map(({ path, size }) => ({ path, bytes: size })),
    },
    warnings,
    changes: !app || settings.length > 0 || filesChange,
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
