/**
 * What the platform installs from (docs/platform.md#builds). Versions come in many forms: empty, `latest`, `1.2`,
 * `>=1,<2`, `^1.0`, a URL. Each kind of package has a table of forms, of which the first that matches decides.
 */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Problem, ProjectError } from '../kernel/errors.ts';
import { pathOrder } from './collect.ts';
import type { FileEntry } from './files/entry.ts';

/** Package name to version, as in `[cerebrium.dependencies.pip]`. */
export type PackageVersions = Readonly<Record<string, string>>;

export interface DependencyInput {
  root: string;
  dependencies: Readonly<Record<DependencyKind, PackageVersions>> & {
    /** Files to use instead of the tables, relative to the root. */
    paths: { readonly [kind in DependencyKind]?: string | undefined };
  };
  deployment: { pre_build_commands?: readonly string[]; shell_commands?: readonly string[] };
}

type DependencyKind = 'pip' | 'conda' | 'apt';

export interface DependencyFile {
  source: string;
  entry: FileEntry;
}

/** Throws ProjectError if a package cannot be written. The files are in no particular order. */
export function generateDependencyFiles(input: DependencyInput): DependencyFile[] {
  const { files, problems } = dependencyFiles(input);
  if (problems[0]) throw new ProjectError(problems[0].message, problems);
  return files;
}

/** The generated files, with problems instead of an error. */
export function dependencyFiles(input: DependencyInput): { files: DependencyFile[]; problems: Problem[] } {
  const problems: Problem[] = [];
  const from = (source: string, entries: FileEntry[]) =>
    entries.map((entry) => ({ source, entry: { ...entry, reason: { kind: 'generated', by: source } as const } }));
  const files = [
    ...kinds.flatMap((kind) => {
      const source = input.dependencies.paths[kind] ? `dependencies.paths.${kind}` : `dependencies.${kind}`;
      return from(source, packageList(kind, input, problems));
    }),
    ...from('deployment.pre_build_commands', script('pre_build_commands.sh', input.deployment.pre_build_commands)),
    ...from('deployment.shell_commands', script('shell_commands.sh', input.deployment.shell_commands)),
  ];
  return { files, problems };
}

/** A generated file replaces a collected file of the same path. */
export function addGeneratedFiles(collected: readonly FileEntry[], generated: readonly FileEntry[]): FileEntry[] {
  const replaced = new Set(generated.map(({ path }) => path));
  const entries = [...collected.filter(({ path }) => !replaced.has(path)), ...generated];
  return entries.sort(pathOrder(entries));
}

const kinds: readonly DependencyKind[] = ['conda', 'apt', 'pip'];

const fileNames: Record<DependencyKind, string> = {
  pip: 'requirements.txt',
  conda: 'conda_pkglist.txt',
  apt: 'pkglist.txt',
};

function packageList(kind: DependencyKind, input: DependencyInput, problems: Problem[]): FileEntry[] {
  const path = input.dependencies.paths[kind];
  if (path) return copyFile(fileNames[kind], path, input.root, problems);

  const lines = Object.entries(input.dependencies[kind])
    .map(([name, version]) => ({ name: name.trim(), version: version.trim() }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ name, version }) => packageLine(kind, name, version, problems));
  return lines.length > 0 ? [textEntry(fileNames[kind], `${lines.join('\n')}\n`)] : [];
}

function copyFile(path: string, original: string, root: string, problems: Problem[]): FileEntry[] {
  const file = resolve(root, original);
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined) problems.push({ severity: 'error', message: `dependency file ${original} not found` });
  return size === undefined ? [] : [{ path, size, executable: false, source: { file } }];
}

function script(path: string, commands: readonly string[] = []): FileEntry[] {
  const nonEmpty = commands.filter((command) => command.trim() !== '');
  return nonEmpty.length > 0
    ? [{ ...textEntry(path, `#!/bin/bash\nset -e\n\n${nonEmpty.join('\n')}\n`), executable: true }]
    : [];
}

const textEntry = (path: string, content: string): FileEntry => ({
  path,
  size: Buffer.byteLength(content),
  executable: false,
  source: { text: content },
});

function packageLine(kind: DependencyKind, name: string, version: string, problems: Problem[]): string[] {
  const { bare, marker } = kind === 'pip' ? splitMarker(version) : { bare: version };
  const write = forms[kind].find(({ when }) => when.test(bare))?.write;
  const problem =
    invalidCharacter(kind, name, version) ?? (write ? undefined : unsupportedVersion(kind, name, version));
  if (problem) problems.push({ severity: 'error', ...problem });
  if (problem || !write) return [];
  return [write(name, bare) + (marker ? `${url.test(bare) ? ' ;' : ';'} ${marker}` : '')];
}

/** Splits off the environment marker: `>=1.0; python_version < "3.9"`. After a URL, a space precedes the semicolon. */
function splitMarker(version: string): { bare: string; marker?: string } {
  const outside = version
    .replace(/\S+/g, (word) => (word.includes('://') ? ' '.repeat(word.length) : word))
    .indexOf(';');
  const at = outside < 0 ? version.lastIndexOf(';') : outside;
  const marker = at < 0 ? '' : version.slice(at + 1).trim();
  return marker ? { bare: version.slice(0, at).trimEnd(), marker } : { bare: version };
}

/** A line break would start another line, with an option or another package. */
function invalidCharacter(kind: DependencyKind, name: string, version: string): Omit<Problem, 'severity'> | undefined {
  if (name === '') return { message: `a ${kind} package has no name` };
  const part = control.test(name) ? 'name' : control.test(version) ? 'version' : undefined;
  return (
    part && {
      message: `the ${part} of ${kind} package ${JSON.stringify(name)} contains a line break or control character`,
    }
  );
}

const control = /[\x00-\x1f\x7f\u2028\u2029]/;

const unsupportedVersion = (kind: DependencyKind, name: string, version: string): Omit<Problem, 'severity'> => ({
  message: `${kind} cannot install ${name} at version "${version}"`,
  why: kind === 'apt' ? 'apt requires one exact version, or none' : `${kind} packages have versions, not URLs`,
  fix: kind === 'apt' ? `${name} = "latest"` : `[cerebrium.dependencies.pip]\n${name} = "${version}"`,
});

interface Form {
  when: RegExp;
  /** Absent if this kind of package does not support the form. */
  write?: (name: string, version: string) => string;
}

const url = /^(@\s*)?([a-z]+\+)?[a-z]+:\/\/|^(@\s*)?file:/i;

const any: Form = { when: /^(\*|latest)?$/i, write: (name) => name };
const asWritten: Form = { when: /^([<>]|[=!~]=)/, write: (name, version) => name + version };
const exact: Form = { when: /./, write: (name, version) => `${name}==${version}` };

/** `^1.2` and `~1.2` come from poetry and npm. pip and conda need the range they stand for. */
const caret: Form = { when: /^\^\s*\d/, write: (name, version) => name + range(version, firstNonZero) };
const tilde: Form = {
  when: /^~\s*\d/,
  write: (name, version) => name + range(version, (parts) => Math.min(1, parts.length - 1)),
};

const forms: Record<DependencyKind, Form[]> = {
  pip: [
    any,
    { when: url, write: (name, version) => `${name} @ ${version.replace(/^@\s*/, '')}` },
    asWritten,
    caret,
    tilde,
    { when: /^=/, write: (name, version) => `${name}=${version}` },
    exact,
  ],
  conda: [
    any,
    { when: url },
    asWritten,
    caret,
    tilde,
    { when: /^=/, write: (name, version) => name + version },
    // name=version=build, such as `numpy=1.26=py311_0`.
    { when: /=/, write: (name, version) => `${name}=${version}` },
    exact,
  ],
  apt: [
    any,
    { when: url },
    { when: /^[<>!~^]|^===|[,|\s]/ },
    // `/bookworm-backports` names a release, not a version.
    { when: /^\//, write: (name, version) => name + version },
    { when: /./, write: (name, version) => `${name}=${version.replace(/^==?\s*/, '')}` },
  ],
};

/** The range from a version to the next one at part `index`: `>=1.2.3,<2.0` for `1.2.3` and 0. */
function range(version: string, index: (parts: number[]) => number): string {
  const lowest = version.replace(/^[\^~]\s*/, '');
  const parts = (/^\d+(\.\d+)*/.exec(lowest)?.[0] ?? '').split('.').map(Number);
  const at = index(parts);
  const next = parts.slice(0, at + 1).map((part, position) => (position === at ? part + 1 : part));
  return `>=${lowest},<${next.length === 1 ? `${next[0]}.0` : next.join('.')}`;
}

function firstNonZero(parts: number[]): number {
  const firstPart = parts.findIndex((part) => part > 0);
  return firstPart === -1 ? parts.length - 1 : firstPart;
}
