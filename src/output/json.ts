import type { KnownSecrets } from './known-secrets.ts';
import { mayHoldSecret, redact } from './redact.ts';

/** JSON text of a value without the secrets in it. `indent` is for people; what is nested too deep for it is one line. */
export function safeJson(value: unknown, secrets: KnownSecrets, indent?: number): string {
  const text = jsonText(value, indent);
  return mayHoldSecret(text, secrets) ? jsonText(withoutSecrets(value, secrets), indent) : text;
}

/** JSON text of any value. The engine's own writer calls itself for each level: 10,000 levels overflow its stack. */
export function jsonText(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value ?? null, null, indent);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return nestedText(value);
  }
}

/** A copy of what JSON would show of a value, in which no key and no text holds a secret. */
export function withoutSecrets<T>(value: T, secrets: KnownSecrets): T {
  const result: { copy?: unknown } = {};
  const work: Work[] = [{ value, key: 'copy', into: result }];
  for (let next = work.pop(); next; next = work.pop()) {
    const plain = inJson(next.value);
    const copy = typeof plain === 'string' ? redact(plain, secrets) : isNested(plain) ? emptyLike(plain) : plain;
    place(next.into, next.key, copy);
    if (!isNested(plain)) continue;
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

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Dates and URLs say themselves how they look in JSON. */
function inJson(value: unknown): unknown {
  const own = value as { toJSON?: unknown } | null | undefined;
  return isNested(value) && typeof own?.toJSON === 'function' ? own.toJSON() : value;
}

/** Writes JSON on one line with a stack of its own. */
function nestedText(value: unknown): string {
  const parts: string[] = [];
  const work: (string | { value: unknown })[] = [{ value }];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    if (typeof next === 'string') {
      parts.push(next);
      continue;
    }
    const plain = inJson(next.value);
    if (!isNested(plain)) {
      parts.push(JSON.stringify(plain) ?? 'null');
      continue;
    }
    const list = Array.isArray(plain);
    const entries = Object.entries(plain).filter(
      ([, inner]) => list || JSON.stringify(isNested(inner) ? 0 : inner) !== undefined,
    );
    parts.push(list ? '[' : '{');
    work.push(list ? ']' : '}');
    for (const [at, [name, inner]] of [...entries.entries()].reverse()) {
      work.push({ value: inner }, `${at > 0 ? ',' : ''}${list ? '' : `${JSON.stringify(name)}:`}`);
    }
  }
  return parts.join('');
}
