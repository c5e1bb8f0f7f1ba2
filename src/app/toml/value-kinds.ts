import type { TomlValue } from 'smol-toml';
import { parseArgsStringToArgv } from 'string-argv';
import type { Kind, Kinds } from '../schema-keys.ts';
import { isSafe, quoteAsWritten, toToml } from './format.ts';

interface KindRules<T> {
  /** For messages: "must be …". */
  label: string;
  /** The parsed value; undefined if it is of another kind. Never coerces. */
  parse(value: TomlValue): T | undefined;
  /** What the user probably meant, in TOML. */
  suggest(value: TomlValue, written: string): string | undefined;
  /** Whether a value is empty although the key needs one. */
  isEmpty?(value: T): boolean;
}

/** How each kind of value is parsed, and what to suggest for a value of another kind. */
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
    // Ignores blank entries, which are common: `shell_commands = [""]`.
    parse: (value) => (isStrings(value) ? value.filter((text) => text.trim() !== '') : undefined),
    suggest: (value) => (typeof value === 'string' ? toToml(parseListText(value)) : undefined),
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

/** Parses `"[./*, main.py]"`, an outdated way to write a list; a single entry becomes a list of one. */
function parseListText(text: string): string[] {
  const inner = /^\s*\[(.*)\]\s*$/s.exec(text)?.[1];
  if (inner === undefined) return [text];
  const entries = inner.split(',').map((entry) => entry.trim().replace(/^(["'])(.*)\1$/, '$2'));
  return entries.filter((entry) => entry !== '');
}

export function isStrings(value: TomlValue | undefined): value is string[] {
  return Array.isArray(value) && value.every((element) => typeof element === 'string');
}

function finite(value: TomlValue): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function scalar(value: TomlValue): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}
