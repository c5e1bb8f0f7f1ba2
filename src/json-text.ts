/** JSON.stringify for any depth: the built-in is recursive and overflows the stack at about 10,000 levels. */
export function stringifyJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value ?? null, null, indent);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return stringifyIteratively(value);
  }
}

/** Undefined if the text is not JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Applies `toJSON`, as dates and URLs have it. */
export function toJsonValue(value: unknown): unknown {
  const object = value as { toJSON?: unknown } | null | undefined;
  return isObject(value) && typeof object?.toJSON === 'function' ? object.toJSON() : value;
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Writes compact JSON. */
function stringifyIteratively(value: unknown): string {
  const parts: string[] = [];
  const stack: (string | { value: unknown })[] = [{ value }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (typeof next === 'string') {
      parts.push(next);
      continue;
    }
    const plain = toJsonValue(next.value);
    if (!isObject(plain)) {
      parts.push(JSON.stringify(plain) ?? 'null');
      continue;
    }
    const isArray = Array.isArray(plain);
    const entries = Object.entries(plain).filter(
      ([, inner]) => isArray || JSON.stringify(isObject(inner) ? 0 : inner) !== undefined,
    );
    parts.push(isArray ? '[' : '{');
    stack.push(isArray ? ']' : '}');
    for (const [at, [name, inner]] of [...entries.entries()].reverse()) {
      stack.push({ value: inner }, `${at > 0 ? ',' : ''}${isArray ? '' : `${JSON.stringify(name)}:`}`);
    }
  }
  return parts.join('');
}
