import { posix } from 'node:path';
import { load } from 'js-yaml';
import { parse } from 'smol-toml';
import type { RunCommand } from '../../app/docker-image.ts';
import { isOlder } from '../../app/wheels.ts';
import { groupsOf } from '../groups.ts';
import { normalizeName } from '../import-names.ts';
import { lineWith, projectRequirements } from './package-files.ts';
import { type LockedPackage, type PackageJson, readJsonc } from './package-json.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Docker, Shipment } from './shipment.ts';

/** A command that refuses a lock file which does not fit, and how that is seen. */
interface LockRule {
  command: RegExp;
  manifest: string;
  lock: string;
  /** What of the manifest the lock does not have. */
  unlocked: (manifest: string, lock: string) => (string | undefined)[];
  /** Whether the command refuses it only with a setting. */
  only?: (step: RunCommand) => boolean;
  /** Of a command that does not refuse it. */
  does?: string;
  fix: string;
}

const lockRules: readonly LockRule[] = [
  { command: /^npm ci\b/, manifest: 'package.json', lock: 'package-lock.json', unlocked: byNpm, fix: 'npm install' },
  {
    command: /^pnpm (?:install|i)\b.* --frozen-lockfile/,
    manifest: 'package.json',
    lock: 'pnpm-lock.yaml',
    unlocked: byPnpm,
    fix: 'pnpm install',
  },
  {
    command: /^cargo (?:build|install|test)\b.* --(?:locked|frozen)/,
    manifest: 'Cargo.toml',
    lock: 'Cargo.lock',
    unlocked: byCargo,
    fix: 'cargo update --workspace',
  },
  {
    command: /^uv sync\b.* --locked\b/,
    manifest: 'pyproject.toml',
    lock: 'uv.lock',
    unlocked: byUv,
    fix: 'uv lock',
  },
  {
    command: /^uv sync\b.* --frozen\b/,
    manifest: 'pyproject.toml',
    lock: 'uv.lock',
    unlocked: (manifest, lock) => unlockedNames(manifest, lock, false),
    does: 'does not install it',
    fix: 'uv lock',
  },
  {
    command: /^poetry (?:install|sync)\b/,
    manifest: 'pyproject.toml',
    lock: 'poetry.lock',
    // Versions before 2.2 do not read groups of this kind.
    unlocked: (manifest, lock) => (/^\[dependency-groups\]/m.test(manifest) ? [] : unlockedNames(manifest, lock, true)),
    fix: 'poetry lock',
  },
  {
    command: /^pipenv (?:install|sync)\b.* --deploy\b/,
    manifest: 'Pipfile',
    lock: 'Pipfile.lock',
    unlocked: byPipenv,
    fix: 'pipenv lock',
  },
  {
    command: /^go (?:build|install|run)\b(?!.* -mod[= ])/,
    manifest: 'go.mod',
    lock: 'go.sum',
    unlocked: byGo,
    only: ({ before: { commands, files }, cwd }) =>
      !files.has(posix.resolve(cwd, 'vendor/modules.txt')) &&
      !commands.some(({ words }) => /^go (?:get|mod (?:tidy|download|vendor)|work)\b/.test(words.join(' '))),
    fix: 'go mod tidy',
  },
];

const inOtherFolder = / (?:--prefix|--cwd|--dir|--filter|--manifest-path|-C|-w)\b/;

/** A lock file that does not fit, where a command of the build refuses it. */
export function* staleLock(shipment: Shipment, docker: Docker, step: RunCommand): Generator<SeenCause> {
  const command = step.words.join(' ');
  const rule = lockRules.find((each) => each.command.test(command) && each.only?.(step) !== false);
  if (!rule || inOtherFolder.test(command) || step.hasMounts) return;
  const pathOf = (name: string) => step.before.files.get(posix.resolve(step.cwd, name)) ?? '';
  const manifest = pathOf(rule.manifest);
  const text = shipment.read(manifest);
  const lock = lockText(rule, pathOf(rule.lock), step, shipment);
  const [name] = lock === undefined ? [] : namesIn(() => rule.unlocked(text, lock));
  const { does = 'refuses that' } = rule;
  if (name !== undefined)
    yield {
      cause: 'lock-file-outdated',
      severity: rule.does ? 'warning' : 'error',
      captured: { path: rule.lock },
      at: { file: manifest, line: lineWith(text, name) },
      title: `${pathOf(rule.lock) || rule.lock} does not have ${name} as ${manifest} lists it, and ${command} ${does}`,
      why: `${docker.path}:${step.line} runs it`,
      fix: `run ${rule.fix}, and send the lock file that it writes`,
    };
}

/** Without go.sum, nothing is locked; of others, their absence is named elsewhere. */
const lockText = ({ lock }: LockRule, path: string, { before, cwd }: RunCommand, shipment: Shipment) =>
  lock === 'go.sum' && shipment.lacks(before, posix.resolve(cwd, lock)) ? '' : shipment.text(path);

/** What cannot be read is named elsewhere. */
function namesIn(read: () => (string | undefined)[]): string[] {
  try {
    return read().flatMap((each) => each ?? []);
  } catch {
    return [];
  }
}

/** Packages of a `package.json` whose range the lock does not have. Overrides change ranges. */
function unlockedOf(manifest: string, isLocked: (name: string, range: string) => boolean | undefined): string[] {
  const { dependencies, devDependencies } = readJsonc<PackageJson>(manifest) ?? {};
  const all = Object.entries({ ...devDependencies, ...dependencies });
  const isPlain = !/"(?:overrides|resolutions)"/.test(manifest);
  return all.flatMap(([name, range]) => (isPlain && !isLocked(name, range) ? name : []));
}

function byNpm(manifest: string, lock: string): string[] {
  const { packages } = readJsonc<{ packages: Record<string, LockedPackage> }>(lock) ?? {};
  if (!packages) return [];
  return unlockedOf(manifest, (name, range) => {
    const found = packages[`node_modules/${name}`];
    return found && (found.link || fitsRange(found.version ?? '', range));
  });
}

/** Only ranges of versions: other addresses are written in many ways. */
const isRange = (range: string) => /^[\d.^~<>=|\s*xX]+$/.test(range);

interface PnpmProject {
  dependencies?: Record<string, { specifier?: string }>;
  devDependencies?: Record<string, { specifier?: string }>;
}

function byPnpm(manifest: string, lock: string): string[] {
  const read = load(lock) as { importers?: Record<string, PnpmProject> } | undefined;
  const project = read?.importers?.['.'];
  if (!project || /^overrides:/m.test(lock)) return [];
  const { dependencies, devDependencies } = project;
  const locked = { ...devDependencies, ...dependencies };
  return unlockedOf(manifest, (name, range) => locked[name]?.specifier === range);
}

type CargoNeeds = Record<string, string | { package?: string; version?: string }>;
interface CargoProject {
  dependencies?: CargoNeeds;
  'build-dependencies'?: CargoNeeds;
  'dev-dependencies'?: CargoNeeds;
}

function byCargo(manifest: string, lock: string): (string | undefined)[] {
  const read = parse(manifest) as CargoProject;
  const { package: locked = [] } = parse(lock) as { package?: { name: string; version: string }[] };
  const needs = { ...read.dependencies, ...read['build-dependencies'], ...read['dev-dependencies'] };
  return Object.entries(needs).map(([key, need]) => {
    const { package: name = key, version = '' } = typeof need === 'string' ? { version: need } : need;
    const range = version.replaceAll(',', ' ').replace(/^(?=\d)/, '^');
    return locked.some((each) => each.name === name && fitsRange(each.version, range)) ? undefined : name;
  });
}

interface LockedNeed {
  name: string;
  specifier?: string;
}

interface LockedPython {
  package?: {
    name: string;
    version?: string;
    source?: object;
    metadata?: { 'requires-dist'?: LockedNeed[]; 'requires-dev'?: Record<string, LockedNeed[]> };
  }[];
}

/** A package and its bounds, in whatever order they are written. */
const bounded = (name: string, wanted: string) => `${name} ${wanted.replace(/\s/g, '').split(',').toSorted()}`;

/** What the project lists, and did not list so when it was locked, and what it does not list any more. */
function byUv(manifest: string, lock: string): string[] {
  const wanted = projectRequirements(manifest) ?? [];
  const packages = (parse(lock) as LockedPython).package?.filter(({ metadata }) => metadata) ?? [];
  if (packages.length !== 1 || /^dynamic\b/m.test(manifest)) return [];
  const { 'requires-dist': needs = [], 'requires-dev': groups = {} } = packages[0]?.metadata ?? {};
  const locked = [...needs, ...Object.values(groups).flat()];
  const all = new Set(locked.map(({ name, specifier = '' }) => bounded(name, specifier)));
  // Of another source than an index, only the name is known.
  const others = new Set(
    locked.flatMap((each) => (/git|url|path|directory|editable|virtual/.test(`${Object.keys(each)}`) ? each.name : [])),
  );
  return [
    ...wanted.filter(({ name, wanted: bounds }) => !all.has(bounded(name, bounds)) && !others.has(name)),
    ...locked.filter(({ name }) => !wanted.some((each) => each.name === name)),
  ].map(({ name }) => name);
}

/** What the project lists and the lock has not, or in no version that fits. */
function unlockedNames(manifest: string, lock: string, isChecked: boolean): string[] {
  const { package: locked = [] } = parse(lock) as LockedPython;
  // A lock of uv has the project itself.
  if (!isChecked && !locked.some(({ source = {} }) => 'editable' in source || 'virtual' in source)) return [];
  const fits = (version: string, bounds: string) => !isChecked || fitsRange(version, bounds.replaceAll(',', ' '));
  return (projectRequirements(manifest) ?? [])
    .filter(({ name, wanted, isConditional }) => {
      const found = locked.filter((each) => normalizeName(each.name) === name);
      return name !== 'python' && !isConditional && !found.some(({ version = '' }) => fits(version, wanted));
    })
    .map(({ name }) => name);
}

function byPipenv(manifest: string, lock: string): string[] {
  const locked = readJsonc<{ default: object }>(lock)?.default;
  const wanted = projectRequirements(manifest) ?? [];
  return locked ? wanted.map(({ name }) => name).filter((name) => !(name in locked)) : [];
}

/** Modules that `go.mod` requires, by name and version, but those that it replaces. */
function byGo(manifest: string, lock: string): string[] {
  const replaced = [...manifest.matchAll(/^\s*(?:replace\s+)?(\S+)(?:\s+v\S+)?\s+=>/gm)].map(([, name]) => name);
  // Those of others need no sums if nothing imports them.
  const required = [...manifest.matchAll(/^\s*(?:require\s+)?([\w-]+\.[\w./~-]+)\s+(v\d[\w.+-]*)\s*$/gm)];
  const entries = new Set(lock.split('\n').map((line) => line.split(' ', 2).join(' ').replace('/go.mod', '')));
  return required.flatMap(([, name = '', version = '']) =>
    replaced.includes(name) || entries.has(`${name} ${version}`) ? [] : name,
  );
}

/** Whether a version fits a range of npm; true if it cannot be told. A version may have fewer numbers than it has. */
export function fitsRange(version: string, range: string): boolean {
  if (!isRange(range) || !/^\d+(?:\.\d+)*$/.test(version)) return true;
  return range.split('||').some((each) =>
    each
      .trim()
      .replace(/([<>=^~])\s+/g, '$1')
      .split(/\s+/)
      .every((part) => meets(version, part)),
  );
}

function meets(version: string, part: string): boolean {
  const [, operator = '', given = ''] = groupsOf(/^(\^|~>?|[<>]=?|=|)v?(.*)$/, part);
  const numbers = (/^\d+(?:\.\d+)*/.exec(given)?.[0].split('.') ?? []).slice(0, version.split('.').length);
  const bound = numbers.join('.');
  const starts = (count: number) => `${version}.`.startsWith(`${numbers.slice(0, Math.max(1, count)).join('.')}.`);
  const nonZero = numbers.findIndex((each) => each !== '0') + 1;
  if (bound === '') return true;
  const isBelow = isOlder(version, bound);
  const isPart = numbers.length < 3;
  const checks: Readonly<Record<string, boolean>> = {
    '': starts(numbers.length),
    '=': starts(numbers.length),
    '^': !isBelow && starts(nonZero || numbers.length),
    '~': !isBelow && starts(2),
    '~>': !isBelow && starts(numbers.length - 1),
    '>=': !isBelow,
    '>': isPart ? !isBelow : isOlder(bound, version),
    '<': isBelow,
    '<=': isPart || !isOlder(bound, version),
  };
  return checks[operator] ?? true;
}
