/** A type of Go, for `decodeJson`. */
export type GoType =
  | 'string'
  | 'bool'
  | 'int'
  | 'float'
  /** `time.Time`: an RFC 3339 text. */
  | 'time'
  /** Like `time`, but an empty text is no time. */
  | 'nullable-time'
  /** A number, or a number as text; an empty text is none. */
  | 'metric'
  | { slice: GoType }
  | { map: GoType }
  | { struct: Record<string, GoType> };

/**
 * Decodes JSON as Go's encoding/json does: an unknown field is dropped, null and an absent field leave the zero value,
 * names match in any case, and any other type is an error.
 */
export function decodeJson(type: GoType, text: string, path = 'reply'): unknown {
  return decode(type, JSON.parse(text), path);
}

function decode(type: GoType, value: unknown, path: string): unknown {
  if (value === null || value === undefined) return zeroOf(type);
  if (typeof type === 'string') return scalars[type](value, path);
  if ('slice' in type) {
    if (!Array.isArray(value)) return mismatch(value, 'a slice', path);
    return value.map((item, index) => decode(type.slice, item, `${path}[${index}]`));
  }
  if (typeof value !== 'object' || Array.isArray(value)) return mismatch(value, 'an object', path);
  if ('map' in type) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, decode(type.map, item, `${path}.${key}`)]),
    );
  }
  const sent = new Map(Object.entries(value).map(([key, item]) => [key.toLowerCase(), item]));
  return Object.fromEntries(
    Object.entries(type.struct).map(([key, field]) => [
      key,
      decode(field, sent.get(key.toLowerCase()), `${path}.${key}`),
    ]),
  );
}

const scalars: Record<Extract<GoType, string>, (value: unknown, path: string) => unknown> = {
  string: (value, path) => (typeof value === 'string' ? value : mismatch(value, 'string', path)),
  bool: (value, path) => (typeof value === 'boolean' ? value : mismatch(value, 'bool', path)),
  int: (value, path) => (Number.isSafeInteger(value) ? value : mismatch(value, 'int', path)),
  float: (value, path) => (typeof value === 'number' ? value : mismatch(value, 'float64', path)),
  time: parseTime,
  'nullable-time': (value, path) => (value === '' ? null : parseTime(value, path)),
  metric: (value, path) => {
    if (value === '' || /^[+-]?(nan|inf)$/i.test(String(value))) return null;
    const number = Number(value);
    return Number.isFinite(number) ? number : mismatch(value, 'a metric', path);
  },
};

/** `time.RFC3339`, which also accepts a fraction. */
const rfc3339Text = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

function parseTime(value: unknown, path: string): number {
  if (typeof value !== 'string' || !rfc3339Text.test(value)) return mismatch(value, 'time.Time', path);
  return Date.parse(value);
}

function zeroOf(type: GoType): unknown {
  if (typeof type === 'object') return 'slice' in type ? [] : 'map' in type ? {} : decode(type, {}, '');
  return { string: '', bool: false, int: 0, float: 0, time: null, 'nullable-time': null, metric: null }[type];
}

function mismatch(value: unknown, wanted: string, path: string): never {
  throw new TypeError(`json: cannot unmarshal ${JSON.stringify(value)} into ${wanted} at ${path}`);
}
