/**
 * `**` globs over forward-slash paths: the same answer on every operating system, in time linear in pattern and path.
 *
 * `*` and `?` stay within one name, `**` as a whole segment is any number of folders (none included), `[a-z]` and
 * `[!a-z]` are classes, `{a,b}` alternatives, `\` takes the next character as it is. Names that begin with a dot are
 * ordinary, case counts, everything else (parentheses, `!`, `+`, `@`, `|`) stands for itself: these are file names.
 *
 * Not a regular expression: `*a*a*a*a*b` makes those backtrack for hours, and one cannot be asked what lies below.
 */
export interface Glob {
  /** Whether this whole path matches. */
  matches(path: string): boolean;
  /** Whether something below this folder could match. If not, nobody needs to look inside. */
  reaches(folder: string): boolean;
}

/** `undefined` for a pattern that cannot be read: an open class, a last `\`, too long, too many alternatives. */
export function compileGlob(pattern: string): Glob | undefined {
  const parsed = alternatives(pattern)?.map((text) => text.split('/').map(segment));
  if (!parsed?.every(complete)) return undefined;

  return {
    matches: (path) => parsed.some((segments) => isWhole(segments, path)),
    reaches: (folder) =>
      parsed.some((segments) => [...follow(segments, folder.split('/'))].some((at) => at < segments.length)),
  };
}

/** One test for a list of globs over names, quick for the plain ones among them. */
export function compileNames(patterns: readonly string[]): (name: string) => boolean {
  const plain = new Set(patterns.filter((pattern) => !/[*?[{\\]/.test(pattern)));
  const wild = patterns.filter((pattern) => !plain.has(pattern)).flatMap((pattern) => compileGlob(pattern) ?? []);
  return (name) => plain.has(name) || wild.some((each) => each.matches(name));
}

type Test = (name: string) => boolean;
const anyDepth = Symbol('**');
type Segment = typeof anyDepth | Test;

const complete = (segments: (Segment | undefined)[]): segments is Segment[] => !segments.includes(undefined);

function isWhole(segments: Segment[], path: string): boolean {
  const [only] = segments;
  if (segments.length === 1 && only && only !== anyDepth) return !path.includes('/') && only(path);
  return follow(segments, path.split('/')).has(segments.length);
}

/** Where in the pattern one can be after walking down these names; `segments.length` is its end. */
function follow(segments: Segment[], names: string[]): Set<number> {
  let places = withSkips(segments, new Set([0]));
  for (const name of names) {
    const next = new Set<number>();
    for (const at of places) {
      const test = segments[at];
      if (test === anyDepth) next.add(at);
      else if (test?.(name)) next.add(at + 1);
    }
    places = withSkips(segments, next);
  }
  return places;
}

/** `**` may stand for no folder at all, so whoever is before one is also behind it. */
function withSkips(segments: Segment[], places: Set<number>): Set<number> {
  for (const at of places) if (segments[at] === anyDepth) places.add(at + 1);
  return places;
}

const longest = 1000;

/** `a{b,c}d` is `abd` and `acd`. Braces without a comma or a partner are part of the name. */
function alternatives(pattern: string): string[] | undefined {
  if (pattern.length > longest) return undefined;
  const brace = firstBrace(pattern);
  if (!brace) return [pattern];

  const result: string[] = [];
  for (const choice of brace.choices) {
    const rest = alternatives(choice + brace.after);
    if (!rest || result.length + rest.length > longest) return undefined;
    result.push(...rest.map((text) => brace.before + text));
  }
  return result;
}

function firstBrace(pattern: string): { before: string; choices: string[]; after: string } | undefined {
  for (let open = 0; open < pattern.length; open = past(pattern, open)) {
    if (pattern[open] !== '{') continue;
    const cuts = [open];
    let depth = 1;
    for (let at = open + 1; at < pattern.length; at = past(pattern, at)) {
      const char = pattern[at];
      if (char === '{') depth++;
      if (char === ',' && depth === 1) cuts.push(at);
      if (char === '}' && --depth === 0) {
        if (cuts.length === 1) break;
        cuts.push(at);
        const choices = cuts.slice(1).map((end, index) => pattern.slice((cuts[index] ?? 0) + 1, end));
        return { before: pattern.slice(0, open), choices, after: pattern.slice(at + 1) };
      }
    }
  }
  return undefined;
}

/** The next place to look at: behind an escaped character or a whole class, where braces mean nothing. */
function past(pattern: string, at: number): number {
  if (pattern[at] === '\\') return at + 2;
  return pattern[at] === '[' ? (readClass(pattern, at)?.end ?? at + 1) : at + 1;
}

const star = Symbol('*');
type Token = typeof star | string | Test;

function segment(text: string): Segment | undefined {
  if (text === '**') return anyDepth;
  const tokens = tokenise(text);
  if (!tokens) return undefined;
  if (tokens.every((token) => typeof token === 'string')) return equals(tokens.join(''));

  // Most names fail here already, without being taken apart.
  const [head, tail] = [literal(tokens), literal(tokens.toReversed())];
  return (name) => name.startsWith(head) && name.endsWith(tail) && fits(tokens, [...name]);
}

/** The first token, if it is a character. */
const literal = ([first]: Token[]) => (typeof first === 'string' ? first : '');

const equals =
  (text: string): Test =>
  (name) =>
    name === text;

function tokenise(text: string): Token[] | undefined {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
    at += char.length;
    if (char === '*') {
      if (tokens.at(-1) !== star) tokens.push(star);
    } else if (char === '?') {
      tokens.push(() => true);
    } else if (char === '[') {
      const found = readClass(text, at - 1);
      if (!found) return undefined;
      tokens.push(found.test);
      at = found.end;
    } else if (char === '\\') {
      if (at === text.length) return undefined;
      const literal = String.fromCodePoint(text.codePointAt(at) ?? 0);
      tokens.push(literal);
      at += literal.length;
    } else {
      tokens.push(char);
    }
  }
  return tokens;
}

/** `[a-z_]`, `[!a-z]`, `[^a-z]`; a `]` in first place is a member. */
function readClass(text: string, open: number): { test: Test; end: number } | undefined {
  const found = /^\[([!^]?)((?:\\.|[^\\\]])(?:\\.|[^\\\]])*|\](?:\\.|[^\\\]])*)\]/su.exec(text.slice(open));
  if (!found) return undefined;
  const [whole, negated, members = ''] = found;

  const ranges: [string, string][] = [];
  for (const [, from = '', to = from] of members.matchAll(/((?:\\.|[^\\]))(?:-((?:\\.|[^\\])))?/gsu)) {
    ranges.push([unescaped(from), unescaped(to)]);
  }
  const test = (char: string) => ranges.some(([from, to]) => inRange(char, from, to)) !== Boolean(negated);
  return { test, end: open + whole.length };
}

const unescaped = (text: string) => (text.length > 1 && text.startsWith('\\') ? text.slice(1) : text);
const inRange = (char: string, from: string, to: string) => {
  const point = char.codePointAt(0) ?? 0;
  return point >= (from.codePointAt(0) ?? 0) && point <= (to.codePointAt(0) ?? 0);
};

/** Going back to the last star only is enough, since an earlier one cannot do better. */
function fits(tokens: Token[], chars: string[]): boolean {
  let at = 0;
  let token = 0;
  let retry: { at: number; token: number } | undefined;
  while (at < chars.length) {
    const expected = tokens[token];
    if (expected === star) {
      retry = { at, token };
      token++;
    } else if (expected !== undefined && accepts(expected, chars[at] ?? '')) {
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

const accepts = (token: string | Test, char: string) => (typeof token === 'string' ? token === char : token(char));
