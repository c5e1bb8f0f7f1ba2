import { isSpecifier } from '../../app/pip-line.ts';
import { isOlder, isSame, missingWheels, pinnedVersion, releasesIn, satisfies } from '../../app/wheels.ts';
import { groupsOf, lineAt } from '../../kernel/groups.ts';
import { once } from '../../kernel/once.ts';
import { type Look, type LookedApp, lookAtEach } from './looked-app.ts';
import { needsOf, unboundNeedOf } from './package-needs.ts';
import type { Listed } from './packages.ts';
import { releasedVersions, releasesReadOn } from './released-versions.ts';
import { say } from './said.ts';
import type { SeenCause } from './seen-cause.ts';

/** Versions that pip does not find, that contradict each other, or that do not fit the Python of the app. */
export function* lookAtPins(app: LookedApp): Generator<SeenCause> {
  const { listed, constraints } = app.packages;
  yield* lookAtEach([...listed, ...constraints], app, [conflict]);
  yield* lookAtEach(listed, app, [unreadable, localVersion, ...pinLooks.map(ofPin)]);
}

/** A package in one version. */
type Pin = Listed & { version: string };

const ofPin =
  (look: Look<Pin>): Look<Listed> =>
  (listed, app) => {
    const version = pinnedVersion(listed.wanted);
    return version === undefined || listed.isConditional ? undefined : look({ ...listed, version }, app);
  };

/** The lines of a requirements file are looked at with it. */
const unreadable: Look<Listed> = ({ name, wanted, at }, { packages }) => {
  const isLine = packages.lines.some(({ file, line }) => file === at?.file && line === at.line);
  const isTable = at?.setting && /^[\^~]\s*\d/.test(wanted);
  if (isLine || isTable || isSpecifier(wanted)) return undefined;
  // A name of two words has no version that would help.
  const isName = /^\w/.test(wanted);
  const key = at?.setting && !isName ? name : undefined;
  return say('requirement-invalid', { line: `${name}${isName ? ' ' : ''}${wanted}`, key });
};

const localVersion: Look<Listed> = ({ name, wanted }, { packages }) => {
  const [, local] = groupsOf(/\+(\w+)\s*$/, wanted);
  const indexes = packages.indexes();
  const others = indexes.flatMap((each) => groupsOf(/\/whl\/(?:nightly\/)?(cu\d+|cpu|rocm[\d.]+)/, each).slice(1));
  const isThere = indexes.length > others.length || (local !== undefined && others.includes(local));
  if (local === undefined || isThere) return undefined;
  return say('package-version-not-found local', {
    package: name,
    wanted,
    local,
    plain: `${name}${wanted.replace(/\+\w+/, '')}`,
  });
};

/** What one command installs, where no version fits all that is asked of a package. */
const conflict: Look<Listed> = (each, { packages: { listed, constraints } }) => {
  const all = [...listed, ...constraints].filter((bound) => isBound(bound) && isBeside(bound, each));
  const other =
    isBound(each) && all.slice(0, all.indexOf(each) + 1).find(({ wanted }) => contradict(wanted, each.wanted));
  if (!other) return undefined;
  const { name, wanted } = each;
  return say('dependency-conflict', { package: name, wanted, other: other === each ? undefined : other.wanted });
};

const isBound = ({ wanted, isConditional }: Listed) => wanted !== '' && !isConditional;
const isBeside = (a: Listed, b: Listed) => a.name === b.name && a.group === b.group;

/** Whether no version fits both: a pin that the other refuses, or bounds that leave nothing between them. */
function contradict(wanted: string, other: string): boolean {
  const pins = [pinnedVersion(wanted), pinnedVersion(other)];
  if (pins.some((pin, at) => pin !== undefined && !satisfies(pin, at === 0 ? other : wanted))) return true;
  const bounds = (sign: RegExp) => `${wanted},${other}`.split(',').flatMap((part) => sign.exec(part)?.[1] ?? []);
  const [least] = bounds(/^\s*>=?\s*([\d.]+)\s*$/).sort((a, b) => (isOlder(a, b) ? 1 : -1));
  const [most] = bounds(/^\s*<=?\s*([\d.]+)\s*$/).sort((a, b) => (isOlder(a, b) ? -1 : 1));
  return least !== undefined && most !== undefined && isOlder(most, least);
}

/** Whether an index has only versions of a package that PyPI has, too. */
const hasNot = (index: string, name: string) =>
  index.includes('download.pytorch.org') && !/^(?:py)?torch|^(?:triton|xformers|fbgemm|nvidia)/.test(name);

/** What is wrong with a version. */
const pinLooks: readonly Look<Pin>[] = [
  // A version between two that the table of releases has, which it does not have itself.
  ({ name, wanted, version }, { packages }) => {
    const releases = packages.indexes().every((each) => hasNot(each, name)) ? releasesIn(rows().get(name) ?? '') : [];
    const older = releases.findLast((each) => isOlder(each, version));
    const newer = releases.find((each) => isOlder(version, each));
    // One that is newer than all may have been released since the table was made.
    if (older === undefined || newer === undefined || releases.some((each) => isSame(each, version))) return undefined;
    const isSure = seriesOf(newer) === seriesOf(version) || laterSeries(releases, version) >= abandoned;
    const facts = { package: name, wanted, version, day: releasesReadOn, older, newer };
    return say(`package-version-not-found${isSure ? ' never' : ''}`, facts);
  },
  ({ name, version }, { shipment }) => {
    const python = shipment.python();
    const missing = python === undefined ? undefined : missingWheels(name, version, python);
    if (!missing) return undefined;
    const { pythons, source, versions } = missing;
    const facts = { package: name, version, python, pythons: pythons.join(', ') || undefined, source };
    return say('python-version-unsupported wheels', { ...facts, versions: versions?.join(' to ') });
  },
  // An old package beside one that it does not bound, and that has changed since.
  ({ name, version }, { packages }) => {
    const { other = '', bound = '' } = unboundNeedOf(name, version) ?? {};
    const wanted = packages.listed.find((listed) => listed.name === other && listed.wanted !== '')?.wanted;
    if (other === '' || (wanted !== undefined && !contradict(wanted, bound))) return undefined;
    const since = bound.replace('<', '');
    return say('package-api-changed unbound', { package: name, version, other, asked: wanted, bound, since });
  },
  // A Python that is not that of the app.
  ({ name, wanted, version }, { shipment }) => {
    const python = shipment.python();
    const need = needsOf(name, version).find(({ other }) => other === 'python');
    if (python === undefined || !need || satisfies(python, need.bound)) return undefined;
    return say('python-version-unsupported needed', { package: name, wanted, version, bound: need.bound, python });
  },
  // Another version of a package that is pinned, too.
  ({ name, wanted, version, group }, { packages: { listed } }) => {
    const unmet = needsOf(name, version).flatMap(({ other, bound }) => {
      const asked = listed.find((each) => each.name === other && each.group === group)?.wanted;
      return asked !== undefined && contradict(asked, bound) ? [{ other, bound, asked }] : [];
    });
    const [first] = unmet;
    const pin = pinnedVersion(first?.asked ?? '');
    return first && say('dependency-conflict needed', { package: name, wanted, version, pin, ...first });
  },
];

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
  const [wish] = sources.flatMap(([file, pattern]) => wishIn(file, pattern, shipment.read(file)));
  if (python === undefined || !wish || satisfies(python, wish.wanted)) return;
  const { file, wanted, line } = wish;
  const least = shipment.isDocker ? undefined : (/3\.\d+/.exec(wanted)?.[0] ?? wanted);
  const isCertain = shipment.builds(installsProject);
  yield say('python-version-unsupported project', { file, wanted, python, least }, { isCertain, at: { file, line } });
}

function wishIn(file: string, pattern: RegExp, text: string) {
  const match = pattern.exec(text);
  if (!match) return [];
  const [whole, wanted = ''] = match;
  return [{ file, wanted, line: lineAt(text, match.index + whole.lastIndexOf(wanted)) }];
}

/** Tools that refuse another Python. */
const installsProject = /^(?:poetry install|uv sync|pdm (?:install|sync)|hatch|pip[\d.]* install\b.* \.(?:\[|\/|$))/;

/** Old series that still get versions are nearly all the last ones of their major version, such as Django 4.2. */
const abandoned = 4;

function laterSeries(releases: readonly string[], version: string): number {
  const major = `${version.split('.')[0]}.`;
  return new Set(releases.filter((each) => each.startsWith(major) && isOlder(version, each)).map(seriesOf)).size;
}

const seriesOf = (version: string) => /^\d+\.\d+/.exec(version)?.[0];

const rows = once(
  () => new Map(releasedVersions.split('\n').map((row) => [row.split(' ', 1)[0] ?? '', row.replace(/^\S+ /, '')])),
);
