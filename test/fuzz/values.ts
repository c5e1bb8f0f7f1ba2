import type { Draw } from '../chaos/draw.js';

/** The parts of a valibot schema that tell which values it accepts. */
interface AnySchema {
  type?: string;
  entries?: Record<string, AnySchema>;
  wrapped?: AnySchema;
  item?: AnySchema;
  value?: AnySchema;
  options?: readonly unknown[];
}

/** A value that the schema mostly accepts. `names` are known values of fields. */
export function validValue(schema: unknown, random: Draw, known: Record<string, unknown>, name = ''): unknown {
  if (Object.hasOwn(known, name)) return known[name];
  const { type, entries, wrapped, item, value, options } = schema as AnySchema;
  if (wrapped) return validValue(wrapped, random, known, name);
  if (entries) {
    const fields = Object.entries(entries).filter(([, field]) => field.type !== 'optional' || random.chance(0.4));
    return Object.fromEntries(fields.map(([key, field]) => [key, validValue(field, random, known, key)]));
  }
  if (type === 'picklist') return random.pick(options ?? []);
  if (type === 'union') return validValue(random.pick(options ?? []), random, known, name);
  if (type === 'array') return item ? [validValue(item, random, known)] : [];
  if (type === 'record') return { KEY: validValue(value, random, known) };
  return { string: 'text', number: 1, boolean: true }[type ?? ''] ?? 'text';
}

const texts = [
  ...[
    '',
    ' ',
    'web',
    'p-12345678-web',
    'default',
    'us-east-1',
    '__proto__',
    'constructor',
    'toString',
    'a\0b',
    '.',
    '..',
  ],
  ...[
    '/',
    '//',
    'a//b',
    'a/../b',
    '\\',
    '%',
    '%00',
    '%ff',
    '*',
    'true',
    'null',
    'undefined',
    'NaN',
    '-1',
    '0',
    '1e400',
  ],
  ...[
    '99999999999999999999',
    '2026-02-30T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '+275760-09-13T00:00:00Z',
  ],
  ...['1969-12-31T23:59:59.999Z', 'Europe/Nowhere', 'UTC', '{"auths":7}', '[]', '<script>', "' OR 1=1", '\r\nX-Odd: 1'],
  ...['\u202egnp.exe', '\ud800', 'é💥', 'x'.repeat(5_000), Buffer.from('line/9/9').toString('base64url')],
];
const numbers = [0, -0, -1, 1, 2, 0.5, 100, 43_201, 2 ** 31, 2 ** 32, 2 ** 53, 1e300, -1e300, 1e-300];

/** A value that hardly any schema accepts. */
export function oddValue(random: Draw, depth = 0): unknown {
  const kind = random.next();
  if (kind < 0.35) return random.pick(texts);
  if (kind < 0.6) return random.pick(numbers);
  if (kind < 0.75 || depth > 2) return random.pick([null, true, false, [], {}]);
  const size = Math.floor(random.next() * 4);
  const items = Array.from({ length: size }, () => oddValue(random, depth + 1));
  return random.chance(0.5) ? items : Object.fromEntries(items.map((item) => [random.pick(texts), item]));
}

export function oddText(random: Draw): string {
  return random.pick(texts);
}

/** Leaves out, replaces or adds fields. */
export function mutate(value: unknown, random: Draw): unknown {
  if (random.chance(0.1)) return oddValue(random);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return random.chance(0.5) ? oddValue(random) : value;
  const entries = Object.entries(value).flatMap(([key, field]): [string, unknown][] => {
    if (random.chance(0.2)) return [];
    return [[key, random.chance(0.4) ? mutate(oddValue(random), random) : field]];
  });
  return Object.fromEntries(random.chance(0.2) ? [...entries, [random.pick(texts), oddValue(random)]] : entries);
}

/** Bodies that are not JSON objects. */
export const oddBodies = [
  ...['', '{', 'null', '[]', '7', '"text"', '{"a":1}x', '{"a":1,"a":2}', '\ufeff{}', '{"__proto__":{"a":1}}'],
  ...['['.repeat(20_000), `{"a":${'9'.repeat(2_000)}}`, `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`],
];
