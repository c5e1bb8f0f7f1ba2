import { size } from '../../output/format.ts';
import { jsonLeaves } from '../replies/index.ts';

/** A volume, as far as its shape is understood. */
export interface VolumeSize {
  name?: string;
  region?: string;
  /** `50 GB` */
  size?: string;
  /** `1.2 GiB` */
  used?: string;
  /** What is said about a volume of unknown shape, every leaf of it, as text. */
  more?: string;
}

/**
 * Reads a list of volumes. Its shape is not documented (docs/platform.md#volumes): it may be a list or an object with
 * one, a size may be in bytes or in GB, in either spelling. Shows a volume without these fields field by field.
 */
export function parseVolumes(answer: unknown): VolumeSize[] {
  return listIn(answer).map((volume) => {
    const facts = new Map(jsonLeaves(volume).map(([path, value]) => [path.toLowerCase().replaceAll('_', ''), value]));
    const amount = (names: string[]) => {
      const name = names.find((each) => facts.has(each) && facts.get(each) !== null);
      return name === undefined ? undefined : amountText(name, facts.get(name));
    };
    const word = (names: string[]) => names.map((name) => facts.get(name)).find((value) => typeof value === 'string');
    const known = {
      name: word(['name', 'volume', 'volumename', 'id']) as string | undefined,
      region: word(['region']) as string | undefined,
      size: amount(['sizegb', 'sizebytes', 'size', 'capacitygb', 'capacity', 'totalbytes', 'total']),
      used: amount(['usedgb', 'usedbytes', 'used', 'usagebytes', 'usage']),
    };
    const isKnown = known.size !== undefined || (known.name !== undefined && known.used !== undefined);
    const told = jsonLeaves(volume).map(([path, value]) => (path ? `${path}=${value}` : String(value)));
    return compact(isKnown ? known : { more: told.join(' ') });
  });
}

/**
 * The size of the volume of a region in GB; undefined where the list does not tell it for certain: a volume without a
 * region in its entry, or a size in another unit.
 */
export function sizeInGigabytes(answer: unknown, region: string): number | undefined {
  const sizes = listIn(answer).flatMap((volume) => {
    const facts = new Map(jsonLeaves(volume).map(([path, value]) => [path.toLowerCase().replaceAll('_', ''), value]));
    const gigabytes = facts.get('sizegb') ?? facts.get('capacitygb');
    return facts.get('region') === region && typeof gigabytes === 'number' ? [gigabytes] : [];
  });
  return sizes.length === 1 ? sizes[0] : undefined;
}

function listIn(answer: unknown): unknown[] {
  if (Array.isArray(answer)) return answer;
  if (typeof answer !== 'object' || answer === null) return [];
  return Object.values(answer).find(Array.isArray) ?? [answer];
}

function amountText(name: string, value: unknown): string {
  if (name.endsWith('gb')) return `${value} GB`;
  return name.endsWith('bytes') && typeof value === 'number' ? size(value) : String(value);
}

function compact(facts: Record<string, string | undefined>): VolumeSize {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}
