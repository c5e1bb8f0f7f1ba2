import { isSpecifier } from '../../app/pip-line.ts';
import { isOlder, isSame, missingWheels, pinnedVersion, releasesIn, satisfies } from '../../app/wheels.ts';
import { once } from '../../kernel/once.ts';
import { groupsOf, lineAt } from '../groups.ts';
import type { LookedApp } from './looked-app.ts';
import { type Need, needsOf } from './package-needs.ts';
import type { Listed, Packages } from './packages.ts';
import { releasedVersions, releasesReadOn } from './released-versions.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';
import { looseNeeds } from './tables.ts';

/** Versions that pip does not find, that contradict each other, or that do not fit the Python of the app. */
export function* lookAtPins({ shipment, packages }: LookedApp): Generator<SeenCause> {
  yield* conflicts(packages);
  const indexes = otherIndexes(shipment, packages);
  for (const listed of packages.listed) {
    const version = pinnedVersion(listed.wanted);
    yield* unreadable(listed, packages);
    yield* localVersion(listed, indexes);
    if (version === undefined || listed.isConditional) continue;
    if (indexes.every((each) => hasNot(each, listed))) yield* neverReleased(listed, version);
    yield* withoutWheels(shipment, listed, version);
    yield* loose(packages, listed, version);
    yield* unmet(shipment, packages, listed, version);
  }
}

/** Where packages are looked for, besides PyPI. */
export const otherIndexes = (shipment: Shipment, { lines }: Packages): string[] => [
  ...lines.flatMap(({ text }) => (/^(?:-i|-f|--(?:extra-)?index-url|--find-links)\b/.test(text) ? text : [])),
  ...shipment.buildTexts().filter((text) => /index-url|find-links/.test(text)),
];

/** The lines of a requirements file are looked at with it. */
function* unreadable({ name, wanted, at }: Listed, { lines }: Packages): Generator<SeenCause> {
  const isLine = lines.some(({ file, line }) => file === at?.file && line === at.line);
  const isTable = at?.setting && /^[\^~]\s*\d/.test(wanted);
  if (isLine || isTable || isSpecifier(wanted)) return;
  const line = `${name}${wanted}`;
  yield {
    cause: 'requirement-invalid',
    severity: 'error',
    captured: { line },
    at,
    why: `pip cannot read "${line}"`,
    fix: at?.setting ? `${name} = "latest"` : undefined,
  };
}

function* localVersion({ name, wanted, at }: Listed, indexes: readonly string[]): Generator<SeenCause> {
  const [, local = ''] = groupsOf(/\+(\w+)\s*$/, wanted);
  const others = indexes.flatMap((each) => groupsOf(/\/whl\/(?:nightly\/)?(cu\d+|cpu|rocm[\d.]+)/, each).slice(1));
  const isThere = indexes.length > 0 && (others.length < indexes.length || others.includes(local));
  if (local === '' || isThere) return;
  yield {
    cause: 'package-version-not-found',
    severity: 'error',
    captured: { package: name, wanted },
    at,
    why: `builds with +${local} are on an index of their own`,
    fix: `pin ${name}${wanted.replace(/\+\w+/, '')}, or list --extra-index-url https://download.pytorch.org/whl/${local} in a requirements file`,
  };
}

/** What one command installs, where no version fits all that is asked of a package. */
function* conflicts({ listed, constraints }: Packages): Generator<SeenCause> {
  const all = [...listed, ...constraints].filter(({ wanted, isConditional }) => wanted !== '' && !isConditional);
  for (const [index, each] of all.entries()) {
    const before = all.slice(0, index + 1).filter(({ name, group }) => name === each.name && group === each.group);
    const other = before.find(({ wanted }) => contradict(wanted, each.wanted));
    if (!other) continue;
    const why =
      other === each
        ? `no version of ${each.name} is ${each.wanted}`
        : `${each.name} is bound to ${other.wanted} and to ${each.wanted}`;
    yield { cause: 'dependency-conflict', severity: 'error', at: each.at, why };
  }
}

/** Whether no version fits both: a pin that the other refuses, or bounds that leave nothing between them. */
function contradict(one: string, other: string): boolean {
  const pins = [pinnedVersion(one), pinnedVersion(other)];
  if (pins.some((pin, at) => pin !== undefined && !satisfies(pin, at === 0 ? other : one))) return true;
  const bounds = (sign: RegExp) => `${one},${other}`.split(',').flatMap((part) => sign.exec(part)?.[1] ?? []);
  const [least] = bounds(/^\s*>=?\s*([\d.]+)\s*$/).sort((a, b) => (isOlder(a, b) ? 1 : -1));
  const [most] = bounds(/^\s*<=?\s*([\d.]+)\s*$/).sort((a, b) => (isOlder(a, b) ? -1 : 1));
  return least !== undefined && most !== undefined && isOlder(most, least);
}

/** Whether an index has only versions of a package that PyPI has, too. */
const hasNot = (index: string, { name }: Listed) =>
  index.includes('download.pytorch.org') && !/^(?:py)?torch|^(?:triton|xformers|fbgemm|nvidia)/.test(name);

/** A version between two that the table of releases has, which it does not have itself. */
function* neverReleased({ name, wanted, at }: Listed, version: string): Generator<SeenCause> {
  const known = releasesIn(rows().get(name) ?? '');
  const older = known.findLast((each) => isOlder(each, version));
  const newer = known.find((each) => isOlder(version, each));
  // One that is newer than all may have been released since the table was made.
  if (older === undefined || newer === undefined || known.some((each) => isSame(each, version))) return;
  const isSure = seriesOf(newer) === seriesOf(version) || laterSeries(known, version) >= abandoned;
  yield {
    cause: 'package-version-not-found',
    severity: isSure ? 'error' : 'warning',
    captured: { package: name, wanted },
    at,
    why: isSure ? `${name} ${version} was never released` : `${name} ${version} was not released by ${releasesReadOn}`,
    fix: `use ${name} ${older} or ${newer}`,
  };
}

function* withoutWheels(shipment: Shipment, { name, at }: Listed, version: string): Generator<SeenCause> {
  const python = shipment.python();
  const missing = python === undefined ? undefined : missingWheels(name, version, python);
  if (!missing) return;
  yield {
    cause: 'python-version-unsupported',
    captured: { package: name },
    at,
    title: `${name} ${version} has no wheels for Python ${python}`,
    why: `it has them for Python ${missing.pythons.join(', ') || 'none that is offered'} (${missing.source})`,
    fix: missing.versions
      ? `use ${name} ${missing.versions.join(' to ')}`
      : 'name the URL of a wheel: without one, the build compiles it, and fails if a compiler is missing',
  };
}

/** An old package beside one that it does not bound, and that has changed since. */
function* loose({ listed }: Packages, { name, at }: Listed, version: string): Generator<SeenCause> {
  const rule = looseNeeds.find((each) => each.package === name && isBetween(version, each));
  const { other = '', bound = '' } = rule ?? {};
  const wanted = listed.find((one) => one.name === other && one.wanted !== '')?.wanted;
  if (!rule || (wanted !== undefined && !contradict(wanted, bound))) return;
  yield {
    cause: 'package-api-changed',
    at,
    title: `${name} ${version} does not work with ${wanted === undefined ? `the ${other} that pip installs beside it` : other + wanted}`,
    why: `it was released before ${other} ${bound.replace('<', '')}, and does not bound it`,
    fix: `write ${other}${bound}, or use a newer ${name}`,
  };
}

const isBetween = (version: string, { since = '0', until }: (typeof looseNeeds)[number]) =>
  isOlder(version, until) && !isOlder(version, since);

/** A pin that needs another Python, or another version of a package that is pinned too. */
function* unmet(
  shipment: Shipment,
  { listed }: Packages,
  { name, wanted, at, group }: Listed,
  version: string,
): Generator<SeenCause> {
  const wantedOf = (other: string) =>
    other === 'python' ? shipment.python() : listed.find((each) => each.name === other && each.group === group)?.wanted;
  const need = needsOf(name, version).find(({ other, bound }) => {
    const wanted = wantedOf(other);
    return wanted !== undefined && (other === 'python' ? !satisfies(wanted, bound) : contradict(wanted, bound));
  });
  if (need)
    yield {
      severity: 'error',
      captured: { package: name, wanted },
      at,
      ...saidOf(`${name} ${version}`, need, wantedOf(need.other)),
    };
}

function saidOf(pinned: string, { other, bound }: Need, wants = ''): Pick<SeenCause, 'cause' | 'why' | 'fix'> {
  const [name] = pinned.split(' ');
  const start = `${pinned} needs`;
  if (other === 'python')
    return {
      cause: 'python-version-unsupported',
      why: `${start} Python ${bound}, and the app runs on ${wants}`,
      fix: `set a Python ${bound}, or use an older ${name}`,
    };
  const pin = pinnedVersion(wants);
  return {
    cause: 'dependency-conflict',
    why: `${start} ${other}${bound}, and ${pin ? `the pin is ${pin}` : `what is asked is ${wants}`}`,
    fix: `pin ${other} to ${bound}, or use another ${name}`,
  };
}

/** Where projects and lock files say which Python they are for. */
const sources: readonly (readonly [file: string, wanted: RegExp])[] = [
  ['pyproject.toml', /^requires-python\s*=\s*["']([^"']+)["']/m],
  ['pyproject.toml', /^\[tool\.poetry\.dependencies\][^[]*?^python\s*=\s*["']([^"']+)["']/ms],
  ['uv.lock', /^requires-python\s*=\s*"([^"]+)"/m],
  ['poetry.lock', /^python-versions\s*=\s*"([^"]+)"\s*\ncontent-hash/m],
  ['Pipfile.lock', /"python_version":\s*"([\d.]+)"/],
  ['Pipfile', /^python_version\s*=\s*"([\d.]+)"/m],
];

/** The Python that the project wants, against that of the image: the first file that tells it. */
export function* lookAtPythonVersion({ shipment }: LookedApp): Generator<SeenCause> {
  const python = shipment.python();
  if (python === undefined) return;
  for (const [file, pattern] of sources) {
    const text = shipment.text(file);
    const match = text === undefined ? undefined : pattern.exec(text);
    if (!match || text === undefined) continue;
    const [whole, wanted = ''] = match;
    if (satisfies(python, wanted)) return;
    const line = lineAt(text, match.index + whole.lastIndexOf(wanted));
    yield {
      cause: 'python-version-unsupported',
      severity: shipment.builds(installsProject) ? 'error' : 'warning',
      at: { file, line },
      title: `${file} wants Python ${wanted}, and the app runs on ${python}`,
      fix: shipment.isDocker
        ? 'use an image with that Python, or change it here'
        : `python_version = "${leastOf(wanted)}"`,
    };
    return;
  }
}

const leastOf = (wanted: string) => /3\.\d+/.exec(wanted)?.[0] ?? wanted;

/** Tools that refuse another Python. */
const installsProject = /^(?:poetry install|uv sync|pdm (?:install|sync)|hatch|pip[\d.]* install\b.* \.(?:\[|\/|$))/;

/** Old series that still get versions are nearly all the last ones of their major version, such as Django 4.2. */
const abandoned = 4;

function laterSeries(known: readonly string[], version: string): number {
  const major = `${version.split('.')[0]}.`;
  return new Set(known.filter((each) => each.startsWith(major) && isOlder(version, each)).map(seriesOf)).size;
}

const seriesOf = (version: string) => /^\d+\.\d+/.exec(version)?.[0];

const rows = once(
  () => new Map(releasedVersions.split('\n').map((row) => [row.split(' ', 1)[0] ?? '', row.replace(/^\S+ /, '')])),
);
