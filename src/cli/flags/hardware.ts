import { InvalidArgumentError } from 'commander';
import { sections } from '../../app/schema.ts';
import { documentedValues } from '../../app/toml/suggestions.ts';

/** `ADA_L4`, `ada-l4`, or `L4` if one accelerator only ends with it. */
export function computeFlag(text: string): string {
  return computeOf(text, sections.hardware.keys.compute.oneOf ?? []);
}

/** `H100`, `HOPPER_H100` or `A10:2`. */
export function gpuFlag(text: string): { name: string; count: number } {
  const [, typed = text, count = '1'] = /^([^:]*)(?::(.*))?$/s.exec(text) ?? [];
  const gpus = (sections.hardware.keys.compute.oneOf ?? []).filter((name) => name !== 'CPU');
  const name = computeOf(typed, gpus);
  if (!/^[1-8]$/.test(count)) throw new InvalidArgumentError(`Expected 1 to 8 of a GPU, such as ${typed}:8.`);
  return { name, count: Number(count) };
}

function computeOf(text: string, gpus: readonly string[]): string {
  const typed = text.toUpperCase().replace(/-/g, '_');
  const [only, ...others] = gpus.filter((name) => name.endsWith(`_${typed}`));
  // `CPU` is one letter away.
  const meant = typed === 'GPU' ? gpus.filter((name) => name !== 'CPU') : gpus;
  return knownValue(only !== undefined && others.length === 0 ? only : typed, 'compute', meant);
}

/** A new app and a run start with what is documented, of which the likely ones come first. A config file may have others. */
export function knownValue(value: string, key: string, values: readonly string[] = []): string {
  if (values.includes(value)) return value;
  const choices = new Set([...documentedValues(key, value, values), ...values]);
  throw new InvalidArgumentError(`Allowed choices are ${[...choices].join(', ')}.`);
}
