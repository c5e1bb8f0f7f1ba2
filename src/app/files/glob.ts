import { onceFor } from '../../kernel/once.ts';

/**
 * `*` and `?` match within one name, `**` as a whole segment matches any number of folders, `[a-z]` and `[!a-z]` are
 * classes, `{a,b}` are alternatives, `\` escapes a character. Matching is case-sensitive, names with a leading dot are
 * not special, and all other characters are literal.
 * Each name is matched by a regular expression whose stars give nothing back: others backtrack for `*a*a*a*b`.
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
    else if (test && test !== anyDepth) (end === undefined ? wild : onceFor(byEnd, end, () => [] as Test[])).push(test);
  }
  const isMatched = (tests: readonly Test[] | undefined, name: string) => tests?.some((test) => test(name)) ?? false;
  return (name) => plain.has(name) || isMatched(byEnd.get(name.slice(-1)), name) || isMatched(wild, name);
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
  token.lastIndex = at;
  return at + (token.exec(pattern)?.[0].length ?? 1);
}

/** Stars, `?`, a class (`[a-z_]`, `[!a-z]` or `[^a-z]`; a leading `]` is a member), an escaped character, or another one. */
const token = /(\*+)|(\?)|\[([!^]?)((?:\\.|[^\\\]])(?:\\.|[^\\\]])*|\](?:\\.|[^\\\]])*)\]|\\(.)|([^*?[\\])/gsuy;

/** Undefined for a class or an escape without an end. */
function segment(text: string): GlobSegment | undefined {
  if (text === '**') return anyDepth;
  token.lastIndex = 0;
  const tokens = [...text.matchAll(token)];
  if (tokens.map(([whole]) => whole).join('') !== text) return undefined;
  const [head = '', ...pieces] = tokens.map(sourceOf).join('').split('*');
  const tail = pieces.pop();
  // A star takes as little as it can, for good: more would help no later piece.
  const middle = pieces.map((piece, at) => `(?=(.*?${piece}))\\${at + 1}`).join('');
  const whole = new RegExp(`^${head}${middle}${tail === undefined ? '' : `.*${tail}`}$`, 'su');
  return (name) => whole.test(name);
}

function sourceOf([, stars, any, negated, members, escaped = '', plain = escaped]: RegExpExecArray): string {
  if (stars ?? any) return stars ? '*' : '.';
  return members === undefined ? literal(codeOf(plain)) : `[${negated && '^'}${rangesIn(members)}]`;
}

const literal = (code: number) => `\\u{${code.toString(16)}}`;
const codeOf = (character: string) => character.replace(/^\\(?=.)/s, '').codePointAt(0) ?? 0;

function rangesIn(members: string): string {
  const ranges = members.matchAll(/(\\.|[^\\])(?:-(\\.|[^\\]))?/gsu);
  return Array.from(ranges, ([, from = '', to = from]) => [codeOf(from), codeOf(to)] as const)
    .filter(([from, to]) => from <= to)
    .map(([from, to]) => `${literal(from)}-${literal(to)}`)
    .join('');
}
