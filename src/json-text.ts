/** JSON text of any value. The engine's own writer calls itself for each level: 10,000 levels overflow its stack. */
export function stringifyJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value ?? null, null, indent);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return nestedText(value);
  }
}

/** Dates and URLs say themselves how they look in JSON. */
export function toJsonValue(value: unknown): unknown {
  const own = value as { toJSON?: unknown } | null | undefined;
  return isObject(value) && typeof own?.toJSON === 'function' ? own.toJSON() : value;
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
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
    const plain = toJsonValue(next.value);
    if (!isObject(plain)) {
      parts.push(JSON.stringify(plain) ?? 'null');
      continue;
    }
    const list = Array.isArray(plain);
    const entries = Object.entries(plain).filter(
      ([, inner]) => list || JSON.stringify(isObject(inner) ? 0 : inner) !== undefined,
    );
    parts.push(list ? '[' : '{');
    work.push(list ? ']' : '}');
    for (const [at, [name, inner]] of [...entries.entries()].reverse()) {
      work.push({ value: inner }, `${at > 0 ? ',' : ''}${list ? '' : `${JSON.stringify(name)}:`}`);
    }
  }
  return parts.join('');
}
