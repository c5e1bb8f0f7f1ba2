import { defineKey, isObject, parseJsonOr, stringifyJson, toJsonValue } from '../json-text.ts';
import type { KnownSecrets } from './known-secrets.ts';
import { mayHoldSecret, redact } from './redact.ts';

export { hidden } from './split-secrets.ts';

/** Redacted JSON of a value. Values nested too deeply ignore `indent`. */
export function redactedJson(value: unknown, secrets: KnownSecrets, indent?: number): string {
  const text = stringifyJson(value, indent);
  return mayHoldSecret(text, secrets) ? stringifyJson(redactValue(value, secrets), indent) : text;
}

/** A copy of a JSON value with redacted keys and texts. */
export function redactValue<T>(value: T, secrets: KnownSecrets): T {
  const result: { copy?: unknown } = {};
  const stack: PendingCopy[] = [{ value, key: 'copy', into: result }];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const plain = toJsonValue(next.value);
    const copy =
      typeof plain === 'string' ? redact(plain, secrets) : isObject(plain) ? (Array.isArray(plain) ? [] : {}) : plain;
    defineUnique(next.into, next.key, copy);
    if (!isObject(plain)) continue;
    const children = Object.entries(plain).map(([name, inner]) => ({
      value: inner,
      key: Array.isArray(plain) ? name : redact(name, secrets),
      into: copy as object,
    }));
    for (const child of children.reverse()) stack.push(child);
  }
  return result.copy as T;
}

/** A JSON value and its text, in which credentials are hidden by their names, too: `{"apiKey": "abc"}`. */
export function hideCredentials(value: unknown, secrets: KnownSecrets): { value: unknown; text: string } {
  const text = redact(typeof value === 'string' ? value : redactedJson(value, secrets), secrets);
  return { value: parseJsonOr(text, text), text };
}

interface PendingCopy {
  value: unknown;
  key: string;
  into: object;
}

/** Two keys may be equal once they are redacted. */
function defineUnique(into: object, key: string, value: unknown): void {
  const unique = Object.hasOwn(into, key) && !Array.isArray(into) ? `${key} (${Object.keys(into).length})` : key;
  defineKey(into, unique, value);
}
