import type { TomlValue } from 'smol-toml';
import { parseArgsStringToArgv } from 'string-argv';
import type { Kind, Kinds } from '../key.ts';
import { quoteAsWritten, toToml } from './format.ts';

interface KindRules<T> {
  /** As a message names it: "must be …". */
  label: string;
  /** The value as the project holds it; undefined when it is not of this kind. Never coerced. */
  parse(value: TomlValue): T | undefined;
  /** What the user meant to write, made of what they wrote; undefined when that cannot be told. */
  suggest(value: TomlValue, written: string): string | undefined;
  /** Whether a value of this kind says nothing where something has to be said. */
  isEmpty?(value: T): boolean;
}

/** What each kind of value accepts, and how a value of another kind is mended. */
export const valueKinds: { [K in Kind]: KindRules<Kinds[K]> } = {
  string: {
    label: 'a string',
    parse: (value) => (typeof value === 'string' ? value : undefined),
    suggest: (value, written) =>
      isStrings(value) && value.length === 1 ? toToml(value[0] ?? '') : quoteAsWritten(value, written),
  },
  boolean: {
    label: 'true or false',
    parse: (value) => (typeof value === 'boolean' ? value : undefined),
    suggest: (value) => (typeof value === 'object' ? undefined : booleans.get(String(value).toLowerCase())),
  },
  integer: {
    label: 'a whole number',
    parse: (value) => (typeof value === 'bigint' && isSafe(value) ? Number(value) : undefined),
    suggest: (value) =>
      /^[+-]?\d{1,15}(\.0*)?$/.test(scalar(value)) ? String(Math.trunc(Number(scalar(value)))) : undefined,
  },
  number: {
    label: 'a number',
    parse: (value) => (typeof value === 'bigint' && isSafe(value) ? Number(value) : finite(value)),
    suggest: (value) => (/^[+-]?\d{1,15}(\.\d+)?$/.test(scalar(value)) ? scalar(value) : undefined),
  },
  strings: {
    label: 'a list of strings',
    // Blank entries are harmless and common (`shell_commands = [""]`): they mean nothing.
    parse: (value) => (isStrings(value) ? value.filter((text) => text.trim() !== '') : undefined),
    suggest: (value) => (typeof value === 'string' ? toToml(listed(value)) : undefined),
  },
  compute: {
    label: 'a string or a list of strings',
    parse: (value) => (typeof value === 'string' ? [value] : isStrings(value) ? value : undefined),
    suggest: quoteAsWritten,
    isEmpty: (names) => names.length === 0 || names.some((name) => name.trim() === ''),
  },
  command: {
    label: 'a list of strings, or one string',
    parse: (value) => (typeof value === 'string' ? parseArgsStringToArgv(value) : isStrings(value) ? value : undefined),
    suggest: quoteAsWritten,
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
