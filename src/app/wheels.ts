import { groupsOf } from '../kernel/groups.ts';
import { defined } from '../kernel/json-text.ts';
import { builtWith, readOn, wheelTables } from './wheel-tables.ts';

/** A version of a package that has no wheels for a Python: its installation fails, or compiles for an hour. */
export interface MissingWheels {
  pythons: string[];
  /** The oldest and the newest version that have wheels for the Python; absent if none has. */
  versions?: readonly [oldest: string, newest: string];
  source: string;
}

const tabled = new Set(Object.values(wheelTables).flatMap((table) => Object.keys(table).join(' ').split(' ')));

/** Undefined if the version has wheels for this Python, was never released, or if one of the two is not in the tables. */
export function missingWheels(name: string, version: string, python: string): MissingWheels | undefined {
  if (!tabled.has(python)) return undefined;
  const groups = wheelGroupsOf(name);
  const pythons = pythonsOf(version, groups);
  if (pythons === undefined || pythons.includes(python)) return undefined;
  const others = groups
    .filter((group) => group.pythons.includes(python))
    .flatMap(({ versions }) => versions)
    .sort(compareVersions);
  const [oldest] = others;
  const newest = others.at(-1);
  const versions = oldest && newest ? ({ versions: [oldest, newest] } as const) : {};
  return { pythons, ...versions, source: sourceOf(name) };
}

function pythonsOf(version: string, groups: readonly WheelGroup[]): string[] | undefined {
  const group = groups.find(({ versions }) => versions.some((each) => isSame(each, version)));
  const isBefore = ({ pythons, versions }: WheelGroup) =>
    pythons.length > 0 && versions.every((each) => isOlder(version, each));
  return group?.pythons ?? (groups.length > 0 && groups.every(isBefore) ? [] : undefined);
}

/**
 * The CUDA that the torch of a package is built with; `torch` is the one that vllm needs. Undefined for other packages, and
 * for versions of which the index does not tell it.
 */
export function torchBuild(
  name: string,
  requirement: string,
): { cuda: string; torch?: string; source: string } | undefined {
  const version = pinnedVersion(requirement);
  if (version === undefined) return undefined;
  const [, major, minor] = groupsOf(/\+cu(\d\d)(\d)\s*$/, requirement);
  if (name === 'torch' && major !== undefined) return { cuda: `${major}.${minor}`, source: 'its version names it' };
  if (requirement.includes('+')) return undefined;
  const torch = name === 'vllm' ? keyOf(builtWith.vllm, version) : undefined;
  const cuda = keyOf(builtWith.torch, name === 'torch' ? version : (torch ?? ''));
  return cuda === undefined ? undefined : { cuda, ...defined({ torch }), source: sourceOf(name) };
}

/** The oldest torch whose wheels on PyPI are built with this CUDA or a later one. */
export function oldestTorchWith(cuda: string): string | undefined {
  return Object.entries(builtWith.torch)
    .filter(([each]) => compareVersions(each, cuda) >= 0)
    .flatMap(([, versions]) => releasesIn(versions))
    .sort(compareVersions)[0];
}

/** `2.1` for `==2.1` or `2.1`, without the `+cu121` of a local version; undefined for anything that leaves a choice, and for a single number. */
export function pinnedVersion(requirement: string): string | undefined {
  return /^\s*(?:={2,3})?\s*v?(\d+(?:\.\d+)+(?:\.post\d+)?)(?:\+[\w.]+)?\s*$/.exec(requirement)?.[1];
}

interface WheelGroup {
  pythons: string[];
  versions: string[];
}

function wheelGroupsOf(name: string): WheelGroup[] {
  const table = Object.hasOwn(wheelTables, name) ? (wheelTables[name] ?? {}) : {};
  return Object.entries(table).map(([pythons, versions]) => ({
    pythons: pythons.split(' ').filter(Boolean),
    versions: releasesIn(versions),
  }));
}

/** `2.1:0-2,4` has 2.1.0 to 2.1.2, and 2.1.4. */
export function releasesIn(text: string): string[] {
  return Array.from(text.matchAll(/\S+/g), String).flatMap((word) => {
    const [series, parts = '0'] = word.split(':');
    return parts
      .split(',')
      .flatMap(between)
      .map((rest) => `${series}.${rest}`);
  });
}

function between(part: string): string[] {
  const [first = '', last] = part.split('-');
  if (last === undefined) return [part];
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, at) => `${Number(first) + at}`);
}

function keyOf(groups: Readonly<Record<string, string>>, version: string): string | undefined {
  return Object.keys(groups).find((key) => releasesIn(groups[key] ?? '').some((each) => isSame(each, version)));
}

function sourceOf(name: string): string {
  return `https://pypi.org/project/${name}/#history, ${readOn}`;
}

/** `2.2` is `2.2.0`. */
export function isSame(a: string, b: string): boolean {
  const suffix = (version: string) => /\.post\d+$/.exec(version)?.[0] ?? '';
  return suffix(a) === suffix(b) && compareVersions(a, b) === 0;
}

/** Compares the numbers of releases; `2.15.0.post1` counts as `2.15.0`. */
function compareVersions(a: string, b: string): number {
  const [numbers = [], others = []] = [a, b].map((version) =>
    version
      .replace(/\.post\d+$/, '')
      .split('.')
      .map(Number),
  );
  for (let at = 0; at < Math.max(numbers.length, others.length); at++) {
    const difference = (numbers[at] ?? 0) - (others[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

export function isOlder(version: string, than: string): boolean {
  return compareVersions(version, than) < 0;
}

/** Whether a version fits `>=3.10,<3.13`, `^3.12` or `~=3.11`; true if it cannot be told. */
export function satisfies(version: string, wanted: string): boolean {
  return wanted.split(',').every((part) => {
    const [, operator = '', given = '', any] = groupsOf(
      /^\s*(\^|~=?|>=|>|<=|<|!=|===?|)\s*v?(\d+(?:\.\d+)*)(\.\*)?\s*$/,
      part,
    );
    if (given === '') return true;
    if (any !== undefined && operator.startsWith('=')) return `${version}.`.startsWith(`${given}.`);
    const length = version.split('.').length;
    const other = given.split('.').slice(0, Math.max(length, 1)).join('.');
    const order = compareVersions(version, other);
    const isSamePrefix = `${version}.`.startsWith(`${given.replace(/\.\d+$/, '')}.`);
    return comparisons[operator]?.(order, isSamePrefix) ?? true;
  });
}

type VersionTest = (order: number, isSamePrefix: boolean) => boolean;

const comparisons: Readonly<Record<string, VersionTest>> = {
  '>=': (order) => order >= 0,
  '>': (order) => order >= 0,
  '<=': (order) => order <= 0,
  '<': (order) => order < 0,
  '==': (order) => order === 0,
  '===': (order) => order === 0,
  '': (order) => order === 0,
  '^': (order) => order >= 0,
  '~': (order) => order === 0,
  '~=': (order, isSamePrefix) => order >= 0 && isSamePrefix,
};
