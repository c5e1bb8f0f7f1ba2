import { posix } from 'node:path';
import { load } from 'js-yaml';
import { parse } from 'smol-toml';

/** A requirement, without its marker. */
export interface Requirement {
  /** As PyPI compares names. */
  name: string;
  extras: readonly string[];
  /** `==1.2`; empty for any version. */
  wanted: string;
}

/** A line of a requirements file, without its comment. */
export interface RequirementLine {
  text: string;
  file: string;
  line: number;
}

export const normalizeName = (name: string) => name.replace(/[-_.]+/g, '-').toLowerCase();

/** Undefined for anything but a package: a flag, a path, a URL without a name. */
export function parseRequirement(text: string): Requirement | undefined {
  const [, name, extras = '', rest = ''] = /^([A-Za-z0-9][\w.-]*)\s*(?:\[([^\]]*)\])?\s*([^;#]*)/.exec(text) ?? [];
  if (name === undefined || /^\w+(?:\+\w+)?:\/\//.test(text) || isArchive.test(text)) return namedByAddress(text);
  const wanted = rest.startsWith('@') ? '' : rest.trim().replace(/^(?:latest|\*)$/, '');
  return { name: normalizeName(name), extras: extras.split(',').flatMap((each) => each.trim() || []), wanted };
}

const isArchive = /^\S*(?:\.whl|\.tar\.gz|\.zip|\.git)\b/;

/** The name of `…/name-1.0-py3-none-any.whl`, `git+https://…/name.git@main` and `…#egg=name`. */
function namedByAddress(text: string): Requirement | undefined {
  const named = /[#&]egg=([\w.-]+)/.exec(text) ?? /(?:^|\/)([A-Za-z][\w.]*?)-\d[^/]*\.(?:whl|tar\.gz|zip)/.exec(text);
  const [, name] = named ?? /\/([\w.-]+?)(?:\.git)?(?:@[\w./-]+)?$/.exec(text) ?? [];
  return name === undefined ? undefined : { name: normalizeName(name), extras: [], wanted: '' };
}

/** Of conda: `conda-forge::numpy=1.26`. */
export function parseCondaPackage(text: string): Requirement | undefined {
  const [, name] = /^(?:[\w./-]+::)?([A-Za-z][\w.-]*)/.exec(text.trim()) ?? [];
  return name === undefined ? undefined : { name: normalizeName(name), extras: [], wanted: '' };
}

/** The lines of a requirements file, joined where a backslash ends one. */
export function requirementLines(text: string, file: string): RequirementLine[] {
  const found: RequirementLine[] = [];
  let pending = '';
  for (const [index, raw] of text.split(/\r\n|\r|\n/).entries()) {
    pending += raw.replace(/\\$/, ' ');
    if (raw.endsWith('\\')) continue;
    const plain = pending.replace(/(^|\s)#.*$/, '').trim();
    pending = '';
    if (plain !== '') found.push({ text: plain, file, line: index + 1 });
  }
  return found;
}

/** The requirements of a `pyproject.toml`; undefined if it cannot be read. */
export function projectRequirements(text: string): Requirement[] | undefined {
  try {
    const { project, tool, 'dependency-groups': groups } = parse(text) as Project;
    const lists = [project?.dependencies, ...valuesOf(project?.['optional-dependencies']), ...valuesOf(groups)];
    const plain = lists.flatMap((list) => list ?? []).flatMap((each) => (typeof each === 'string' ? each : []));
    const poetry = Object.entries(tool?.poetry?.dependencies ?? {}).map(([name, value]) => ofPoetry(name, value));
    return [...plain.flatMap((each) => parseRequirement(each) ?? []), ...poetry];
  } catch {
    return undefined;
  }
}

type PoetryValue = string | { extras?: string[]; version?: string };

interface Project {
  project?: { dependencies?: string[]; 'optional-dependencies'?: Record<string, string[]> };
  'dependency-groups'?: Record<string, unknown[]>;
  tool?: { poetry?: { dependencies?: Record<string, PoetryValue> } };
}

const valuesOf = <T>(table: Record<string, T> | undefined): T[] => Object.values(table ?? {});

function ofPoetry(name: string, value: PoetryValue): Requirement {
  const { extras = [], version = '' } = typeof value === 'string' ? { version: value } : value;
  return { name: normalizeName(name), extras, wanted: version.replace(/^\^/, '>=').replace(/^(?=\d)/, '==') };
}

/** What an `environment.yml` lists: packages of conda, and lines for pip. Undefined if it cannot be read. */
export function environmentLists(text: string): { conda: string[]; pip: string[] } | undefined {
  try {
    const { dependencies = [] } = (load(text) ?? {}) as { dependencies?: (string | { pip?: string[] })[] };
    const conda = dependencies.flatMap((each) => (typeof each === 'string' ? each : []));
    return { conda, pip: dependencies.flatMap((each) => (typeof each === 'string' ? [] : (each.pip ?? []))) };
  } catch {
    return undefined;
  }
}

export function lineWith(text: string, part: string): number | undefined {
  const at = text.split('\n').findIndex((line) => line.includes(part));
  return at < 0 ? undefined : at + 1;
}

export const plainPath = (path: string) => posix.normalize(path.replaceAll('\\', '/'));
