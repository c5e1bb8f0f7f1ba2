import type { TomlValue } from 'smol-toml';

/** Text and lists as TOML writes them. */
export function toToml(value: string | readonly string[]): string {
  return typeof value === 'string' ? JSON.stringify(value) : `[${value.map((item) => toToml(item)).join(', ')}]`;
}

/** Anything that can stand in quotes as it was written: `3.10` becomes `"3.10"`, not `"3.1"`. */
export function quoteAsWritten(value: TomlValue, written: string): string | undefined {
  return typeof value === 'object' && !(value instanceof Date) ? undefined : `"${written}"`;
}

/** `key = value`, the key in quotes unless it is made of letters, digits, `_` and `-`. */
export function tomlAssignment(key: string, value: string | undefined): string | undefined {
  return value === undefined ? undefined : `${tomlKey(key)} = ${value}`;
}

export function tomlKey(name: string): string {
  return /^[\w-]+$/.test(name) ? name : JSON.stringify(name);
}

/** What a value is, for "must be …, and is …". */
export function describeType(value: TomlValue): string {
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Date) return 'a date or time';
  return names[typeof value] ?? 'a table';
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
