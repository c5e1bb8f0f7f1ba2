import { isOlder, isSame } from '../../app/wheels.ts';
import { once } from './once.ts';
import { releasedVersions, releasesReadOn } from './released-versions.ts';

/** A version that lies between two that are known, and is none itself. */
interface Unreleased {
  /** Otherwise it may have been released since the table was made. */
  isSure: boolean;
  nearest: readonly [older: string, newer: string];
  readOn: string;
}

export function unreleased(name: string, version: string): Unreleased | undefined {
  const known = releasesOf(name);
  const older = known.findLast((each) => isOlder(each, version));
  const newer = known.find((each) => isOlder(version, each));
  if (older === undefined || newer === undefined || known.some((each) => isSame(each, version))) return undefined;
  const isGap = seriesOf(newer) === seriesOf(version);
  const isSure = isGap || laterSeries(known, version) >= abandoned;
  return { isSure, nearest: [older, newer], readOn: releasesReadOn };
}

/** Old series that still get versions are nearly all the last ones of their major version, such as Django 4.2. */
const abandoned = 4;

function laterSeries(known: readonly string[], version: string): number {
  const major = `${version.split('.')[0]}.`;
  return new Set(known.filter((each) => each.startsWith(major) && isOlder(version, each)).map(seriesOf)).size;
}

const seriesOf = (version: string) => /^\d+\.\d+/.exec(version)?.[0];

const rows = once(() => new Map(releasedVersions.split('\n').map((row) => [row.split(' ', 1)[0] ?? '', row])));

/** `2.1:0-2,4` has 2.1.0 to 2.1.2, and 2.1.4. */
function releasesOf(name: string): string[] {
  const words = rows().get(name)?.split(' ').slice(1) ?? [];
  return words.flatMap((word) => {
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
