import type { TomlValue } from 'smol-toml';
import { parseArgsStringToArgv } from 'string-argv';
import type { Kind, Kinds } from '../key.ts';
import { inToml, quoted } from './written.ts';

interface KindRules<T> {
  /** As a message names it: "must be …". */
  called: string;
  /** The value as the project holds it; undefined when it is not of this kind. Never coerced. */
  take(value: TomlValue): T | undefined;
  /** What the user meant to write, made of what they wrote; undefined when that cannot be told. */
  mend(value: TomlValue, written: string): string | undefined;
  /** Whether a value of this kind says nothing where something has to be said. */
  isEmpty?(value: T): boolean;
}

/** What each kind of value accepts, and how a value of another kind is mended. */
export const kinds: { [K in Kind]: KindRules<Kinds[K]> } = {
  string: {
    called: 'a string',
    take: (value) => (typeof value === 'string' ? value : undefined),
    mend: (value, written) =>
      isStrings(value) && value.length === 1 ? inToml(value[0] ?? '') : quoted(value, written),
  },
  boolean: {
    called: 'true or false',
    take: (value) => (typeof value === 'boolean' ? value : undefined),
    mend: (value) => (typeof value === 'object' ? undefined : booleans.get(String(value).toLowerCase())),
  },
  integer: {
    called: 'a whole number',
    take: (value) => (typeof value === 'bigint' && isSafe(value) ? Number(value) : undefined),
    mend: (value) =>
      /^[+-]?\d{1,15}(\.0*)?$/.test(scalar(value)) ? String(Math.trunc(Number(scalar(value)))) : undefined,
  },
  number: {
    called: 'a number',
    take: (value) => (typeof value === 'bigint' && isSafe(value) ? Number(value) : finite(value)),
    mend: (value) => (/^[+-]?\d{1,15}(\.\d+)?$/.test(scalar(value)) ? scalar(value) : undefined),
  },
  strings: {
    called: 'a list of strings',
    // Blank entries are harmless and common (`shell_commands = [""]`): they mean nothing.
    take: (value) => (isStrings(value) ? value.filter((text) => text.trim() !== '') : undefined),
    mend: (value) => (typeof value === 'string' ? inToml(listed(value)) : undefined),
  },
  compute: {
    called: 'a string or a list of strings',
    take: (value) => (typeof value === 'string' ? [value] : isStrings(value) ? value : undefined),
    mend: quoted,
    isEmpty: (names) => names.length === 0 || names.some((name) => name.trim() === ''),
  },
  command: {
    called: 'a list of strings, or one string',
    take: (value) => (typeof value === 'string' ? parseArgsStringToArgv(value) : isStrings(value) ? value : undefined),
    mend: quoted,
    isEmpty: (parts) => parts.every((part) => part.trim() === ''),
  },
};

const booleans = new Map([
  ...['true', 'yes', 'on', '1'].map((word) => [word, 'true'] as const),
  ...['false', 'no', 'off', '0'].map((word) => [word, 'false'] as const),
]);

/** The old way to write a list, `"[./*, main.py]"`, and a single entry that wants to be a list. */
function listed(text: string): string[] {
  const inner = /^\s*\[(.*)\]\s*$/s.exec(text)?.[1];
  if (inner === undefined) return [text];
  const entries = inner.split(',').map((entry) => entry.trim().replace(/^(["'])(.*)\1$/, '$2'));
  return entries.filter((entry) => entry !== '');
}

function isStrings(value: TomlValue): value is string[] {
  return Array.isArray(value) && value.every((element) => typeof element === 'string');
}

function isSafe(value: bigint): boolean {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER;
}

function finite(value: TomlValue): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function scalar(value: TomlValue): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}
