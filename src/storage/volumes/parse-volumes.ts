import { defined } from '../../kernel/json-text.ts';
import { size } from '../../kernel/output/format.ts';
import { jsonLeaves } from '../../platform/replies/index.ts';

export interface VolumeSize {
  name?: string;
  region?: string;
  size?: VolumeAmount;
  used?: VolumeAmount;
  /** All fields of a volume of unknown shape, as text. */
  more?: string;
}

export interface VolumeAmount {
  /** `50 GB`, `1.2 GiB`. */
  text: string;
  /** Undefined if the unit is unknown. */
  bytes: number | undefined;
}

/** Undocumented (docs/platform.md#volumes): any common shape and unit. Keeps all fields of an unknown shape. */
export function parseVolumes(reply: unknown): VolumeSize[] {
  return listIn(reply).map((volume) => {
    const facts = factsOf(volume);
    const amount = (names: string[]) => {
      const name = names.find((each) => facts.has(each) && facts.get(each) !== null);
      return name === undefined ? undefined : amountOf(name, facts.get(name));
    };
    const word = (names: string[]) => names.map((name) => facts.get(name)).find((value) => typeof value === 'string');
    const values = {
      name: word(['name', 'volume', 'volumename', 'id']) as string | undefined,
      region: word(['region']) as string | undefined,
      size: amount(['sizegb', 'sizebytes', 'size', 'capacitygb', 'capacity', 'totalbytes', 'total']),
      used: amount(['usedgb', 'usedbytes', 'used', 'usagebytes', 'usage']),
    };
    const isKnown = values.size !== undefined || (values.name !== undefined && values.used !== undefined);
    const fields = jsonLeaves(volume).map(([path, value]) => (path ? `${path}=${value}` : String(value)));
    return defined(isKnown ? values : { more: fields.join(' ') });
  });
}

/** The GB of a region's volume; undefined if the list is ambiguous: no region in the entry, or another unit. */
export function sizeInGigabytes(reply: unknown, region: string): number | undefined {
  const sizes = listIn(reply).flatMap((volume) => {
    const facts = factsOf(volume);
    const gigabytes = facts.get('sizegb') ?? facts.get('capacitygb');
    return facts.get('region') === region && typeof gigabytes === 'number' ? [gigabytes] : [];
  });
  return sizes.length === 1 ? sizes[0] : undefined;
}

function factsOf(volume: unknown): Map<string, unknown> {
  return new Map(jsonLeaves(volume).map(([path, value]) => [path.toLowerCase().replaceAll('_', ''), value]));
}

function listIn(reply: unknown): unknown[] {
  if (Array.isArray(reply)) return reply;
  if (typeof reply !== 'object' || reply === null) return [];
  return Object.values(reply).find(Array.isArray) ?? [reply];
}

function amountOf(name: string, value: unknown): VolumeAmount {
  const number = typeof value === 'number' ? value : undefined;
  if (name.endsWith('gb')) return { text: `${value} GB`, bytes: number && Math.round(number * 1e9) };
  if (name.endsWith('bytes') && number !== undefined) return { text: size(number), bytes: number };
  return { text: String(value), bytes: undefined };
}
