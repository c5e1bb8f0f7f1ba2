import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Context } from '../../context.ts';
import { runLimits } from '../../contract/run-app.ts';
import { readRegular, temporaryFilter } from '../../disk/index.ts';
import { NotFoundError, ProjectError, UsageError } from '../../errors.ts';
import { fileSummary, size } from '../../output/format.ts';
import { collectFiles, defaultExclude, defaultInclude, largestFiles, totalBytes } from '../../project/collect.ts';
import { type AppConfig, defaultAppConfig, loadAppConfig } from '../../project/config.ts';
import type { FileEntry } from '../../project/files/entry.ts';
import { exclusionReason } from '../../project/files/exclusion-reason.ts';
import { analyzeProgram, type ProgramStructure, withFunctionCall } from '../../project/main-guard.ts';
import { createTar } from '../../project/tar.ts';
import { closestName } from '../../project/toml/closest-name.ts';

/** What is run: one file of a folder, and perhaps one function of it. */
export interface Program {
  project: AppConfig;
  /** Relative to the project's folder, with forward slashes. */
  file: string;
  /** As the user named it. */
  functionName: string | undefined;
  /** The files, uncompressed. */
  tar: Buffer<ArrayBuffer>;
}

export interface ProgramOptions {
  /** `job.py` or `job.py::train`, relative to the working directory or not. */
  target: string;
  /** Relative to the working directory. */
  configFile: string;
  name?: string | undefined;
  /** Whether there are arguments that something has to take. */
  hasArguments: boolean;
}

/**
 * Finds the file and the function, and packs the folder; nothing on the disk is changed. Throws ProjectError,
 * UsageError or NotFoundError before anything is sent.
 */
export async function readProgram(context: Context, options: ProgramOptions): Promise<Program> {
  const [target, functionName] = splitTarget(options.target);
  const { project, warnings } = await projectOf(context, options);
  for (const warning of warnings) context.progress.warn(warning);
  const file = fileOf(project.root, resolve(context.cwd, target), target);
  const step = context.progress.step('Packing');
  try {
    const { include = defaultInclude, exclude = defaultExclude } = project.deployment;
    const collection = await collectFiles(project.root, {
      include,
      exclude,
      isTemporary: temporaryFilter(() => context.settings.folders.state),
      signal: context.signal,
    });
    const entry = collection.entries.find(({ path }) => path === file) ?? leftOut(file, exclude);
    const source = await contentOf(entry);
    const program = analyzeProgram(source);
    const called = calledFunction(program, file, functionName, options.hasArguments);
    const content = called === undefined ? source : withFunctionCall(source, program, called);
    const tar = await pack(collection.entries, file, content);
    step.done(
      `Packed ${fileSummary(collection.entries.length, tar.length)}; runs ${file}${called ? `, ${called}()` : ''}`,
    );
    for (const warning of collection.warnings) context.progress.warn(warning);
    return { project, file, functionName, tar };
  } catch (error) {
    step.clear();
    throw error;
  }
}

function splitTarget(target: string): [file: string, functionName: string | undefined] {
  const at = target.lastIndexOf('::');
  const [file, name] = at < 0 ? [target, undefined] : [target.slice(0, at), target.slice(at + 2)];
  if (name === '') throw new UsageError(`"${target}" names no function`, { fix: `${file}::name, or ${file}` });
  if (!file.endsWith('.py')) {
    throw new UsageError(`${file} is no Python file`, { why: 'a run takes a file that ends with .py' });
  }
  return [file, name];
}

/** What the config file says, or what goes without saying where there is none. */
async function projectOf({ cwd }: Context, { configFile, name }: ProgramOptions) {
  const path = resolve(cwd, configFile);
  const byDefault = configFile === 'cerebrium.toml' && !statSync(path, { throwIfNoEntry: false });
  const { project, warnings } = byDefault
    ? { project: defaultAppConfig(cwd, name), warnings: [] }
    : await loadAppConfig(path, { name, shownAs: configFile, skipEntrypoint: true });
  if (byDefault && name === undefined) project.name = project.name.slice(0, runLimits.nameLength).replace(/-+$/, '');
  if (project.partner) {
    throw new UsageError(`an app of ${project.runtime} has no code to run`, { fix: 'gantry deploy' });
  }
  if (project.name.length > runLimits.nameLength) {
    throw new UsageError(`the name ${project.name} is too long for a run`, {
      why: `it has ${project.name.length} characters, and may have ${runLimits.nameLength}`,
      fix: `--name ${project.name.slice(0, runLimits.nameLength).replace(/-+$/, '')}`,
    });
  }
  return { project, warnings };
}

/** Any form of its path, by links or not, as its name in the tar (H-29). */
function fileOf(root: string, path: string, asWritten: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new NotFoundError(`${asWritten} not found`, { why: `looked for ${path}` });
  if (!found.isFile()) throw new UsageError(`${asWritten} is a folder`);
  const real = join(realpathSync(dirname(path)), basename(path));
  const way = [relative(root, path), relative(realpathSync(root), real)].find((each) => !leadsOut(each));
  if (way !== undefined) return way.replaceAll(sep, '/');
  throw new UsageError(`${asWritten} lies outside ${root}`, {
    why: 'only what is in the folder of the app is sent',
    fix: `gantry run --cwd ${dirname(path)} ${basename(path)}`,
  });
}

const leadsOut = (way: string) => way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);

function leftOut(file: string, exclude: readonly string[]): never {
  const message = `${file} is not among the files that are sent`;
  const problem = { message, why: exclusionReason(file, exclude), fix: `include = ["./*", "./${file}"]` };
  throw new ProjectError(message, [{ severity: 'error', ...problem }], problem);
}

/** The function that has to be called for the file: nothing when it does so itself (wire §6). */
function calledFunction(
  { functions, guards }: ProgramStructure,
  file: string,
  wanted: string | undefined,
  hasArguments: boolean,
): string | undefined {
  if (wanted !== undefined) return functions.includes(wanted) ? wanted : missing(functions, file, wanted);
  const usual = guards.length > 0 ? undefined : usualNames.find((name) => functions.includes(name));
  const [likely] = functions.filter((name) => !name.startsWith('_'));
  // A file without functions may read its command line all by itself.
  if (usual === undefined && guards.length === 0 && hasArguments && likely !== undefined) {
    throw new UsageError(`nothing in ${file} takes the data`, {
      why: `it has no main guard, and no function is called ${usualNames.slice(0, -1).join(', ')} or ${usualNames.at(-1)}`,
      fix: `gantry run ${file}::${likely}`,
    });
  }
  return usual;
}

/** In the order in which the platform's own client looks for one. */
const usualNames = ['main', 'run', 'handler', 'process', 'execute', 'predict'];

function missing(functions: readonly string[], file: string, wanted: string): never {
  const meant = closestName(wanted, functions);
  throw new NotFoundError(`${file} has no function ${wanted}`, {
    why: functions.length > 0 ? `its functions are ${functions.join(', ')}` : 'it has none at its top level',
    ...(meant && { fix: `did you mean ${file}::${meant}?` }),
  });
}

async function pack(entries: readonly FileEntry[], file: string, content: Buffer): Promise<Buffer<ArrayBuffer>> {
  // Checked before anything is read: the archive is never smaller than its files.
  checkArchive(totalBytes(entries), entries);
  const files = [];
  for (const entry of entries) {
    const { path, executable } = entry;
    if (path.includes('\\')) throw backslashIn(path);
    files.push({ path, executable, content: path === file ? content : await contentOf(entry) });
  }
  const tar = await createTar(files);
  checkArchive(tar.length, entries);
  return tar;
}

/** Tar writers and readers disagree on whether it separates folders. */
function backslashIn(path: string): ProjectError {
  const message = `the file name ${path} contains a backslash`;
  const fix = `rename the file, or exclude it in cerebrium.toml`;
  return new ProjectError(message, [{ severity: 'error', message, fix }], { fix });
}

/** The limit of a run, with the files to leave out named (wire §9). */
function checkArchive(bytes: number, entries: readonly FileEntry[]): void {
  if (bytes <= runLimits.archiveBytes) return;
  const message = `the files come to ${size(bytes)}, and a run takes ${size(runLimits.archiveBytes)}`;
  const biggest = largestFiles(entries, 5);
  const why = ['the largest are', ...biggest.map((each) => `${size(each.size).padStart(9)}  ${each.path}`)].join('\n');
  const names = biggest.slice(0, 3).map(({ path }) => JSON.stringify(`./${path}`));
  const fix = `exclude = [${names.join(', ')}] in cerebrium.toml, and gantry cp for data`;
  const details = { bytes, limit: runLimits.archiveBytes, largest: biggest.map(({ path, size }) => ({ path, size })) };
  throw new ProjectError(message, [{ severity: 'error', message, why, fix }], { why, fix, details });
}

async function contentOf({ source, path }: FileEntry): Promise<Buffer> {
  if ('text' in source) return Buffer.from(source.text);
  return readRegular(source.file).catch((cause: Error) => {
    const message = `${path} cannot be read`;
    throw new ProjectError(message, [{ severity: 'error', message, why: cause.message }], { cause });
  });
}
