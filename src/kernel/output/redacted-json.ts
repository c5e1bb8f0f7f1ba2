import { attempt } from '../errors.ts';
import { defineKey, isObject, parseJsonOr, stringifyJson } from '../json-text.ts';
import type { KnownSecrets } from './known-secrets.ts';
import { mayHoldSecret, redact } from './redact.ts';
import { hidden } from './split-secrets.ts';

export { hidden };

/** Redacted JSON of a value. */
export function redactedJson(value: unknown, secrets: KnownSecrets, indent?: number): string {
  const text = stringifyJson(value, indent);
  return mayHoldSecret(text, secrets) ? stringifyJson(redactValue(value, secrets), indent) : text;
}

/** A copy of a JSON value with redacted keys and texts. */
export function redactValue<T>(value: T, secrets: KnownSecrets): T {
  // What is nested too deeply for that is redacted as a text.
  const [copy] = attempt(() => [redactedCopy(value, secrets)]) ?? [
    parseJsonOr(redact(stringifyJson(value), secrets), hidden),
  ];
  return copy as T;
}

function redactedCopy(value: unknown, secrets: KnownSecrets): unknown {
  if (typeof value === 'string') return redact(value, secrets);
  if (!isObject(value)) return value;
  if (Array.isArray(value)) return value.map((inner) => redactedCopy(inner, secrets));
  if ('toJSON' in value && typeof value.toJSON === 'function') return redactedCopy(value.toJSON(), secrets);
  const copy = {};
  for (const [name, inner] of Object.entries(value))
    defineUnique(copy, redact(name, secrets), redactedCopy(inner, secrets));
  return copy;
}

/** A JSON value and its text, in which credentials are hidden by their names, too: `{"apiKey": "abc"}`. */
export function hideCredentials(value: unknown, secrets: KnownSecrets): { value: unknown; text: string } {
  const text = redact(typeof value === 'string' ? value : redactedJson(value, secrets), secrets);
  return { value: parseJsonOr(text, text), text };
}

/** Two keys may be equal once they are redacted. */
function defineUnique(into: object, key: string, value: unknown): void {
  const unique = Object.hasOwn(into, key) ? `${key} (${Object.keys(into).length})` : key;
  defineKey(into, unique, value);
}
