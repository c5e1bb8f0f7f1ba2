import { InvalidArgumentError } from 'commander';
import { sections } from '../../app/schema.ts';
import { documentedValues } from '../../app/toml/suggestions.ts';

/** `ADA_L4`, `ada-l4`, or `L4` if one accelerator only ends with it. */
export function computeFlag(text: string): string {
  return computeOf(text, sections.hardware.keys.compute.oneOf ?? []);
}

/** `H100`, `HOPPER_H100` or `A10:2`. */
export function gpuFlag(text: string): { name: string; count: number } {
  const [, typed = text, count = '1'] = /^([\w-]+?)(?::([1-8]))?$/.exec(text) ?? [];
  const known = (sections.hardware.keys.compute.oneOf ?? []).filter((name) => name !== 'CPU');
  return { name: computeOf(typed, known), count: Number(count) };
}

function computeOf(text: string, known: readonly string[]): string {
  const typed = text.toUpperCase().replace(/-/g, '_');
  const [only, ...others] = known.filter((name) => name.endsWith(`_${typed}`));
  // `CPU` is one letter away.
  const meant = typed === 'GPU' ? known.filter((name) => name !== 'CPU') : known;
  return knownValue(only !== undefined && others.length === 0 ? only : typed, 'compute', meant);
}

/** A new app and a run start with what is documented, of which the likely ones come first. A config file may have others. */
export function knownValue(value: string, key: string, known: readonly string[] = []): string {
  if (known.includes(value)) return value;
  const choices = new Set([...documentedValues(key, value, known), ...known]);
  throw new InvalidArgumentError(`Allowed choices are ${[...choices].join(', ')}.`);
}
