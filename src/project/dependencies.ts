/**
 * Writes the dependencies of `cerebrium.toml` as the files from which the platform installs them
 * (docs/platform.md#builds).
 *
 * A version is whatever people write: nothing, `latest`, `1.2`, `>=1,<2`, `^1.0`, an address. Each kind of package has
 * a table of the forms it understands; the first that fits decides the line.
 */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Problem, ProjectError } from '../errors.ts';
import { pathOrder } from './collect.ts';
import type { FileEntry } from './files/entry.ts';

/** Package name to version, as in `[cerebrium.dependencies.pip]`. */
export type PackageVersions = Readonly<Record<string, string>>;

export interface DependencyInput {
  pip: PackageVersions;
  conda: PackageVersions;
  apt: PackageVersions;
  /** Files to take instead of the tables, relative to the root (`[cerebrium.dependencies.paths]`). */
  paths: { readonly [kind in Kind]?: string | undefined };
  preBuildCommands: readonly string[];
  shellCommands: readonly string[];
  root: string;
}

type Kind = 'pip' | 'conda' | 'apt';

/** In what order they are written does not matter: see {@link addGeneratedFiles}. */
export async function generateDependencyFiles(input: DependencyInput): Promise<FileEntry[]> {
  const problems: Problem[] = [];
  const entries = [
    ...kinds.flatMap((kind) => packageList(kind, input, problems)),
    ...script('pre_build_commands.sh', input.preBuildCommands),
    ...script('shell_commands.sh', input.shellCommands),
  ];
  if (problems[0]) throw new ProjectError(problems[0].message, problems);
  return entries;
}

/** A generated file replaces a project file of the same name: an archive must not hold two. */
export function addGeneratedFiles(collected: readonly FileEntry[], generated: readonly FileEntry[]): FileEntry[] {
  const byPath = new Map([...collected, ...generated].map((entry) => [entry.path, entry]));
  const entries = [...byPath.values()];
  return entries.sort(pathOrder(entries));
}

const kinds: readonly Kind[] = ['conda', 'apt', 'pip'];

const fileNames: Record<Kind, string> = {
  pip: 'requirements.txt',
  conda: 'conda_pkglist.txt',
  apt: 'pkglist.txt',
};

function packageList(kind: Kind, input: DependencyInput, problems: Problem[]): FileEntry[] {
  const given = input.paths[kind];
  if (given) return copy(fileNames[kind], given, input.root, problems);

  const lines = Object.entries(input[kind])
    .map(([name, version]) => ({ name: name.trim(), version: version.trim() }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((wanted) => line(kind, wanted.name, wanted.version, problems));
  return lines.length > 0 ? [text(fileNames[kind], `${lines.join('\n')}\n`)] : [];
}

/** The file as it is, byte for byte: nothing in it is read here. */
function copy(path: string, given: string, root: string, problems: Problem[]): FileEntry[] {
  const file = resolve(root, given);
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined) problems.push({ severity: 'error', message: `the dependency file ${given} is not there` });
  return size === undefined ? [] : [{ path, size, executable: false, source: { file } }];
}

function script(path: string, commands: readonly string[]): FileEntry[] {
  const real = commands.filter((command) => command.trim() !== '');
  return real.length > 0 ? [{ ...text(path, `#!/bin/bash\nset -e\n\n${real.join('\n')}\n`), executable: true }] : [];
}

const text = (path: string, content: string): FileEntry => ({
  path,
  size: Buffer.byteLength(content),
  executable: false,
  source: { text: content },
});

function line(kind: Kind, name: string, version: string, problems: Problem[]): string[] {
  const { wanted, marker } = kind === 'pip' ? withoutMarker(version) : { wanted: version };
  const write = forms[kind].find(({ when }) => when.test(wanted))?.write;
  const problem = unwritable(kind, name, version) ?? (write ? undefined : unfit(kind, name, version));
  if (problem) problems.push({ severity: 'error', ...problem });
  if (problem || !write) return [];
  return [write(name, wanted) + (marker ? `${address.test(wanted) ? ' ;' : ';'} ${marker}` : '')];
}

/** `>=1.0; python_version < "3.9"`: behind the semicolon is when to install it at all. In an address it has a blank before it. */
function withoutMarker(version: string): { wanted: string; marker?: string } {
  const outside = version
    .replace(/\S+/g, (word) => (word.includes('://') ? ' '.repeat(word.length) : word))
    .indexOf(';');
  const at = outside < 0 ? version.lastIndexOf(';') : outside;
  const marker = at < 0 ? '' : version.slice(at + 1).trim();
  return marker ? { wanted: version.slice(0, at).trimEnd(), marker } : { wanted: version };
}

/** A line break would begin a second line: an option, or a package nobody named. */
function unwritable(kind: Kind, name: string, version: string): Omit<Problem, 'severity'> | undefined {
  if (name === '') return { message: `a ${kind} package has no name` };
  const part = control.test(name) ? 'name' : control.test(version) ? 'version' : undefined;
  return (
    part && { message: `the ${part} of ${kind} package ${JSON.stringify(name)} has a line break or control character` }
  );
}

const control = /[\x00-\x1f\x7f\u2028\u2029]/;

const unfit = (kind: Kind, name: string, version: string): Omit<Problem, 'severity'> => ({
  message: `${kind} cannot install ${name} at version "${version}"`,
  why: kind === 'apt' ? 'apt takes one exact version, or none' : `${kind} packages have versions, not addresses`,
  fix: kind === 'apt' ? `${name} = "latest"` : `[cerebrium.dependencies.pip]\n${name} = "${version}"`,
});

interface Form {
  when: RegExp;
  /** Left out: the form is a mistake for this kind. */
  write?: (name: string, version: string) => string;
}

const address = /^(@\s*)?([a-z]+\+)?[a-z]+:\/\/|^(@\s*)?file:/i;

const any: Form = { when: /^(\*|latest)?$/i, write: (name) => name };
const asWritten: Form = { when: /^([<>]|[=!~]=)/, write: (name, version) => name + version };
const exact: Form = { when: /./, write: (name, version) => `${name}==${version}` };

/** `^1.2` and `~1.2` come from poetry and npm; pip and conda know neither, but both know what they stand for. */
const caret: Form = { when: /^\^\s*\d/, write: (name, version) => name + range(version, firstNonZero) };
const tilde: Form = {
  when: /^~\s*\d/,
  write: (name, version) => name + range(version, (parts) => Math.min(1, parts.length - 1)),
};

const forms: Record<Kind, Form[]> = {
  pip: [
    any,
    { when: address, write: (name, version) => `${name} @ ${version.replace(/^@\s*/, '')}` },
    asWritten,
    caret,
    tilde,
    { when: /^=/, write: (name, version) => `${name}=${version}` },
    exact,
  ],
  conda: [
    any,
    { when: address },
    asWritten,
    caret,
    tilde,
    { when: /^=/, write: (name, version) => name + version },
    // conda's third part is the build: `numpy=1.26=py311_0`, with one sign each.
    { when: /=/, write: (name, version) => `${name}=${version}` },
    exact,
  ],
  apt: [
    any,
    { when: address },
    { when: /^[<>!~^]|^===|[,|\s]/ },
    // `/bookworm-backports` names a release, not a version.
    { when: /^\//, write: (name, version) => name + version },
    { when: /./, write: (name, version) => `${name}=${version.replace(/^==?\s*/, '')}` },
  ],
};

/** From the version itself up to where the part at `index` counts one more: `1.2.3` and 0 give `>=1.2.3,<2.0`. */
function range(version: string, index: (parts: number[]) => number): string {
  const lowest = version.replace(/^[\^~]\s*/, '');
  const parts = (/^\d+(\.\d+)*/.exec(lowest)?.[0] ?? '').split('.').map(Number);
  const at = index(parts);
  const next = parts.slice(0, at + 1).map((part, place) => (place === at ? part + 1 : part));
  return `>=${lowest},<${next.length === 1 ? `${next[0]}.0` : next.join('.')}`;
}

/** A caret keeps the first part that is not zero, or the last one given. */
function firstNonZero(parts: number[]): number {
  const found = parts.findIndex((part) => part > 0);
  return found === -1 ? parts.length - 1 : found;
}
