/**
 * As much of Python's grammar as it takes to tell code from strings and comments, and a function from the module
 * around it. Everything else is left to Python.
 *
 * The text is read byte by byte (as Latin-1): whatever its encoding, the marks that matter are ASCII.
 */

/** One logical line of the module, without its comments. */
export interface Statement {
  /** Columns of blanks before it. */
  indent: number;
  tokens: Token[];
}

export interface Token {
  /** A string as it is written, with its quotes and prefix; `==` and its like are one token. */
  text: string;
  /** Where it begins. */
  at: number;
}

/** UTF-8's, as Latin-1: some editors on Windows write it, and Python skips it. */
const byteOrderMark = '\xef\xbb\xbf';

/** The logical lines of a module, in order. Takes time in proportion to its length, and never throws. */
export function parseStatements(source: string): Statement[] {
  const statements: Statement[] = [];
  let current: Statement | undefined;
  let depth = 0;
  let lineStart = source.startsWith(byteOrderMark) ? byteOrderMark.length : 0;
  for (let at = lineStart; at < source.length; ) {
    const char = source[at] ?? '';
    if (char === '\n' || char === '\r') {
      at += 1;
      lineStart = at;
      if (depth === 0) current = undefined;
    } else if (char === '#') {
      at = endOfLine(source, at);
    } else if (char === '\\' || char === ' ' || char === '\t' || char === '\f') {
      at += char === '\\' ? lengthOfBreak(source, at + 1) + 1 : 1;
    } else {
      const end = endOfToken(source, at);
      const text = source.slice(at, end);
      if (!current) {
        current = { indent: columns(source.slice(lineStart, at)), tokens: [] };
        statements.push(current);
      }
      current.tokens.push({ text, at });
      if ('([{'.includes(text)) depth += 1;
      if (')]}'.includes(text)) depth = Math.max(0, depth - 1);
      at = end;
    }
  }
  return statements;
}

/** Without those that are in a function or a class: what runs when the module does, and what it defines. */
export function topLevelStatements(statements: readonly Statement[]): Statement[] {
  let within = Number.POSITIVE_INFINITY;
  return statements.filter((statement) => {
    if (statement.indent > within) return false;
    within = opensScope(statement) ? statement.indent : Number.POSITIVE_INFINITY;
    return true;
  });
}

function opensScope({ tokens }: Statement): boolean {
  const [first, second] = tokens;
  return first?.text === 'def' || first?.text === 'class' || (first?.text === 'async' && second?.text === 'def');
}

/** A tab goes to the next column that is a multiple of eight, a form feed begins anew. */
function columns(blanks: string): number {
  let column = 0;
  for (const char of blanks) {
    if (char === '\t') column += 8 - (column % 8);
    else column = char === '\f' ? 0 : column + 1;
  }
  return column;
}

const word = /[\w\x80-\xff]+/y;
const quotes = /"""|'''|"|'/y;
const operator = /[=!<>]=|:=|->|\*\*|\/\/|<<|>>/y;

function endOfToken(source: string, at: number): number {
  const name = match(word, source, at);
  const quoted = at + name.length;
  if (isPrefix(name) && match(quotes, source, quoted)) return endOfString(source, quoted, holdsCode(name));
  return at + (name.length || match(operator, source, at).length || 1);
}

function match(pattern: RegExp, source: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0] ?? '';
}

/** What may stand before a quote: nothing, r, b, u, and f or t, whose strings have code in them. */
const isPrefix = (name: string) => /^([rbuft]|[bft]r|r[bft])?$/i.test(name);
const holdsCode = (prefix: string) => /[ft]/i.test(prefix);

/** Within the text of a string. `format` is what stands behind a colon between its braces. */
interface Text {
  quote: string;
  code: boolean;
  format: boolean;
}

/** Within the code between its braces, which may hold strings again. */
interface Code {
  quote: string;
  depth: number;
}

type Frame = Text | Code;

/** The place behind a string whose quote is at `at`. One without an end ends with its line, or with the file. */
function endOfString(source: string, at: number, code: boolean): number {
  const quote = match(quotes, source, at);
  const frames: Frame[] = [{ quote, code, format: false }];
  let here = at + quote.length;
  while (here < source.length) {
    const frame = frames.at(-1);
    if (!frame) return here;
    here += 'depth' in frame ? stepInCode(source, here, frame, frames) : stepInText(source, here, frame, frames);
  }
  return source.length;
}

/** Goes one step through the text of a string; gives its length, which may be 0 where a frame ends. */
function stepInText(source: string, at: number, frame: Text, frames: Frame[]): number {
  const char = source[at] ?? '';
  if (char === '\\') return 1 + (lengthOfBreak(source, at + 1) || 1);
  if (source.startsWith(frame.quote, at)) {
    // In the format behind a colon the quote ends the whole string.
    if (frame.format) return endFrames(frames, 2, 0);
    return endFrames(frames, 1, frame.quote.length);
  }
  if ((char === '\n' || char === '\r') && frame.quote.length === 1) return endFrames(frames, frame.format ? 3 : 1, 0);
  if (frame.format && char === '}') return endFrames(frames, 2, 1);
  if (!frame.code || char !== '{') return 1;
  if (!frame.format && source[at + 1] === '{') return 2;
  frames.push({ depth: 0, quote: frame.quote });
  return 1;
}

/** Goes one step through the code between the braces of a string. */
function stepInCode(source: string, at: number, frame: Code, frames: Frame[]): number {
  const char = source[at] ?? '';
  const name = match(word, source, at);
  const quote = isPrefix(name) ? match(quotes, source, at + name.length) : '';
  if (quote) {
    frames.push({ quote, code: holdsCode(name), format: false });
    return name.length + quote.length;
  }
  if (name) return name.length;
  if (char === '#') return endOfLine(source, at) - at;
  if (char === ':' && frame.depth === 0) frames.push({ quote: frame.quote, code: true, format: true });
  else if (char === '}' && frame.depth === 0) frames.pop();
  else if ('([{'.includes(char)) frame.depth += 1;
  else if (')]}'.includes(char)) frame.depth = Math.max(0, frame.depth - 1);
  return 1;
}

function endFrames(frames: Frame[], count: number, length: number): number {
  frames.splice(-count);
  return length;
}

/** A backslash takes the line break behind it along, both its characters if it has two. */
function lengthOfBreak(source: string, at: number): number {
  if (source.startsWith('\r\n', at)) return 2;
  return source[at] === '\n' || source[at] === '\r' ? 1 : 0;
}

function endOfLine(source: string, at: number): number {
  const end = source.slice(at).search(/[\r\n]/);
  return end < 0 ? source.length : at + end;
}
