import * as v from 'valibot';
import { isObject, isRecord, JsonNumber, parseJson, stringifyJson } from '../../kernel/json-text.ts';
import { anything, boolean, list, number, type Shape, text } from '../../kernel/shape.ts';

/**
 * Fields of replies. Null is the same as absent, numbers may be text and text may be a number, and an unexpected value
 * never fails a reply. Required fields are named by `replyObject` and `listOf` in lists.ts.
 */
export const maybe = {
  text: orAbsent<string, string>(asText),
  number: orAbsent<number | string, number>(asNumber),
  /** A price, a cost or a duration: what is negative is unknown. */
  amount: orAbsent<number | string, number>((value) => amountOf(value) ?? null),
  boolean: orAbsent<boolean | string, boolean>(asFlag),
  /** An RFC 3339 time in UTC. The server sends `""` or the year 1 for "no time": both are absent. */
  time: orAbsent<string | number, string>(asTime),
  texts: orAbsent<string[], string[]>(asTexts),
  /** Numbers in order; null for a gap. */
  numbers: orAbsent<(number | string | null)[], (number | null)[]>((value) =>
    Array.isArray(value) ? value.map(asNumber) : null,
  ),
  /** Items of unknown format. A value that is not a list becomes a list of one; null is a list without items. */
  items: v.nullish(reader<unknown[], unknown[]>((value) => (Array.isArray(value) ? value : [value]))),
  record: orAbsent<Record<string, unknown>, Record<string, unknown>>((value) => (isRecord(value) ? value : null)),
  /** A secret is text. Other types are rejected, so that none is stored or sent as a secret. */
  secret: orAbsent<string, string>((value) => asSecret(value) || null),
};
export const booleanOrFalse = v.nullish(
  reader<boolean | string, boolean>((value) => asFlag(value) ?? false),
  false,
);
export const secretOrEmpty = v.nullish(reader<string, string>(asSecret), '');
export const textOrEmpty = v.nullish(reader<string, string>(asText), '');
export const numberOrNaN = v.nullish(
  reader<number | string, number>((value) => asNumber(value) ?? Number.NaN),
  Number.NaN,
);

const jsonTypes = new Map<unknown, (description: string) => Shape<never>>([
  ...[maybe.number, maybe.amount].map((each) => [each, number] as const),
  ...[maybe.record, maybe.items].map((each) => [each, anything] as const),
  [maybe.boolean, boolean],
  [maybe.texts, (description) => list(text(''), description)],
]);

/** A field with what the help says of it. The platform is known to use its type, but nobody promises it. */
export function described<Schema extends object>(
  schema: Schema,
  description: string,
): Schema & { described: Shape<never> } {
  return { ...schema, described: jsonTypes.get(schema)?.(description) ?? text(description) };
}

/** Known values for the type; others are accepted, because the server may be newer. */
export function optionalEnum<const Word extends string>(..._known: Word[]) {
  return orAbsent<Word | (string & {}), Word | (string & {})>(asText);
}

/** Like {@link optionalEnum}, but empty if absent. */
export function enumOrEmpty<const Word extends string>(..._known: Word[]) {
  return v.nullish(reader<Word | (string & {}), Word | (string & {})>(asText), '');
}

/** Whether a value of `textOrEmpty`, `enumOrEmpty` or `numberOrNaN` is absent. */
export function isMissing(value: unknown): boolean {
  return value === '' || value === undefined || value === null || Number.isNaN(value);
}

/** Undefined for null, and for what cannot be read: nobody has to tell apart what the platform does not. */
function orAbsent<Wire, Value>(read: (value: unknown) => Value | null) {
  return v.optional(
    reader<Wire | null, Value | undefined>((value) => (value === null ? undefined : (read(value) ?? undefined))),
  );
}

/** A schema that accepts and converts any value; `Wire` is what the server is known to send. */
function reader<Wire, Value>(read: (value: unknown) => Value) {
  return v.pipe(v.unknown(), v.transform(read)) as unknown as v.GenericSchema<Wire, Value>;
}

/** A number whose digits JavaScript cannot keep is its text. */
function plain(value: unknown): unknown {
  if (!(value instanceof JsonNumber)) return value;
  const number = value.valueOf();
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : value.text;
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  return isObject(value) || value === null ? stringifyJson(value) : String(value);
}

const decimal = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;

/** Null for a number that would become another one, such as 9007199254740993, and for text like `0x10`. */
function asNumber(value: unknown): number | null {
  const read = plain(value);
  const number = typeof read === 'string' && decimal.test(read) ? Number(read) : read;
  if (typeof number !== 'number' || !Number.isFinite(number)) return null;
  return read === number || Math.abs(number) <= Number.MAX_SAFE_INTEGER || String(number) === read ? number : null;
}

/** A price, a cost or a duration of a reply whose fields are not documented; undefined if it is none. */
export function amountOf(value: unknown): number | undefined {
  const amount = asNumber(value);
  return amount !== null && amount >= 0 ? amount : undefined;
}

function asFlag(value: unknown): boolean | null {
  const word = asText(plain(value)).toLowerCase();
  if (word === 'true' || word === '1') return true;
  return word === 'false' || word === '0' ? false : null;
}

function asTime(sent: unknown): string | null {
  const value = plain(sent);
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  if (value === '' || String(value).startsWith('0001-01-01')) return null;
  const time = /^\d{9,14}(\.\d+)?$/.test(String(value)) ? unixTime(Number(value)) : parsedTime(String(value));
  const isTime = Math.abs(time) <= maxTimeMs;
  return isTime ? new Date(time).toISOString() : String(value);
}

/** In milliseconds since 1970. A time without a zone is in UTC. */
function parsedTime(text: string): number {
  const isZoneless = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text);
  return Date.parse(isZoneless ? `${text.replace(' ', 'T')}Z` : text);
}

/** From seconds or milliseconds since 1970, distinguished by size. */
export function unixTime(value: number): number {
  return value < 100_000_000_000 ? value * 1000 : value;
}

const maxTimeMs = 8.64e15;

function asSecret(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function asTexts(value: unknown): string[] | null {
  if (Array.isArray(value)) return value.map(asText);
  return typeof value === 'string' && value !== '' ? [value] : null;
}

/** A boolean in a query string. */
export const queryBoolean = v.pipe(
  v.union([v.boolean(), v.picklist(['true', 'false'])], 'must be true or false'),
  v.transform((value) => value === true || value === 'true'),
);

/** A whole number in a query string. */
export function queryNumber(min: number) {
  return v.pipe(
    v.union([v.number(), v.pipe(v.string(), v.regex(/^-?\d+$/, 'must be a whole number'), v.transform(Number))]),
    v.minValue(min, `must be ${min} or more`),
  );
}

/** JSON of the platform, as text. Numbers keep their digits. */
export const jsonText = v.pipe(
  v.string(),
  v.rawTransform(({ dataset, addIssue, NEVER }): unknown => {
    try {
      return parseJson(dataset.value);
    } catch {
      addIssue({ message: 'is not JSON' });
      return NEVER;
    }
  }),
);

/** A file in a multipart body. `type` is its media type. */
export const FilePart = v.object({ filename: v.string(), type: v.string(), content: v.instance(Uint8Array) });
export type FilePart = v.InferOutput<typeof FilePart>;
