import { isObject, stringifyJson, toJsonValue } from '../json-text.ts';
import type { KnownSecrets } from './known-secrets.ts';
import { mayHoldSecret, redact } from './redact.ts';

/** JSON text of a value without the secrets in it. `indent` is for people; what is nested too deep for it is one line. */
export function redactedJson(value: unknown, secrets: KnownSecrets, indent?: number): string {
  const text = stringifyJson(value, indent);
  return mayHoldSecret(text, secrets) ? stringifyJson(redactValue(value, secrets), indent) : text;
}

/** A copy of what JSON would show of a value, in which no key and no text holds a secret. */
export function redactValue<T>(value: T, secrets: KnownSecrets): T {
  const result: { copy?: unknown } = {};
  const work: Work[] = [{ value, key: 'copy', into: result }];
  for (let next = work.pop(); next; next = work.pop()) {
    const plain = toJsonValue(next.value);
    const copy = typeof plain === 'string' ? redact(plain, secrets) : isObject(plain) ? emptyLike(plain) : plain;
    place(next.into, next.key, copy);
    if (!isObject(plain)) continue;
    const children = Object.entries(plain).map(([name, inner]) => ({
      value: inner,
      key: Array.isArray(plain) ? name : redact(name, secrets),
      into: copy as object,
    }));
    for (const child of children.reverse()) work.push(child);
  }
  return result.copy as T;
}

interface Work {
  value: unknown;
  key: string;
  into: object;
}

/** Plain assignment would lose a key called `__proto__`. */
function place(into: object, key: string, value: unknown): void {
  const free = Object.hasOwn(into, key) && !Array.isArray(into) ? `${key} (${Object.keys(into).length})` : key;
  Object.defineProperty(into, free, { value, writable: true, enumerable: true, configurable: true });
}

function emptyLike(value: object): object {
  return Array.isArray(value) ? [] : {};
}
