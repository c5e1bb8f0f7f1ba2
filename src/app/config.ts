import { existsSync } from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import type { TomlTable } from 'smol-toml';
import { type Problem, ProjectError } from '../kernel/errors.ts';
import { defined } from '../kernel/json-text.ts';
import { isCpuOnly } from './hardware.ts';
import { ignoredFile } from './read-app-name.ts';
import { deployRules, runRules } from './rules/index.ts';
import { toAppName } from './rules/name.ts';
import { type RuleInput, type Runtime, selectRuntime } from './rules/rule.ts';
import type { partners, Values } from './schema.ts';
import { type ConfigIssue, locateIssues } from './toml/issue.ts';
import { readRoot } from './toml/root.ts';
import { type Draft, type FileSettings, readFileSettings, readSections } from './toml/sections.ts';
import { createSource, readText, type TomlSource } from './toml/source.ts';
import { parseToml } from './toml/syntax.ts';

/** The contents of a cerebrium.toml. Keys are named as in the file; keys that are not in the file are absent. */
export interface AppConfig extends FileSettings {
  file: string;
  /** The app folder, whose files are sent. The config file may lie elsewhere. */
  root: string;
  /** The unchanged text of the file, byte-order mark included. */
  text: string;
  /** From the command line, or `deployment.name`. */
  name: string;
  runtime: Runtime;
  /** Without `gpu_count` for CPU apps, which get no GPU. */
  hardware: Values<'hardware'>;
  scaling: Values<'scaling'>;
  container_runtime?: string;
  /** With `runtime: 'custom'`; a string `entrypoint` is split into words. */
  custom?: Values<'runtime.custom'>;
  partner?: Values<`runtime.${(typeof partners)[number]}`>;
  experimental: Values<'experimental'>;
}

export interface LoadedAppConfig {
  config: AppConfig;
  warnings: Problem[];
}

export interface CheckedAppConfig {
  /** Absent if there is an error. */
  config?: AppConfig;
  /** In the order of the file; problems without a location come last. */
  problems: Problem[];
}

export interface ConfigOptions {
  name?: string | undefined;
  /** The name of the file in messages; by default its path relative to the working directory. */
  shownAs?: string | undefined;
  /** The app folder; by default the folder of the config file. */
  root?: string | undefined;
  /** A run has no endpoint, no entrypoint and no Dockerfile: checks of those do not apply. */
  purpose?: 'deploy' | 'run' | undefined;
}

/** Reads and checks a cerebrium.toml. Throws ProjectError with all problems if one of them is an error. */
export async function loadAppConfig(file: string, options: ConfigOptions = {}): Promise<LoadedAppConfig> {
  const { config, problems } = await checkAppConfig(file, options);
  if (!config) throw projectError(problems, shownName(file, options));
  return { config, warnings: problems };
}

/** Reads and checks a cerebrium.toml, and returns all problems. Never throws because of its contents. */
export async function checkAppConfig(file: string, options: ConfigOptions = {}): Promise<CheckedAppConfig> {
  const shownAs = shownName(file, options);
  const read = await readText(file, shownAs);
  if ('problem' in read) return { problems: [read.problem] };

  const path = resolve(file);
  const source = createSource(read.text, shownAs);
  const { document, problems } = parseToml(source);
  if (!document) return { problems };

  const place = { file: path, root: options.root ?? dirname(path) };
  const { draft, issues } = checkDocument(document, place, options);
  const all = inFileOrder(await locateProblems(issues, source));
  if (all.some(({ severity }) => severity === 'error')) return { problems: all };
  return { config: toAppConfig(place, read.text, options.name, draft), problems: all };
}

/** Reads the text of a config file without a word about its mistakes. Undefined if it is not TOML. */
export function parseAppConfig(text: string): AppConfig | undefined {
  const { document } = parseToml(createSource(text, ''));
  const { cerebrium } = document ? readRoot(document) : {};
  return cerebrium && toAppConfig({ file: '', root: '' }, text, undefined, readSections(cerebrium).draft);
}

interface ConfigPlace {
  file: string;
  root: string;
}

function shownName(file: string, { shownAs }: ConfigOptions): string {
  return shownAs ?? (relative('', file) || file);
}

function checkDocument(document: TomlTable, place: ConfigPlace, { name: givenName, purpose }: ConfigOptions) {
  const { cerebrium, issues: outside } = readRoot(document);
  const { draft, issues } = readSections(cerebrium ?? {});
  if (!cerebrium) return { draft, issues: outside };
  const input: RuleInput = { root: place.root, configFolder: dirname(place.file), givenName, ...draft };
  const rules = purpose === 'run' ? runRules : deployRules;
  const all = [...outside, ...issues, ...rules.flatMap((rule) => [...rule(input)])];
  return { draft, issues: withoutSuppliedKeys(all) };
}

/** A misplaced key explains why it is missing where it belongs: one error with one fix instead of two problems. */
function withoutSuppliedKeys(issues: readonly ConfigIssue[]): ConfigIssue[] {
  const required = new Set(issues.flatMap(({ severity, missing }) => (severity === 'error' && missing) || []));
  const supplied = new Set(issues.flatMap(({ supplies }) => supplies ?? []));
  return issues
    .filter(({ missing }) => !missing?.some((key) => supplied.has(key)))
    .map((issue) => (issue.supplies?.some((key) => required.has(key)) ? { ...issue, severity: 'error' } : issue));
}

/** The config of a folder without a cerebrium.toml: named after the folder, without any other setting. */
export function defaultAppConfig(root: string, name?: string): AppConfig {
  return {
    file: '',
    root,
    text: '',
    name: name ?? toAppName(basename(root)),
    runtime: 'cortex',
    deployment: {},
    hardware: {},
    scaling: {},
    dependencies: { pip: {}, conda: {}, apt: {}, paths: {} },
    experimental: {},
  };
}

/** A hostile file could have a hundred thousand. */
const maxProblems = 500;

/** Locates issues. Drops warnings about a value that has an error. */
async function locateProblems(issues: readonly ConfigIssue[], source: TomlSource): Promise<Problem[]> {
  const withError = new Set(issues.flatMap(({ severity, at }) => (severity === 'error' && at ? [at.join('.')] : [])));
  const relevant = issues.filter(({ severity, at }) => severity === 'error' || !at || !withError.has(at.join('.')));
  const listed = relevant
    .sort((a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning'))
    .slice(0, maxProblems);
  const problems = await locateIssues(listed, source);
  const hidden = relevant.length - listed.length;
  if (hidden > 0) problems.push({ severity: 'warning', message: `${hidden} more problems are not shown` });
  return problems;
}

function inFileOrder(problems: readonly Problem[]): Problem[] {
  const place = ({ location }: Problem) => (location ? location.line * 2 ** 32 + location.column : Number.MAX_VALUE);
  return problems.toSorted((a, b) => place(a) - place(b));
}

function toAppConfig(
  { file, root }: ConfigPlace,
  text: string,
  givenName: string | undefined,
  draft: Draft,
): AppConfig {
  const { sections, written } = draft;
  const fileSettings = readFileSettings(sections);
  const { gpu_count, ...hardware } = sections.hardware;
  const runtime = selectRuntime(draft);
  const { container_runtime } = sections.runtime;
  const custom = written.has('runtime.custom') ? sections['runtime.custom'] : undefined;
  return {
    file,
    root,
    text,
    name: givenName ?? fileSettings.deployment.name ?? '',
    runtime,
    ...fileSettings,
    hardware: isCpuOnly(hardware.compute) ? hardware : { ...hardware, ...defined({ gpu_count }) },
    scaling: sections.scaling,
    ...defined({ container_runtime, custom }),
    ...(runtime !== 'custom' && runtime !== 'cortex' && { partner: sections[`runtime.${runtime}`] }),
    experimental: sections.experimental,
  };
}

function projectError(problems: readonly Problem[], shownAs: string): ProjectError {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const [only] = errors.length === 1 ? errors : [];
  return new ProjectError(only?.message ?? `${shownAs} has ${errors.length} errors`, problems);
}

/** The app in this folder, or why its config file is ignored: a failure is explained all the same. */
export async function readConfig({ cwd }: { cwd: string }, configFile = 'cerebrium.toml') {
  const path = resolve(cwd, configFile);
  // The checks of a deploy would reject what explains a failure, such as an entrypoint that does not exist.
  const options = { shownAs: configFile, root: cwd, purpose: 'run' } as const;
  const { config, problems } = await checkAppConfig(path, options);
  const error = existsSync(path) ? problems.find(({ severity }) => severity === 'error') : undefined;
  return { config, ignored: error && ignoredFile(error, configFile) };
}
