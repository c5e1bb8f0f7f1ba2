import { attempt } from './errors.ts';

/**
 * JSON of users, apps and the platform keeps its numbers as they were written: `JSON.parse` makes 9223372036854775807 another number,
 * 1e400 null and 1.0 the number 1. `parseJson` returns a JsonNumber for these, and `stringifyJson` writes it back.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return mayChange.test(text) ? parseExactly(text) : value;
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
    return isInexact ? stringifyIteratively(value, indent) : text;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return stringifyIteratively(value);
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

/** For JSON of others, which may be none. */
export function parseJsonOr(text: string, otherwise: unknown): unknown {
  return (attempt(() => [parseJson(text)]) ?? [otherwise])[0];
}

/** Applies `toJSON`, as dates and URLs have it. */
export function toJsonValue(value: unknown): unknown {
  const object = value as { toJSON?: unknown } | null | undefined;
  const converts = isObject(value) && !(value instanceof JsonNumber) && typeof object?.toJSON === 'function';
  return converts ? (object as { toJSON(): unknown }).toJSON() : value;
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

/** The tokens of valid JSON that matter: a string begins with its quote, and a number ends before a delimiter. */
const tokens = /[[\]{}"]|[^\s,:[\]{}"]+/g;

function parseExactly(text: string): unknown {
  const builder = new JsonBuilder();
  tokens.lastIndex = 0;
  for (let match = tokens.exec(text); match; match = tokens.exec(text)) {
    const [token] = match;
    if (token === '"') {
      const end = endOfString(text, match.index);
      builder.add(JSON.parse(text.slice(match.index, end)));
      tokens.lastIndex = end;
    } else if (token === '{') builder.open({});
    else if (token === '[') builder.open([]);
    else if (token === '}' || token === ']') builder.close();
    else builder.add(toScalar(token));
  }
  return builder.root[0];
}

class JsonBuilder {
  readonly root: unknown[] = [];
  #into: object = this.root;
  #key: string | undefined;
  readonly #outer: [into: object, key: string | undefined][] = [];

  add(value: unknown): void {
    if (Array.isArray(this.#into)) this.#into.push(value);
    else if (this.#key === undefined) this.#key = String(value);
    else {
      defineKey(this.#into, this.#key, value);
      this.#key = undefined;
    }
  }

  open(inner: object): void {
    this.add(inner);
    this.#outer.push([this.#into, this.#key]);
    this.#into = inner;
  }

  close(): void {
    [this.#into, this.#key] = this.#outer.pop() ?? [this.root, undefined];
  }
}

/** The position after the closing quote. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text[end - 1 - escapes] === '\\') escapes += 1;
    if (escapes % 2 === 0) return end + 1;
  }
}

function toScalar(token: string): unknown {
  const value: unknown = JSON.parse(token);
  return typeof value === 'number' && JSON.stringify(value) !== token ? new JsonNumber(token) : value;
}

function stringifyIteratively(value: unknown, indent = 0): string {
  const parts: string[] = [];
  const unit = ' '.repeat(indent);
  const stack: JsonPiece[] = [{ value, depth: 1 }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (typeof next === 'string') parts.push(next);
    else for (const piece of piecesOf(next, unit).reverse()) stack.push(piece);
  }
  return parts.join('');
}

type JsonPiece = string | { value: unknown; depth: number };

/** The text around the values of an object or a list, and these values. */
function piecesOf({ value, depth }: Exclude<JsonPiece, string>, unit: string): JsonPiece[] {
  const plain = toJsonValue(value);
  if (!isObject(plain)) return [plain instanceof JsonNumber ? plain.text : (JSON.stringify(plain) ?? 'null')];
  const lineBreak = (levels: number) => unit && `\n${unit.repeat(levels)}`;
  const isArray = Array.isArray(plain);
  const entries = Object.entries(plain).filter(([, inner]) => isArray || isWritten(inner));
  const [open, close] = isArray ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0) return [open + close];
  const inside = entries.flatMap(([name, inner], at): JsonPiece[] => {
    const label = isArray ? '' : `${JSON.stringify(name)}:${unit && ' '}`;
    return [(at > 0 ? ',' : '') + lineBreak(depth) + label, { value: inner, depth: depth + 1 }];
  });
  return [open, ...inside, lineBreak(depth - 1) + close];
}

function isWritten(value: unknown): boolean {
  return isObject(value) || JSON.stringify(value) !== undefined;
}
