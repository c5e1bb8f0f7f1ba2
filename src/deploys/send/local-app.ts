import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { checkAppSource, throwOnError } from '../../app/app-source.ts';
import {
  checkLimits,
  collectFiles,
  defaultExclude,
  defaultInclude,
  isSmallApp,
  totalBytes,
} from '../../app/collect.ts';
import { type AppConfig, checkAppConfig, loadAppConfig } from '../../app/config.ts';
import { addGeneratedFiles, generateDependencyFiles } from '../../app/dependencies.ts';
import { FileChecksums } from '../../app/file-checksums.ts';
import { loadDockerIgnore } from '../../app/files/dockerignore.ts';
import type { FileEntry, FileReason, SkippedFile } from '../../app/files/entry.ts';
import { isGeneratedAndSent, planGeneratedFiles } from '../../app/generated-files.ts';
import { checkLoadedByName } from '../../app/loaded-by-name.ts';
import type { PackingCacheOptions } from '../../app/packing-cache/index.ts';
import type { ParserOptions } from '../../app/python-syntax.ts';
import { resolveRequirements } from '../../app/resolver.ts';
import { withAppName } from '../../app/set-config-value.ts';
import type { SeenProblems } from '../../causes/files/index.ts';
import { removeOrphanedFiles, temporaryFilter } from '../../kernel/disk/index.ts';
import { type Problem, ProjectError } from '../../kernel/errors.ts';
import { count, fileSummary } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import type { ReadSecrets } from './app-secrets.ts';

export interface LocalApp {
  config: AppConfig;
  entries: FileEntry[];
  skipped: SkippedFile[];
  bytes: number;
  /** Where compressed files are kept for the next archive; undefined if the user wants none kept. */
  cache: PackingCacheOptions | undefined;
  /** Checksums of the files, each of which is read once. */
  checksums: FileChecksums;
  /** What the look at its files found; undefined until {@link checkLocalSource}, and for an app without files. */
  seen: SeenProblems | undefined;
}

export interface LocalAppOptions {
  /** The config file, relative to the working directory, which is the app folder. */
  configFile: string;
  name?: string | undefined;
  /** Keys of the scaling that replace those of the file. */
  scaling?: AppConfig['scaling'] | undefined;
  useGitignore?: boolean | undefined;
  /** Files that the command reads or writes besides the app: they are no part of it, wherever they lie. */
  outputs?: (string | undefined)[];
  /** A plan follows, which says what is sent. */
  isPlan?: boolean;
  /** Read and compress every file again. */
  repack?: boolean | undefined;
}

/** The config file, the app's files and the generated ones. Removes what a killed command left. Throws ProjectError. */
export async function readLocalApp(context: Context, options: LocalAppOptions): Promise<LocalApp> {
  removeOrphanedFiles(context.settings.folders.state);
  const { configFile, name } = options;
  const { cwd, progress } = context;
  noteAppFolder(context, configFile);
  const { config, warnings } = await loadAppConfig(resolve(cwd, configFile), { name, shownAs: configFile, root: cwd });
  for (const warning of warnings) progress.warn(warning);
  if (name !== undefined) config.text = await withAppName(config.text, name);
  config.scaling = { ...config.scaling, ...options.scaling };
  const none = { entries: [], skipped: [], bytes: 0, cache: undefined, seen: undefined };
  if (config.partner) return { config, ...none, checksums: new FileChecksums() };

  const step = progress.step('Collecting files');
  try {
    const collected = await collectApp(context, config, options);
    throwOnError(collected.warnings);
    if (options.isPlan) step.clear();
    else step.done(`Collected ${fileSummary(collected.entries.length, collected.bytes)}`);
    for (const warning of collected.warnings) progress.warn(warning);
    const cache = packingCache(context, options.repack);
    const checksums = new FileChecksums(isSmallApp(collected.entries) ? undefined : cache);
    const { warnings: _, ...files } = collected;
    return { config, ...files, cache, checksums, seen: undefined };
  } catch (error) {
    step.fail();
    throw error;
  }
}

/** Checks the source, for which it starts Python. Prints warnings. Throws ProjectError. */
export async function checkLocalSource(context: Context, local: LocalApp): Promise<void> {
  if (local.config.partner) return;
  const { seen, problems } = await findProblems(context, local.config, local);
  local.seen = seen;
  tellProblems(context, problems);
}

/** Throws errors, and tells of warnings. */
export function tellProblems({ progress }: Context, problems: readonly Problem[]): void {
  throwOnError(problems);
  for (const problem of problems) progress.warn(problem);
}

/**
 * Refuses an app that needs a secret which is not there. `end` refuses packages that do not fit together: they are asked for
 * beside all that comes before the upload. An emulator installs nothing.
 */
export async function checkToSend(context: Context, local: LocalApp, secrets: ReadSecrets, signal: AbortSignal) {
  const { env, target } = context;
  await checkLocalSource(context, local);
  tellProblems(context, await checkSecrets(local, secrets));
  const isInstalled = target.platform.value !== 'emulator';
  const asked = isInstalled ? checkPackages({ env, signal }, local, { timeoutMs: 5_000 }) : [];
  return { end: async () => tellProblems(context, await asked) };
}

/** Variables that are no secret of the project or the app. Asks nothing if the code needs none. */
export async function checkSecrets({ seen }: Pick<LocalApp, 'seen'>, read: ReadSecrets): Promise<Problem[]> {
  if (!seen?.needed.length) return [];
  const secrets = await read();
  return secrets ? seen.secretProblems(Object.keys(secrets.values), secrets.app) : [];
}

/** Asks a resolver whether the packages of the app can be installed together. Claims nothing that it does not say. */
export async function checkPackages(
  { env, signal }: Pick<Context, 'env' | 'signal'>,
  { seen }: Pick<LocalApp, 'seen'>,
  { timeoutMs, note }: { timeoutMs: number; note?: (text: string) => void },
): Promise<Problem[]> {
  if (!seen?.requirements) return [];
  const resolved = await resolveRequirements(seen.requirements, { env, signal, timeoutMs });
  if (resolved.is === 'unknown' && resolved.because !== undefined)
    note?.(`whether the packages fit together is not known: ${resolved.because}`);
  return resolved.is === 'refused' ? seen.unresolvedProblems(resolved.said) : [];
}

/** All problems that a deploy would warn about or fail with. `config` is absent if the config file has an error. */
export async function checkLocalApp(
  context: Context,
  options: LocalAppOptions & { root: string },
): Promise<{ config?: AppConfig; problems: Problem[]; seen?: SeenProblems | undefined }> {
  const { configFile, name, root } = options;
  noteAppFolder(context, configFile, root);
  const checked = await checkAppConfig(resolve(context.cwd, configFile), { name, shownAs: configFile, root });
  const { config } = checked;
  if (!config || config.partner) return checked;
  const step = context.progress.step('Checking files');
  const onOtherVersion = (version: string, wanted: string) =>
    context.progress.note(`syntax was checked by Python ${version}: Python ${wanted} is not on this machine`);
  const look = async () => {
    const files = await collectApp(context, config, options);
    const { seen, problems } = await findProblems(context, config, files, onOtherVersion);
    return { problems: [...files.warnings, ...problems], seen };
  };
  const looked = await look()
    .catch((error: unknown) => {
      if (error instanceof ProjectError) return { problems: error.problems, seen: undefined };
      throw error;
    })
    .finally(() => step.clear());
  return { config, ...looked, problems: [...checked.problems, ...looked.problems] };
}

/** The first line, if the config file could be taken for a part of another app. */
function noteAppFolder({ cwd, progress }: Context, configFile: string, root = cwd): void {
  if (dirname(resolve(cwd, configFile)) === root) return;
  progress.note(`the app folder is ${root}, the working directory; ${configFile} only configures it`);
}

function noteIgnored({ progress }: Context, skipped: readonly SkippedFile[], useGitignore = false): void {
  const by = { gitignored: '--use-gitignore', dockerignored: '.dockerignore' } as const;
  for (const kind of ['gitignored', 'dockerignored'] as const) {
    const ignored = skipped.filter(({ reason }) => reason.kind === kind).length;
    if (ignored === 0 && !(useGitignore && kind === 'gitignored')) continue;
    progress.note(`${by[kind]}: ${count(ignored, 'ignored file or folder', 'ignored files and folders')} not sent`);
  }
}

async function collectApp(context: Context, config: AppConfig, { name, useGitignore, outputs = [] }: LocalAppOptions) {
  const { deployment, dependencies, root, file, custom } = config;
  const { include = defaultInclude, exclude = defaultExclude } = deployment;
  const configPath = relative(root, file);
  const required = [
    ...(isBelow(configPath) ? [configPath] : []),
    custom?.dockerfile_path,
    ...Object.values(dependencies.paths),
  ];
  const skipped: SkippedFile[] = [];
  // Fails before the files are read if a package cannot be written.
  generateDependencyFiles(config);
  const { signal, cwd } = context;
  const ignored = {
    gitignored: useGitignore ? await (await import('../../app/files/gitignore.ts')).loadGitIgnore(root) : undefined,
    dockerignored: custom?.dockerfile_path === undefined ? undefined : loadDockerIgnore(root, custom.dockerfile_path),
  };
  const collection = await collectFiles(root, {
    include,
    exclude,
    always: required.filter((path): path is string => Boolean(path)),
    isTemporary: temporaryFilter(() => context.settings.folders.state),
    outputs: outputs.filter((file) => file !== undefined).map((file) => resolve(cwd, file)),
    ignored,
    onSkipped: (file) => skipped.push(file),
    signal,
  });
  noteIgnored(context, skipped, useGitignore);
  const collected = new Set(collection.entries.map(({ path }) => path));
  const generated = planGeneratedFiles(config, collected).filter(isGeneratedAndSent);
  const replaced = generated.filter(({ fate }) => fate === 'replaces-own').map(({ entry }) => entry.path);
  for (const path of replaced) skipped.push({ path, reason: { kind: 'replaced' } });
  const renamed = name === undefined || !isBelow(configPath) ? [] : [textEntry(configPath, config.text)];
  const entries = addGeneratedFiles(collection.entries, [...generated.map(({ entry }) => entry), ...renamed]);
  const bytes = totalBytes(entries);
  const warnings = [...collection.warnings, ...checkLoadedByName(root, cwd, entries), ...checkLimits(entries, exclude)];
  return { entries, skipped, bytes, warnings };
}

/** What the look at the files of an app finds, if its source can be read. */
async function findProblems(
  { cwd, env, signal }: Context,
  config: AppConfig,
  { entries, skipped }: Pick<LocalApp, 'entries' | 'skipped'>,
  onOtherVersion?: ParserOptions['onOtherVersion'],
) {
  const parser = { env, signal };
  const source = await checkAppSource(config, cwd, { ...parser, onOtherVersion });
  const { lookAtFiles } = await import('../../causes/files/index.ts');
  const shownAs = (path: string) => relative(cwd, join(config.root, path));
  const files = { config, entries, skipped, configFile: relative(cwd, config.file), shownAs, parser };
  const inFiles = await lookAtFiles(files);
  // What is a mistake for the Python of the app may only be for a newer one.
  const ofNewer = inFiles.problems.filter(({ cause, severity }) => cause === 'syntax-error' && severity === 'error');
  const isOfNewer = ({ location }: Problem) => ofNewer.some((each) => each.location?.file === location?.file);
  if (source.length > 0) throwOnError([...ofNewer, ...source.filter((each) => !isOfNewer(each))]);
  return { seen: inFiles, problems: [...source, ...inFiles.problems] };
}

const isBelow = (path: string) => path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);

/** The config file with the app name of the command line, so that the archive does not contain another one. */
function textEntry(path: string, text: string): FileEntry {
  const size = Buffer.byteLength(text);
  return { path: path.replaceAll('\\', '/'), size, executable: false, source: { text }, reason: required };
}

/** The app as it would be sent by another name. */
export async function asNamed(local: LocalApp, name: string): Promise<LocalApp> {
  const { config, entries } = local;
  const path = relative(config.root, config.file);
  const text = await withAppName(config.text, name);
  const renamed = isBelow(path) ? addGeneratedFiles(entries, [textEntry(path, text)]) : entries;
  return { ...local, config: { ...config, name, text }, entries: renamed };
}

/** A file that is sent, or a file or folder that is not, and why. */
export type FileDecision = ReturnType<typeof decisionOf>;

/** Every file that is sent and everything that is not, ordered by path. */
export function fileDecisions({ entries, skipped }: Pick<LocalApp, 'entries' | 'skipped'>) {
  const sent = new Set(entries.map(({ path }) => path));
  // The config file is sent even if the patterns skip it.
  const notSent = skipped.filter(({ path, reason }) => reason.kind === 'replaced' || !sent.has(path));
  const decisions = [
    ...entries.map(({ path, size, reason = required }) => decisionOf(path, size, reason)),
    ...notSent.map(({ path, reason }) => decisionOf(path, null, reason)),
  ];
  return decisions.sort((a, b) => Number(a.path > b.path) - Number(a.path < b.path));
}

const required: FileReason = { kind: 'required' };

function decisionOf(path: string, bytes: number | null, reason: FileReason) {
  return { path, sent: bytes !== null, bytes, reason: reason.kind, by: 'by' in reason ? reason.by : null };
}

function packingCache({ settings, cwd, now, trace }: Context, repack = false): PackingCacheOptions | undefined {
  if (repack || settings.packingCache.value === 'off') return undefined;
  return { cache: settings.folders.cache, root: cwd, now: now(), trace };
}
