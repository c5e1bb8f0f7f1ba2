import { dirname, relative, resolve } from 'node:path';
import type { TomlTable } from 'smol-toml';
import { type Problem, ProjectError } from '../errors.ts';
import { isCpuOnly } from './hardware.ts';
import { entrypointRule } from './rules/entrypoint.ts';
import { rules } from './rules/index.ts';
import { type RuleInput, type Runtime, selectRuntime } from './rules/rule.ts';
import type { partners, SectionName, Values } from './schema.ts';
import type { ConfigIssue } from './toml/issue.ts';
import { locateIssues } from './toml/locate.ts';
import { readRoot } from './toml/root.ts';
import { type Draft, readSections } from './toml/sections.ts';
import { createSource, readText, type TomlSource } from './toml/source.ts';
import { parseToml } from './toml/syntax.ts';

/** An app as its cerebrium.toml describes it. Keys are named as in the file; what is not written is not here. */
export interface AppConfig {
  /** The config file, absolute. */
  file: string;
  /** Its folder: the app's files are here and below. */
  root: string;
  /** The file's text, verbatim, byte-order mark included. */
  text: string;
  /** From the command line, or `deployment.name`. */
  name: string;
  runtime: Runtime;
  deployment: Values<'deployment'>;
  /** Without `gpu_count` on CPU, where the platform gives none. */
  hardware: Values<'hardware'>;
  scaling: Values<'scaling'>;
  /** `v1` or `v2`. */
  container_runtime?: string;
  /** With `runtime: 'custom'`; a string `entrypoint` is split into words. */
  custom?: Values<'runtime.custom'>;
  /** With a partner's runtime. */
  partner?: Values<`runtime.${(typeof partners)[number]}`>;
  /** Package names and versions exactly as written. */
  dependencies: {
    pip: Record<string, string>;
    conda: Record<string, string>;
    apt: Record<string, string>;
    /** Relative to `root`. */
    paths: Values<'dependencies.paths'>;
  };
  experimental: Values<'experimental'>;
}

export interface LoadedAppConfig {
  project: AppConfig;
  warnings: Problem[];
}

export interface CheckedAppConfig {
  /** Absent if any of the problems is an error. */
  project?: AppConfig;
  /** In the order of the file; those that are not about its text come last. */
  problems: Problem[];
}

export interface ConfigOptions {
  /** Name of the app, instead of the one in the file, which may then be missing. */
  name?: string | undefined;
  /** The file's name in messages; relative to the working directory unless told. */
  shownAs?: string | undefined;
  /** One file of it is run by itself: whether what serves the app is there does not matter. */
  oneFile?: boolean | undefined;
}

/** Reads and checks a cerebrium.toml. Throws a ProjectError with all its problems if any of them is an error. */
export async function loadAppConfig(file: string, options: ConfigOptions = {}): Promise<LoadedAppConfig> {
  const { project, problems } = await checkAppConfig(file, options);
  if (!project) throw projectError(problems, shownName(file, options));
  return { project, warnings: problems };
}

/** Reads and checks a cerebrium.toml, and tells whatever is wrong with it. Never throws for what the file holds. */
export async function checkAppConfig(file: string, options: ConfigOptions = {}): Promise<CheckedAppConfig> {
  const shownAs = shownName(file, options);
  const read = await readText(file, shownAs);
  if ('problem' in read) return { problems: [read.problem] };

  const path = resolve(file);
  const { document, source, problems } = parseToml(createSource(read.text, shownAs));
  if (!document) return { problems };

  const { draft, findings } = examined(document, dirname(path), options);
  const all = inFileOrder([...problems, ...(await withPlaces(findings, source, problems))]);
  if (all.some(({ severity }) => severity === 'error')) return { problems: all };
  return { project: projectOf(path, read.text, options.name, draft), problems: all };
}

function shownName(file: string, { shownAs }: ConfigOptions): string {
  return shownAs ?? (relative('', file) || file);
}

function examined(document: TomlTable, root: string, { name: givenName, oneFile }: ConfigOptions) {
  const { cerebrium, findings: outside } = readRoot(document);
  if (!cerebrium) return { draft: { sections: {}, unreadable: new Set<string>() }, findings: outside };
  const { draft, findings } = readSections(cerebrium);
  const app: RuleInput = { root, givenName, ...draft };
  const binding = oneFile ? rules.filter((rule) => rule !== entrypointRule) : rules;
  return { draft, findings: [...outside, ...findings, ...binding.flatMap((rule) => [...rule(app)])] };
}

/** More than this is of no use to anybody, and a hostile file could have a hundred thousand. */
const mostProblems = 500;

/** Findings with their places, without those that a syntax error or a graver finding about the same value explains. */
async function withPlaces(
  findings: readonly ConfigIssue[],
  source: TomlSource,
  broken: readonly Problem[],
): Promise<Problem[]> {
  const wrong = new Set(findings.flatMap(({ severity, at }) => (severity === 'error' && at ? [at.join('.')] : [])));
  const telling = findings.filter(({ severity, at }) => severity === 'error' || !at || !wrong.has(at.join('.')));
  const gravest = telling
    .sort((one, other) => Number(one.severity === 'warning') - Number(other.severity === 'warning'))
    .slice(0, mostProblems);
  const problems = await locateIssues(gravest, source);
  const brokenLines = new Set(broken.map(({ place }) => place?.line));
  const left = telling.length - gravest.length;
  if (left > 0) problems.push({ severity: 'warning', message: `${left} more problems are not shown` });
  return problems.filter(({ place }) => !place || !brokenLines.has(place.line));
}

function inFileOrder(problems: readonly Problem[]): Problem[] {
  const last = Number.POSITIVE_INFINITY;
  return problems.toSorted(
    ({ place: one }, { place: other }) =>
      (one?.line ?? last) - (other?.line ?? last) || (one?.column ?? last) - (other?.column ?? last) || 0,
  );
}

function projectOf(file: string, text: string, givenName: string | undefined, { sections }: Draft): AppConfig {
  const section = <S extends SectionName>(name: S): NonNullable<Draft['sections'][S]> => sections[name] ?? {};
  const { include = [], ...deployment } = section('deployment');
  const { gpu_count, ...hardware } = section('hardware');
  const runtime = selectRuntime(sections);
  const { container_runtime } = section('runtime');
  return {
    file,
    root: dirname(file),
    text,
    name: givenName ?? deployment.name ?? '',
    runtime,
    // An empty list of files to include is no list.
    deployment: include.length > 0 ? { include, ...deployment } : deployment,
    hardware: gpu_count === undefined || isCpuOnly(hardware.compute) ? hardware : { ...hardware, gpu_count },
    scaling: section('scaling'),
    ...(container_runtime !== undefined && { container_runtime }),
    ...(runtime === 'custom' && { custom: section('runtime.custom') }),
    ...(runtime !== 'custom' && runtime !== 'cortex' && { partner: section(`runtime.${runtime}`) }),
    dependencies: {
      pip: section('dependencies.pip'),
      conda: section('dependencies.conda'),
      apt: section('dependencies.apt'),
      paths: section('dependencies.paths'),
    },
    experimental: section('experimental'),
  };
}

function projectError(problems: readonly Problem[], shownAs: string): ProjectError {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (!first || errors.length > 1) return new ProjectError(`${shownAs} has ${errors.length} errors`, problems);
  const { message, severity: _, ...facts } = first;
  return new ProjectError(message, problems, facts);
}
