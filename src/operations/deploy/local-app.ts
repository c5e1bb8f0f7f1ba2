import { relative, resolve } from 'node:path';
import type { Context } from '../../context.ts';
import { temporaryFilter } from '../../disk/index.ts';
import type { Problem } from '../../errors.ts';
import { fileSummary } from '../../output/format.ts';
import { checkAppSource, throwOnError } from '../../project/app-source.ts';
import { checkLimits, collectFiles, defaultExclude, defaultInclude, totalBytes } from '../../project/collect.ts';
import { type AppConfig, loadAppConfig } from '../../project/config.ts';
import { addGeneratedFiles, generateDependencyFiles } from '../../project/dependencies.ts';
import type { FileEntry } from '../../project/files/entry.ts';
import { withAppName } from '../../project/rename.ts';

/** The app on disk: its config file and the files to send. */
export interface LocalApp {
  project: AppConfig;
  entries: FileEntry[];
  /** Size of all entries. */
  bytes: number;
  warnings: Problem[];
}

export interface LocalAppOptions {
  /** The config file, relative to the working directory. */
  configFile: string;
  name?: string | undefined;
}

/** Reads the config file, collects the files beside it and adds the generated ones. Throws ProjectError. */
export async function readLocalApp(context: Context, { configFile, name }: LocalAppOptions): Promise<LocalApp> {
  const { cwd, progress, signal } = context;
  const { project, warnings } = await loadAppConfig(resolve(cwd, configFile), { name, shownAs: configFile });
  if (name !== undefined) project.text = await withAppName(project.text, name);
  for (const warning of warnings) progress.warn(warning);
  if (project.partner) return { project, entries: [], bytes: 0, warnings };

  const step = progress.step('Collecting files');
  try {
    const { deployment, dependencies, root, file, custom } = project;
    const config = relative(root, file);
    const required = [config, custom?.dockerfile_path, ...Object.values(dependencies.paths)];
    const [collection, generated, sourceProblems] = await Promise.all([
      collectFiles(root, {
        include: deployment.include ?? defaultInclude,
        exclude: deployment.exclude ?? defaultExclude,
        always: required.filter((path): path is string => Boolean(path)),
        isTemporary: temporaryFilter(() => context.settings.folders.state),
        signal,
      }),
      generateDependencyFiles({
        ...dependencies,
        root,
        shellCommands: deployment.shell_commands ?? [],
        preBuildCommands: deployment.pre_build_commands ?? [],
      }),
      checkAppSource(project, configFile, { env: context.env, signal }),
    ]);
    throwOnError(sourceProblems);
    const renamed = name === undefined ? [] : [textEntry(config, project.text)];
    const entries = addGeneratedFiles(collection.entries, [...generated, ...renamed]);
    const bytes = totalBytes(entries);
    const problems = [...sourceProblems, ...collection.warnings, ...checkLimits(entries)];
    step.done(`Collected ${fileSummary(entries.length, bytes)}`);
    for (const warning of problems) progress.warn(warning);
    return { project, entries, bytes, warnings: [...warnings, ...problems] };
  } catch (error) {
    step.fail();
    throw error;
  }
}

/** The config file with the app name of the command line, so that the archive does not contain another one. */
function textEntry(path: string, text: string): FileEntry {
  return { path, size: Buffer.byteLength(text), executable: false, source: { text } };
}
