import type { TomlValue } from 'smol-toml';

export function toToml(value: string | readonly string[]): string {
  return typeof value === 'string' ? JSON.stringify(value) : `[${value.map((item) => toToml(item)).join(', ')}]`;
}

/** A scalar value as written, in quotes: `"3.10"` for `3.10`. */
export function quoteAsWritten(value: TomlValue, written: string): string | undefined {
  return typeof value === 'object' && !(value instanceof Date) ? undefined : `"${written}"`;
}

/** `key = value`, with the key in quotes if necessary. */
export function tomlAssignment(key: string, value: string | undefined): string | undefined {
  return value === undefined ? undefined : `${tomlKey(key)} = ${value}`;
}

export function tomlKey(name: string): string {
  return /^[\w-]+$/.test(name) ? name : JSON.stringify(name);
}

/** The type of a value, for "must be …, got …". */
export function describeType(value: TomlValue): string {
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Date) return 'a date or time';
  if (Number.isNaN(value)) return 'nan, which is not a number';
  if (typeof value === 'number' && !Number.isFinite(value)) return 'an infinite number';
  if (typeof value === 'bigint' && !isSafe(value)) return 'one that is too large';
  return names[typeof value] ?? 'a table';
}

/** Whether a number has all of its digits. */
export function isSafe(value: bigint): boolean {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER;
}

export function isTable(value: TomlValue | undefined): value is { [name: string]: TomlValue } {
  return typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date);
}

const names: Partial<Record<string, string>> = {
  string: 'a string',
  bigint: 'a number',
  number: 'a decimal number',
  boolean: 'true or false without quotes',
};
