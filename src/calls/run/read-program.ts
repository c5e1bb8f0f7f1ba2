import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, posix, relative, resolve, sep } from 'node:path';
import { checkSource, throwOnError } from '../../app/app-source.ts';
import {
  collectFiles,
  defaultExclude,
  defaultInclude,
  filesOver,
  largestFiles,
  totalBytes,
} from '../../app/collect.ts';
import { type AppConfig, defaultAppConfig, loadAppConfig } from '../../app/config.ts';
import { exclusionReason, type FileEntry } from '../../app/files/entry.ts';
import { excludeLine } from '../../app/files/patterns.ts';
import { analyzeProgram, type ProgramStructure, scriptStart, withFunctionCall } from '../../app/python-program.ts';
import { createTar } from '../../app/tar.ts';
import { toToml } from '../../app/toml/format.ts';
import { closestName } from '../../kernel/closest-name.ts';
import { CommandLine, type Fix, gantryCommand, sentence } from '../../kernel/command-line.ts';
import { lookedFor, readRegular, temporaryFilter } from '../../kernel/disk/index.ts';
import { attempt, NotFoundError, type Problem, ProjectError, UsageError } from '../../kernel/errors.ts';
import { fileSummary, size } from '../../kernel/output/format.ts';
import { overLimit } from '../../kernel/sizes.ts';
import type { Context } from '../../platform/context.ts';
import { runLimits } from '../../platform/contract/run-app.ts';
import { type Called, checkProgramArguments, type ProgramArguments } from './program-arguments.ts';

export interface Program {
  config: AppConfig;
  /** Relative to the app folder, with forward slashes. */
  file: string;
  functionName: string | undefined;
  /** The app folder, uncompressed. */
  tar: Buffer<ArrayBuffer>;
  /** The parameters of the function, as `name=text` or `name:=json`. */
  pairs: string[];
  called: Called | undefined;
}

interface ProgramOptions {
  /** `job.py` or `job.py::train`, relative to the working directory or absolute. */
  target: string;
  /** Relative to the working directory. */
  configFile: string;
  name?: string | undefined;
  /** Whether data is given, for which a function must exist. */
  hasData: boolean;
  /** Other hardware than that of the config file. */
  hardware?: Partial<AppConfig['hardware']> | undefined;
  programArguments: ProgramArguments;
}

/**
 * Finds the file and the function, and packs the folder without changing anything on disk. Throws ProjectError,
 * UsageError or NotFoundError.
 */
export async function readProgram(context: Context, options: ProgramOptions): Promise<Program> {
  const [target, functionName] = splitTarget(options.target, context.cwd);
  const { config, warnings } = await loadProgramConfig(context, options);
  for (const warning of warnings) context.progress.warn(warning);
  Object.assign(config.hardware, options.hardware);
  const fix = lineInFolder(options);
  const file = toTarName(config.root, resolve(context.cwd, target), { asWritten: target, fix });
  if (config.file === '') refuseFileOfNestedApp(config.root, file, functionName, options.programArguments.argv);
  const step = context.progress.step('Packing');
  try {
    const { include = defaultInclude, exclude = defaultExclude } = config.deployment;
    const { env, signal } = context;
    const [collection, problems] = await Promise.all([
      collectFiles(config.root, {
        include,
        exclude,
        isTemporary: temporaryFilter(() => context.settings.folders.state),
        signal,
      }),
      checkSource(config, file, target, { env, signal }),
    ]);
    const entry = collection.entries.find(({ path }) => path === file) ?? throwExcluded(file, { include, exclude });
    throwOnError(problems);
    const source = await readEntry(entry);
    const program = analyzeProgram(source);
    const called = functionToCall(program, file, functionName, options.hasData);
    const described = describeFunction(program, called);
    const claimed = checkProgramArguments(options.programArguments, options.target, described, source.toString());
    // A parameter that is given by name is meant by its name.
    const allowsWholeData = claimed.length === 0 && options.programArguments.pairs.length === 0;
    const { argv, pairs } = options.programArguments;
    const sent = called === undefined ? source : withFunctionCall(source, program, { name: called, allowsWholeData });
    const start = called === undefined && argv.length > 0 ? startOf(file, argv, collection.entries) : undefined;
    const added = new Map([[file, sent], ...(start ? [[start.path, start.content] as const] : [])]);
    const narrower = lineOfFolder(config, file, [functionName, ...options.programArguments.argv]);
    const tar = await packProgram({ file, entries: collection.entries, exclude, narrower }, added);
    step.done(
      `Packed ${fileSummary(collection.entries.length, totalBytes(collection.entries))}; runs ${[file, called ? `${called}()` : argv.join(' ')].filter(Boolean).join(called ? ', ' : ' ')}`,
    );
    const told = [...problems, ...collection.warnings, ...whyIdle(target, program, called, argv)];
    for (const warning of told) context.progress.warn(warning);
    for (const { note } of claimed) context.progress.note(note);
    const all = called === undefined ? [] : [...pairs, ...claimed.map(({ pair }) => pair)];
    return { config, file: start?.path ?? file, functionName, tar, pairs: all, called: described };
  } catch (error) {
    step.clear();
    throw error;
  }
}

/** A program that only defines functions does nothing. */
function whyIdle(target: string, program: ProgramStructure, called: string | undefined, argv: string[]): Problem[] {
  const [first] = program.functions;
  if (called !== undefined || program.mayCall || first === undefined) return [];
  const message = `${target} only defines functions, and calls none`;
  return [{ severity: 'warning', message, fix: gantryCommand`run ${target}::${first} ${argv}` }];
}

/** The line with the folder before the file, where it was named behind it. */
function lineInFolder({ target, programArguments: { claims, argv } }: ProgramOptions): CommandLine | undefined {
  const folder = claims.find(({ flag }) => /^(-C|--cwd)$/.test(flag))?.value;
  return folder === undefined ? undefined : gantryCommand`run -C ${folder} ${target} ${argv}`;
}

/** The line that sends only the folder of a file, where no config file says what the app is. */
function lineOfFolder(
  { file: configFile }: AppConfig,
  file: string,
  [functionName, ...argv]: readonly [string | undefined, ...string[]],
): CommandLine | undefined {
  const folder = posix.dirname(file);
  if (configFile !== '' || folder === '.') return undefined;
  const target = [posix.basename(file), functionName].filter(Boolean).join('::');
  return gantryCommand`run -C ${folder} ${target} ${argv}`;
}

/** A file beside the script that runs it with these arguments. */
function startOf(file: string, argv: readonly string[], entries: readonly FileEntry[]) {
  const folder = posix.dirname(file) === '.' ? '' : `${posix.dirname(file)}/`;
  let name = 'gantry_start.py';
  while (entries.some(({ path }) => path === folder + name)) name = `_${name}`;
  return { path: folder + name, content: scriptStart(posix.basename(file), argv) };
}

function splitTarget(target: string, cwd: string): [file: string, functionName: string | undefined] {
  const at = target.lastIndexOf('::');
  const [file, name] = at < 0 ? [target, undefined] : [target.slice(0, at), target.slice(at + 2)];
  if (name === '') throw new UsageError(`missing function name in "${target}"`, { fix: `${file}::name, or ${file}` });
  if (!file.endsWith('.py')) {
    throw new UsageError(`not a Python file: ${file}`, {
      why: 'the file name must end with .py',
      corrected: /^(list|get|follow|cancel|chart|logs?)$/.test(file)
        ? { typed: 'run', meant: 'runs' }
        : { typed: target, ...meantTarget(target, cwd) },
    });
  }
  return [file, name];
}

/** The file that is there, for one colon, a module or a name without its end; else some program of this folder. */
function meantTarget(target: string, cwd: string): { meant: string; isExample?: true } {
  const [name = '', ...functions] = target.split(/(?<=\.py):+|::/);
  const isFile = (path: string) => path.endsWith('.py') && existsSync(resolve(cwd, path));
  const file = [name, `${name}.py`, `${name.replaceAll('.', '/')}.py`].find(isFile);
  if (file !== undefined) return { meant: [file, ...functions].filter(Boolean).join('::') };
  const example = attempt(() => readdirSync(cwd))?.find((path) => /^[^.-].*\.py$/.test(path));
  return { meant: example ?? 'main.py', isExample: true };
}

/** Loads the config file, or uses defaults if cerebrium.toml does not exist. */
async function loadProgramConfig({ cwd, progress }: Context, { configFile, name }: ProgramOptions) {
  const path = resolve(cwd, configFile);
  const usesDefaults = configFile === 'cerebrium.toml' && !statSync(path, { throwIfNoEntry: false });
  const { config, warnings } = usesDefaults
    ? { config: defaultAppConfig(cwd, name), warnings: [] }
    : await loadAppConfig(path, { name, shownAs: configFile, root: cwd, purpose: 'run' });
  if (!usesDefaults && dirname(path) !== cwd) {
    progress.note(`the app folder is ${cwd}, the working directory; ${configFile} only configures it`);
  }
  const isUnnamed = usesDefaults || config.name === '';
  if (config.name === '') config.name = defaultAppConfig(cwd).name;
  if (isUnnamed && name === undefined) config.name = config.name.slice(0, runLimits.nameLength).replace(/-+$/, '');
  if (config.partner) {
    throw new UsageError(`cannot run: an app with runtime ${config.runtime} has no code`, {
      fix: gantryCommand`deploy`,
    });
  }
  if (config.name.length > runLimits.nameLength) {
    throw new UsageError(`app name ${config.name} is too long for a run`, {
      why: `it has ${config.name.length} characters; the maximum is ${runLimits.nameLength}`,
      fix: `--name ${config.name.slice(0, runLimits.nameLength).replace(/-+$/, '')}`,
    });
  }
  return { config, warnings };
}

/** The folder of the command is no app, but a folder below it that contains the file is one. */
function refuseFileOfNestedApp(root: string, file: string, functionName: string | undefined, argv: string[]): void {
  const folders = file.split('/').slice(0, -1);
  const nested = folders.map((_, index) => folders.slice(0, index + 1).join('/')).reverse();
  const app = nested.find((folder) => statSync(join(root, folder, 'cerebrium.toml'), { throwIfNoEntry: false }));
  if (app === undefined) return;
  const target = [file.slice(app.length + 1), functionName].filter(Boolean).join('::');
  throw new UsageError(`${file} belongs to the app in ${app}`, {
    why: `${app}/cerebrium.toml configures it, and only the working directory is sent`,
    fix: gantryCommand`run -C ${app} ${target} ${argv}`,
  });
}

/** The name of a file in the tar, from a path that may contain symbolic links. */
function toTarName(
  root: string,
  path: string,
  { asWritten, fix }: { asWritten: string; fix?: Fix | undefined },
): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw new NotFoundError(`${asWritten} not found`, { why: lookedFor(path), fix });
  if (!stats.isFile()) throw new UsageError(`${asWritten} is a folder`);
  const real = join(realpathSync(dirname(path)), basename(path));
  const name = [relative(root, path), relative(realpathSync(root), real)].find((each) => !isOutside(each));
  if (name !== undefined) return name.replaceAll(sep, '/');
  throw new UsageError(`${asWritten} is outside ${root}`, {
    why: 'only files in the app folder are sent',
    // Another folder may have another target, and all of it would be sent.
    fix: sentence`copy it there: ${new CommandLine(['cp', path, root])}`,
  });
}

const isOutside = (path: string) => path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path);

function throwExcluded(file: string, lists: Record<'include' | 'exclude', readonly string[]>): never {
  const message = `${file} is excluded from the files to send`;
  const { why, pattern } = exclusionReason(file, lists.exclude);
  const include = `include = ${toToml([...lists.include, `./${file}`])}`;
  const fix = pattern === undefined ? include : `remove ${toToml(pattern)} from exclude`;
  throw new ProjectError(message, [{ severity: 'error', message, why, fix }]);
}

function describeFunction({ parameters }: ProgramStructure, name: string | undefined) {
  const parameter = name === undefined ? undefined : parameters.get(name);
  return name !== undefined && parameter ? { name, parameters: parameter } : undefined;
}

/** The function to call, undefined for a script: it has a main guard, or no function of a usual name. */
function functionToCall(
  { functions, guards }: ProgramStructure,
  file: string,
  requested: string | undefined,
  hasData: boolean,
): string | undefined {
  if (requested !== undefined) {
    return functions.includes(requested) ? requested : throwMissing(functions, file, requested);
  }
  const usual = guards.length > 0 ? undefined : defaultNames.find((name) => functions.includes(name));
  const [candidate] = functions.filter((name) => !name.startsWith('_'));
  if (usual === undefined && guards.length === 0 && hasData && candidate !== undefined) {
    throw new UsageError(`no function in ${file} takes the data`, {
      why: `it has no main guard and no function named ${defaultNames.slice(0, -1).join(', ')} or ${defaultNames.at(-1)}`,
      corrected: { typed: file, meant: `${file}::${candidate}` },
    });
  }
  return usual;
}

/** Names in the order in which the official client looks for them. */
const defaultNames = ['main', 'run', 'handler', 'process', 'execute', 'predict'];

function throwMissing(functions: readonly string[], file: string, name: string): never {
  const meant = closestName(name, functions);
  const hint = meant ? `: did you mean ${meant}?` : '';
  throw new NotFoundError(`function ${name} not found in ${file}${hint}`, {
    why: functions.length > 0 ? `available functions: ${functions.join(', ')}` : 'the file has no top-level functions',
    corrected: meant ? { typed: `${file}::${name}`, meant: `${file}::${meant}` } : undefined,
  });
}

interface PackedFiles {
  /** The program: it is sent in any case. */
  file: string;
  entries: readonly FileEntry[];
  exclude: readonly string[];
  /** The line that sends the folder of the file alone. */
  narrower: CommandLine | undefined;
}

/** The archive of a run: the files of the folder, and these, some in their place. Throws ProjectError if it is too large. */
async function packProgram(packed: PackedFiles, added: ReadonlyMap<string, Buffer>): Promise<Buffer<ArrayBuffer>> {
  const { entries } = packed;
  // Checked before anything is read: the archive is never smaller than its files.
  checkArchive(totalBytes(entries), packed);
  const files = [];
  for (const entry of entries) {
    const { path, executable } = entry;
    if (path.includes('\\')) throw backslashIn(path);
    files.push({ path, executable, content: added.get(path) ?? (await readEntry(entry)) });
  }
  for (const [path, content] of added)
    if (!entries.some((entry) => entry.path === path)) files.push({ path, executable: false, content });
  const tar = await createTar(files);
  checkArchive(tar.length, packed);
  return tar;
}

/** Tar writers and readers disagree on whether it separates folders. */
function backslashIn(path: string): ProjectError {
  const message = `the file name ${path} contains a backslash`;
  const fix = `rename the file, or exclude it in cerebrium.toml`;
  return new ProjectError(message, [{ severity: 'error', message, fix }]);
}

/** Checks the limit of a run. The error lists the largest files. */
function checkArchive(bytes: number, { file, entries, exclude, narrower }: PackedFiles): void {
  if (bytes <= runLimits.archiveBytes) return;
  const message = `the files are too large for a run: ${overLimit(bytes, runLimits.archiveBytes).join(' (maximum ')})`;
  const top = largestFiles(entries, 5);
  const why = ['the largest files:', ...top.map((each) => `${size(each.size).padStart(9)}  ${each.path}`)].join('\n');
  const others = entries.filter(({ path }) => path !== file);
  const names = filesOver(others, bytes, runLimits.archiveBytes).map(({ path }) => path);
  const exclusion = `${excludeLine(exclude, names)} in cerebrium.toml, and copy data to a volume with gantry cp`;
  const details = {
    bytes,
    limit: runLimits.archiveBytes,
    largest: top.map(({ path, size }) => ({ path, size })),
  };
  throw new ProjectError(message, [{ severity: 'error', message, why, fix: narrower ?? exclusion }], {
    details,
  });
}

async function readEntry({ source, path }: FileEntry): Promise<Buffer> {
  if ('text' in source) return Buffer.from(source.text);
  return readRegular(source.file).catch((cause: Error) => {
    const message = `cannot read ${path}`;
    throw new ProjectError(message, [{ severity: 'error', message, why: cause.message }], { cause });
  });
}
