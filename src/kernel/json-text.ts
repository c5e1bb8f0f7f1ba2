import { attempt } from './errors.ts';

/**
 * JSON of users, apps and the platform keeps its numbers as they were written: `JSON.parse` makes 9223372036854775807 another number,
 * 1e400 null and 1.0 the number 1. `parseJson` returns a JsonNumber for these, and `stringifyJson` writes it back.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // Undefined if it is nested too deeply for that.
  const exact = mayChange.test(text) ? attempt(() => [JSON.parse(markNumbers(text), withoutMarks)]) : undefined;
  return exact ? exact[0] : value;
}

/** A number that JavaScript would write differently. */
export class JsonNumber {
  constructor(readonly text: string) {}

  valueOf(): number {
    return Number(this.text);
  }

  toString(): string {
    return this.text;
  }

  /** JSON.stringify cannot write the text, so stringifyJson writes the whole value again. */
  toJSON(): number {
    isInexact = true;
    return this.valueOf();
  }
}

let isInexact = false;

/** JSON.stringify that keeps each JsonNumber, for any depth: the built-in overflows the stack at about 10,000 levels. */
export function stringifyJson(value: unknown, indent?: number): string {
  isInexact = false;
  try {
    const text = JSON.stringify(value ?? null, null, indent);
    return isInexact ? JSON.stringify(value, withMarks, indent).replaceAll(markedNumber, '$1') : text;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return stringifyDeep(value);
  }
}

/** Without the byte-order mark that some servers send, and that editors and PowerShell on Windows write. */
export function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** For JSON of gantry itself. Undefined if the text is not JSON. */
export function tryParseJson(text: string): unknown {
  return attempt(() => JSON.parse(text));
}

type Defined<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** The fields that are not undefined: in JSON, and of what is spread, an optional field is absent. */
export function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>;
}

type Nullable<Fields> = {
  [Name in keyof Fields]: undefined extends Fields[Name] ? NonNullable<Fields[Name]> | null : Fields[Name];
};

/** The fields, with null for what is undefined: in a document, a field that is not known is null. */
export function withNulls<Fields extends object>(fields: Fields): Nullable<Fields> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value ?? null])) as Nullable<Fields>;
}

/** For JSON of others, which may be none. */
export function parseJsonOr(text: string, otherwise: unknown): unknown {
  return (attempt(() => [parseJson(text)]) ?? [otherwise])[0];
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof JsonNumber);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !Array.isArray(value);
}

/** Sets a key as JSON.parse does: unlike an assignment, this keeps one called `__proto__`. */
export function defineKey(into: object, key: string, value: unknown): void {
  Object.defineProperty(into, key, { value, writable: true, enumerable: true, configurable: true });
}

/**
 * A number that may be written differently: it has many digits, an exponent, a zero at its end, or is tiny or -0. Times
 * and ids in texts rarely look like one, because it follows a delimiter.
 */
const mayChange = /(?:^|[:,[])\s*(?:-0(?![.\d])|-?(?:[\d.]{16}|\d[\d.]*[eE]|\d+\.\d*0(?![\w.:])|0\.000000))/;

/** Such a number is a text that begins so while JSON.parse and JSON.stringify have it: no text of others does. */
const mark = `number-${Math.random().toString(36).slice(2)}-`;
const markedNumber = new RegExp(`"${mark}([^"]+)"`, 'g');

function markNumbers(text: string): string {
  let isInText = false;
  return text.replace(/\\.|"|-?\d[\d.eE+-]*/gs, (token) => {
    if (token === '"') isInText = !isInText;
    const isKept = isInText || token === '"' || JSON.stringify(JSON.parse(token)) === token;
    return isKept ? token : `"${mark}${token}"`;
  });
}

function withoutMarks(_: string, value: unknown): unknown {
  return typeof value === 'string' && value.startsWith(mark) ? new JsonNumber(value.slice(mark.length)) : value;
}

/** JSON.stringify passes what `toJSON` made of the number. */
function withMarks(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const original = this[key];
  return original instanceof JsonNumber ? mark + original.text : value;
}

type JsonPiece = string | { value: unknown };

function stringifyDeep(value: unknown): string {
  const parts: string[] = [];
  const stack: JsonPiece[] = [{ value }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (typeof next === 'string') parts.push(next);
    else for (const piece of piecesOf(next.value).reverse()) stack.push(piece);
  }
  return parts.join('');
}

/** The text around the values of an object or a list, and these values. */
function piecesOf(value: unknown): JsonPiece[] {
  if (!isObject(value)) return [stringifyJson(value)];
  if ('toJSON' in value && typeof value.toJSON === 'function') return [{ value: value.toJSON() }];
  const isArray = Array.isArray(value);
  const entries = Object.entries(value).filter(([, inner]) => isArray || inner !== undefined);
  const inside = entries.flatMap(([name, inner], at): JsonPiece[] => [
    `${at > 0 ? ',' : ''}${isArray ? '' : `${JSON.stringify(name)}:`}`,
    { value: inner },
  ]);
  return [isArray ? '[' : '{', ...inside, isArray ? ']' : '}'];
}
