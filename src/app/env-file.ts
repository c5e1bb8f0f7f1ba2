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
  const found: [name: string, value: string][] = [];
  const problems: Problem[] = [];
  let at = 0;
  let line = 1;
  let counted = 0;
  const next = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) at = pattern.lastIndex;
    return match;
  };
  while (at < text.length) {
    if (next(blankOrComment)) continue;
    line += linesIn(text, counted, at);
    counted = at;
    const here = line;
    const reject = (message: string, why: string) => {
      problems.push({ severity: 'error', message: `${file}:${here}: ${message}`, why });
      next(restOfLine);
    };
    const [, name = ''] = next(nameAndEquals) ?? [];
    if (!name) reject('invalid line: expected NAME=value', 'values of several lines must be quoted');
    else if (!isSecretName(name)) reject('invalid name of a secret', secretNameFormat);
    else if (/["'`]/.test(text.charAt(at))) {
      const [whole, double, single = '', tick = ''] = next(quotedValue) ?? [];
      if (whole === undefined) reject('missing closing quote', 'a quoted value ends with the quote it starts with');
      else if (next(blankOrComment)) found.push([name, double === undefined ? single || tick : unescaped(double)]);
      else reject('unexpected text after the closing quote', 'write " as \\" inside double quotes');
    } else found.push([name, unquoted(next(restOfLine)?.[0] ?? '')]);
  }
  if (problems.length > 0) throw new ProjectError(`${file} is invalid`, problems);
  return Object.fromEntries(found);
}

function linesIn(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** A `#` after a space starts a comment. */
function unquoted(rest: string): string {
  return rest.replace(/(^|\s)#.*$/, '').trim();
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
