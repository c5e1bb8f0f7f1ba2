/**
 * A tokenizer for Python that distinguishes code from strings and comments, and top-level statements from the bodies of
 * functions and classes.
 *
 * Reads the text as Latin-1: the characters that matter are ASCII in every encoding.
 */

/** One logical line without comments. */
export interface Statement {
  /** In columns. */
  indent: number;
  tokens: Token[];
}

export interface Token {
  /** Strings include quotes and prefix; operators such as `==` are one token. */
  text: string;
  /** Byte offset. */
  at: number;
}

/** The UTF-8 byte-order mark, read as Latin-1. Python skips it. */
const byteOrderMark = '\xef\xbb\xbf';

/** Splits a module into logical lines, in linear time. Never throws. */
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
        current = { indent: countColumns(source.slice(lineStart, at)), tokens: [] };
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

/** The statements outside of functions and classes. */
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

/** A tab advances to the next multiple of eight; a form feed resets the column. */
function countColumns(blanks: string): number {
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

/** Prefixes of strings: none, r, b, u, and f or t, which contain code. */
const isPrefix = (name: string) => /^([rbuft]|[bft]r|r[bft])?$/i.test(name);
const holdsCode = (prefix: string) => /[ft]/i.test(prefix);

/** The state inside the text of a string. `format` is the part after a colon inside braces. */
interface TextFrame {
  quote: string;
  code: boolean;
  format: boolean;
}

/** The state inside the code between braces, which may contain strings. */
interface CodeFrame {
  quote: string;
  depth: number;
}

type Frame = TextFrame | CodeFrame;

/** The offset after a string whose quote is at `at`. An unterminated string ends with its line or the file. */
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

/** Advances inside the text of a string. Returns the length, which is 0 where a frame ends without a character. */
function stepInText(source: string, at: number, frame: TextFrame, frames: Frame[]): number {
  const char = source[at] ?? '';
  if (char === '\\') return 1 + (lengthOfBreak(source, at + 1) || 1);
  if (source.startsWith(frame.quote, at)) {
    // Inside a format, the quote ends the whole string.
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

/** Advances inside the code between braces. Returns the length. */
function stepInCode(source: string, at: number, frame: CodeFrame, frames: Frame[]): number {
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

/** The length of the line break after a backslash; 0 if there is none. */
function lengthOfBreak(source: string, at: number): number {
  if (source.startsWith('\r\n', at)) return 2;
  return source[at] === '\n' || source[at] === '\r' ? 1 : 0;
}

function endOfLine(source: string, at: number): number {
  const end = source.slice(at).search(/[\r\n]/);
  return end < 0 ? source.length : at + end;
}
