import { type Problem, ProjectError } from '../kernel/errors.ts';
import { tryParseJson } from '../kernel/json-text.ts';

/** The names that the official client accepts (docs/platform.md#secrets). */
export function isSecretName(name: string): boolean {
  return /^[A-Za-z0-9_.-]{1,253}$/.test(name);
}

export const secretNameFormat = 'names consist of 1 to 253 letters, digits, dots, hyphens and underscores';

/**
 * Parses a `.env` file, or a JSON object of strings. Node's parser skips invalid lines and cuts `pa#ss` at the `#`,
 * which would corrupt secrets. Does not expand `$NAME`; the last value of a name counts. Throws ProjectError with every
 * invalid line, without quoting it: it may contain a secret.
 */
export function readEnvFile(text: string, file: string): Record<string, string> {
  const plain = text.replace(/^\uFEFF/, '').replace(/\r\n/g, '\n');
  return /^\s*\{/.test(plain) ? parseObject(plain, file) : parseLines(plain, file);
}

/** `NAME=`, followed by a quoted value, which may span lines, or by the rest of the line. */
const nameAndEquals = /[ \t]*(?:export[ \t]+)?([^\s=#'"`]+)[ \t]*=[ \t]*/y;
const blankOrComment = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y;
const quotedValue = /"([^"\\]*(?:\\[\s\S][^"\\]*)*)"|'([^']*)'|`([^`]*)`/y;
const restOfLine = /[^\n]*/y;

function parseLines(text: string, file: string): Record<string, string> {
  const secrets: [name: string, value: string][] = [];
  const problems: Problem[] = [];
  const lines = new LineReader(text);
  while (!lines.isAtEnd) {
    if (lines.next(blankOrComment)) continue;
    const line = lines.number();
    const [, name = ''] = lines.next(nameAndEquals) ?? [];
    const value = readValue(lines, name);
    if (typeof value === 'string') secrets.push([name, value]);
    else {
      problems.push({ severity: 'error', message: `${file}:${line}: ${value.message}`, why: value.why });
      lines.next(restOfLine);
    }
  }
  if (problems.length > 0) throw new ProjectError(`${file} is invalid`, problems);
  return Object.fromEntries(secrets);
}

function readValue(lines: LineReader, name: string): string | { message: string; why: string } {
  if (!name) return { message: 'invalid line: expected NAME=value', why: 'values of several lines must be quoted' };
  if (!isSecretName(name)) return { message: 'invalid name of a secret', why: secretNameFormat };
  if (!lines.startsQuoted) {
    const [rest = ''] = lines.next(restOfLine) ?? [];
    // A `#` after a space starts a comment.
    return rest.replace(/(^|\s)#.*$/, '').trim();
  }
  const [whole, double, single = '', tick = ''] = lines.next(quotedValue) ?? [];
  if (whole === undefined) {
    return { message: 'missing closing quote', why: 'a quoted value ends with the quote it starts with' };
  }
  if (lines.next(blankOrComment)) return double === undefined ? single || tick : unescaped(double);
  return { message: 'unexpected text after the closing quote', why: 'write " as \\" inside double quotes' };
}

class LineReader {
  #at = 0;
  #line = 1;
  #counted = 0;

  constructor(private readonly text: string) {}

  get isAtEnd(): boolean {
    return this.#at >= this.text.length;
  }

  get startsQuoted(): boolean {
    return /["'`]/.test(this.text.charAt(this.#at));
  }

  next(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.text);
    if (match) this.#at = pattern.lastIndex;
    return match;
  }

  number(): number {
    this.#line += this.text.slice(this.#counted, this.#at).split('\n').length - 1;
    this.#counted = this.#at;
    return this.#line;
  }
}

function unescaped(text: string): string {
  const meant: Record<string, string> = { n: '\n', r: '\r', t: '\t' };
  return text.replace(/\\([nrt"\\$`])/g, (_, letter: string) => meant[letter] ?? letter);
}

/** Node's error message is not shown: it quotes the text. */
function parseObject(text: string, file: string): Record<string, string> {
  const value = tryParseJson(text) as Record<string, unknown> | undefined;
  if (value === undefined) {
    const message = `${file} is not valid JSON`;
    throw new ProjectError(message, [{ severity: 'error', message, why: 'it starts with {' }]);
  }
  const problems = Object.entries(value).flatMap(([name, inner], index): Problem[] => {
    const nth = `${file}: entry ${index + 1}`;
    if (!isSecretName(name)) {
      return [{ severity: 'error', message: `${nth}: invalid name of a secret`, why: secretNameFormat }];
    }
    return typeof inner === 'string'
      ? []
      : [{ severity: 'error', message: `${nth}: the value of ${name} must be a string` }];
  });
  if (problems.length > 0) throw new ProjectError(`${file} is invalid`, problems);
  return value as Record<string, string>;
}
