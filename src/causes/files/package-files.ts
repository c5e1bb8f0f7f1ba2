import { posix } from 'node:path';
import { load } from 'js-yaml';
import { parse } from 'smol-toml';
import { isSpecifier, readPipLine, type TextLine } from '../../app/pip-line.ts';
import { groupsOf } from '../../kernel/groups.ts';
import { normalizeName } from '../import-names.ts';

/** A package that is wanted. */
export interface Requirement {
  /** As PyPI compares names. */
  name: string;
  extras: readonly string[];
  /** `==1.2`; empty for any version. */
  wanted: string;
  /** Whether it is only for some systems or versions of Python. */
  isConditional: boolean;
  /** Whether it is of conda, or of an address: not what a package index has under the name. */
  isElsewhere?: true;
}

export interface RequirementLine extends TextLine {
  file: string;
}

/** Undefined for anything but a package: a flag, a path, a URL without a name. What pip cannot read keeps its version. */
export function parseRequirement(text: string): Requirement | undefined {
  const read = readPipLine(text);
  if (read.kind === 'address' || read.kind === 'path') return namedByAddress(text);
  const [, name = '', rest = ''] = groupsOf(/^([A-Za-z0-9][\w.-]*)\s*([^;#]*)/, text);
  const { extras, wanted, marker } = read.kind === 'package' ? read : { extras: '', wanted: rest.trim(), marker: '' };
  if (name === '' || read.kind === 'option') return undefined;
  return { name: normalizeName(name), extras: extras.match(/[\w.-]+/g) ?? [], wanted, isConditional: marker !== '' };
}

/** The name of `…/name-1.0-py3-none-any.whl`, `git+https://…/name.git@main` and `…#egg=name`. */
function namedByAddress(text: string): Requirement | undefined {
  const named = /[#&]egg=([\w.-]+)/.exec(text) ?? /(?:^|\/)([A-Za-z][\w.]*?)-\d[^/]*\.(?:whl|tar\.gz|zip)/.exec(text);
  const [, name] =
    named ?? /^([\w.-]+)\s*(?:\[.*\])?\s*@/.exec(text) ?? /\/([\w.-]+?)(?:\.git)?(?:@[\w./-]+)?$/.exec(text) ?? [];
  return name === undefined ? undefined : otherSource(name);
}

function otherSource(name: string): Requirement {
  return { name: normalizeName(name), extras: [], wanted: '', isConditional: false, isElsewhere: true };
}

/** Parses a package of conda: `conda-forge::numpy=1.26`. */
export function parseCondaPackage(text: string): Requirement | undefined {
  const [, name] = groupsOf(/^(?:[\w./-]+::)?([A-Za-z][\w.-]*)/, text.trim());
  return name === undefined ? undefined : otherSource(name);
}

/** The requirements of a `pyproject.toml` or a `Pipfile`; undefined if it cannot be read. */
export function projectRequirements(text: string, isProduction = false): Requirement[] | undefined {
  try {
    const { project, tool, packages, 'dependency-groups': groups } = parse(text) as PyProject;
    const lists = [
      project?.dependencies,
      ...valuesOf(project?.['optional-dependencies']),
      ...(isProduction ? [] : valuesOf(groups)),
    ];
    const poetryGroups = isProduction ? [] : valuesOf(tool?.poetry?.group).map(({ dependencies }) => dependencies);
    const plain = lists.flatMap((list) => list ?? []).flatMap((each) => (typeof each === 'string' ? each : []));
    const poetry = [...poetryGroups, tool?.poetry?.dependencies, packages]
      .flatMap((table) => Object.entries(table ?? {}))
      .map(([name, value]) => ofPoetry(name, value));
    return [...plain.flatMap((each) => parseRequirement(each) ?? []), ...poetry];
  } catch {
    return undefined;
  }
}

type PoetryValue = string | { extras?: string[]; version?: string };

interface PyProject {
  project?: { dependencies?: string[]; 'optional-dependencies'?: Record<string, string[]> };
  'dependency-groups'?: Record<string, unknown[]>;
  /** The packages of a Pipfile. */
  packages?: Record<string, PoetryValue>;
  tool?: { poetry?: PoetryTables & { group?: Record<string, PoetryTables> } };
}

interface PoetryTables {
  dependencies?: Record<string, PoetryValue>;
}

/** As PyPI compares names; undefined without one. */
export function projectName(text: string): string | undefined {
  const [, name] = groupsOf(/^\[(?:project|tool\.poetry)\][^[]*?^name\s*=\s*["']([\w.-]+)["']/ms, text);
  return name && normalizeName(name);
}

const valuesOf = <T>(table: Record<string, T> | undefined): T[] => Object.values(table ?? {});

function ofPoetry(name: string, value: PoetryValue): Requirement {
  const { extras = [], version = '' } = typeof value === 'string' ? { version: value } : value;
  const wanted = version.replace(/^\^/, '>=').replace(/^(?=\d)/, '==');
  return { name: normalizeName(name), extras, wanted: isSpecifier(wanted) ? wanted : '', isConditional: false };
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

export const plainPath = (path: string) => posix.normalize(path.replaceAll('\\', '/'));
