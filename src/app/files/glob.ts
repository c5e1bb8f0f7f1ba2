/**
 * `*` and `?` match within one name, `**` as a whole segment matches any number of folders, `[a-z]` and `[!a-z]` are
 * classes, `{a,b}` are alternatives, `\` escapes a character. Matching is case-sensitive, names with a leading dot are
 * not special, and all other characters are literal.
 * Not implemented by regular expressions: they backtrack exponentially for `*a*a*a*b`, and cannot support `reaches`.
 */
export interface Glob {
  matches(path: string): boolean;
  /** Whether a path below this folder could match. */
  reaches(folder: string): boolean;
}

/** Returns undefined for an invalid pattern: an open class, a trailing `\`, too long, too many alternatives. */
export function compileGlob(pattern: string): Glob | undefined {
  const parsed = alternatives(pattern)?.map((text) => text.split('/').map(segment));
  if (!parsed?.every(complete)) return undefined;

  return {
    matches: (path) => parsed.some((segments) => isWhole(segments, path)),
    reaches: (folder) =>
      parsed.some((segments) => [...follow(segments, folder.split('/'))].some((at) => at < segments.length)),
  };
}

/** Compiles several globs for names into one test. Skips invalid ones. */
export function compileNames(patterns: readonly string[]): (name: string) => boolean {
  const plain = new Set<string>();
  const wild: Test[] = [];
  // Most names of an app end in another character than all patterns do.
  const byEnd = new Map<string, Test[]>();
  for (const pattern of patterns.flatMap((each) => alternatives(each) ?? [])) {
    const test = segment(pattern);
    const end = /[\w~]$/.exec(pattern)?.[0];
    if (!/[*?[\\]/.test(pattern)) plain.add(pattern);
    else if (test && test !== anyDepth) (end === undefined ? wild : groupOf(byEnd, end)).push(test);
  }
  const isMatched = (tests: readonly Test[] | undefined, name: string) => tests?.some((test) => test(name)) ?? false;
  return (name) => plain.has(name) || isMatched(byEnd.get(name.slice(-1)), name) || isMatched(wild, name);
}

function groupOf(groups: Map<string, Test[]>, key: string): Test[] {
  const group = groups.get(key) ?? [];
  groups.set(key, group);
  return group;
}

type Test = (name: string) => boolean;
const anyDepth = Symbol('**');
type GlobSegment = typeof anyDepth | Test;

const complete = (segments: (GlobSegment | undefined)[]): segments is GlobSegment[] => !segments.includes(undefined);

function isWhole(segments: GlobSegment[], path: string): boolean {
  const [only] = segments;
  if (segments.length === 1 && only && only !== anyDepth) return !path.includes('/') && only(path);
  return follow(segments, path.split('/')).has(segments.length);
}

/** The possible positions in the pattern after these names; `segments.length` is its end. */
function follow(segments: GlobSegment[], names: string[]): Set<number> {
  let positions = withSkips(segments, new Set([0]));
  for (const name of names) {
    const next = new Set<number>();
    for (const at of positions) {
      const test = segments[at];
      if (test === anyDepth) next.add(at);
      else if (test?.(name)) next.add(at + 1);
    }
    positions = withSkips(segments, next);
  }
  return positions;
}

/** `**` may match no folder, so a position before it is also one after it. */
function withSkips(segments: GlobSegment[], positions: Set<number>): Set<number> {
  for (const at of positions) if (segments[at] === anyDepth) positions.add(at + 1);
  return positions;
}

/** For the length of a pattern and the number of its alternatives. */
const maxSize = 1000;

/** `a{b,c}d` becomes `abd` and `acd`. Unpaired braces and braces without a comma are literal. */
function alternatives(pattern: string): string[] | undefined {
  if (pattern.length > maxSize) return undefined;
  const brace = firstBrace(pattern);
  if (!brace) return [pattern];

  const result: string[] = [];
  for (const choice of brace.choices) {
    const rest = alternatives(choice + brace.after);
    if (!rest || result.length + rest.length > maxSize) return undefined;
    for (const text of rest) result.push(brace.before + text);
  }
  return result;
}

function firstBrace(pattern: string): Brace | undefined {
  for (let open = 0; open < pattern.length; open = nextPosition(pattern, open)) {
    const brace = pattern[open] === '{' ? readBrace(pattern, open) : undefined;
    if (brace) return brace;
  }
  return undefined;
}

interface Brace {
  before: string;
  choices: string[];
  after: string;
}

function readBrace(pattern: string, open: number): Brace | undefined {
  const cuts = [open];
  let depth = 0;
  for (let at = open; at < pattern.length; at = nextPosition(pattern, at)) {
    const char = pattern[at];
    if (char === '{') depth++;
    if (char === '}') depth--;
    if ((char === ',' && depth === 1) || depth === 0) cuts.push(at);
    if (depth > 0) continue;
    const choices = cuts.slice(1).map((end, index) => pattern.slice((cuts[index] ?? 0) + 1, end));
    return choices.length > 1 ? { before: pattern.slice(0, open), choices, after: pattern.slice(at + 1) } : undefined;
  }
  return undefined;
}

/** The next position. Skips escaped characters and classes, in which braces are literal. */
function nextPosition(pattern: string, at: number): number {
  if (pattern[at] === '\\') return at + 2;
  return pattern[at] === '[' ? (readClass(pattern, at)?.end ?? at + 1) : at + 1;
}

const star = Symbol('*');
type GlobToken = typeof star | string | Test;

function segment(text: string): GlobSegment | undefined {
  if (text === '**') return anyDepth;
  const tokens = tokenize(text);
  if (!tokens) return undefined;
  if (tokens.every((token) => typeof token === 'string')) return equals(tokens.join(''));

  // Rejects most names early.
  const head = literals(tokens).join('');
  const tail = literals(tokens.toReversed()).reverse().join('');
  return (name) => name.startsWith(head) && name.endsWith(tail) && matchTokens(tokens, [...name]);
}

function literals(tokens: GlobToken[]): GlobToken[] {
  const end = tokens.findIndex((token) => typeof token !== 'string');
  return tokens.slice(0, end);
}

const equals =
  (text: string): Test =>
  (name) =>
    name === text;

function tokenize(text: string): GlobToken[] | undefined {
  const tokens: GlobToken[] = [];
  for (let at = 0; at < text.length; ) {
    const { token, end } = readToken(text, at) ?? {};
    if (token === undefined || end === undefined) return undefined;
    if (token !== star || tokens.at(-1) !== star) tokens.push(token);
    at = end;
  }
  return tokens;
}

/** Undefined for a class or an escape without an end. */
function readToken(text: string, at: number): { token: GlobToken; end: number } | undefined {
  const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
  const end = at + char.length;
  if (char === '*') return { token: star, end };
  if (char === '?') return { token: () => true, end };
  if (char === '[') return readClass(text, at);
  if (char !== '\\') return { token: char, end };
  const literal = end < text.length ? String.fromCodePoint(text.codePointAt(end) ?? 0) : undefined;
  return literal === undefined ? undefined : { token: literal, end: end + literal.length };
}

/** Reads `[a-z_]`, `[!a-z]` or `[^a-z]`. A leading `]` is a member. */
function readClass(text: string, open: number): { token: Test; end: number } | undefined {
  const match = /^\[([!^]?)((?:\\.|[^\\\]])(?:\\.|[^\\\]])*|\](?:\\.|[^\\\]])*)\]/su.exec(text.slice(open));
  if (!match) return undefined;
  const [whole, negated, members = ''] = match;

  const ranges: [string, string][] = [];
  for (const [, from = '', to = from] of members.matchAll(/((?:\\.|[^\\]))(?:-((?:\\.|[^\\])))?/gsu)) {
    ranges.push([unescaped(from), unescaped(to)]);
  }
  const token = (char: string) => ranges.some(([from, to]) => inRange(char, from, to)) !== Boolean(negated);
  return { token, end: open + whole.length };
}

const unescaped = (text: string) => (text.length > 1 && text.startsWith('\\') ? text.slice(1) : text);
const inRange = (char: string, from: string, to: string) => {
  const point = char.codePointAt(0) ?? 0;
  return point >= (from.codePointAt(0) ?? 0) && point <= (to.codePointAt(0) ?? 0);
};

/** Backtracks to the last star only: an earlier one cannot match more. */
function matchTokens(tokens: GlobToken[], chars: string[]): boolean {
  let at = 0;
  let token = 0;
  let retry: { at: number; token: number } | undefined;
  while (at < chars.length) {
    const expected = tokens[token];
    if (expected === star) {
      retry = { at, token };
      token++;
    } else if (expected !== undefined && tokenMatches(expected, chars[at] ?? '')) {
      at++;
      token++;
    } else if (retry) {
      retry.at++;
      at = retry.at;
      token = retry.token + 1;
    } else {
      return false;
    }
  }
  return tokens.slice(token).every((rest) => rest === star);
}

const tokenMatches = (token: string | Test, char: string) => (typeof token === 'string' ? token === char : token(char));
