import { type Problem, ProjectError } from '../errors.ts';

/** Checks the name of a secret by the official client's rule (docs/platform.md#secrets). */
export function isSecretName(name: string): boolean {
  return /^[A-Za-z0-9_.-]{1,253}$/.test(name);
}

export const secretNameFormat = 'a name is 1 to 253 letters, digits, dots, hyphens and underscores';

/**
 * Reads a `.env` file, or one JSON object of texts. Node's own reader guesses where a line makes no sense and cuts
 * `pa#ss` at the `#`: with secrets, neither will do. `$NAME` is not replaced; of a name that is there twice the last
 * counts. Throws ProjectError with every line that is wrong; what is in it is not said, it may be part of a secret.
 */
export function readEnvFile(text: string, file: string): Record<string, string> {
  const plain = text.replace(/^\uFEFF/, '').replace(/\r\n/g, '\n');
  return /^\s*\{/.test(plain) ? readObject(plain, file) : readLines(plain, file);
}

/** `NAME=`, after which comes a text in quotes that may span lines, or the rest of the line. */
const start = /[ \t]*(?:export[ \t]+)?([^\s=#'"`]+)[ \t]*=[ \t]*/y;
const nothing = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y;
const quoted = /"([^"\\]*(?:\\[\s\S][^"\\]*)*)"|'([^']*)'|`([^`]*)`/y;
const restOfLine = /[^\n]*/y;

function readLines(text: string, file: string): Record<string, string> {
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
    if (next(nothing)) continue;
    line += linesIn(text, counted, at);
    counted = at;
    const here = line;
    const wrong = (message: string, why: string) => {
      problems.push({ severity: 'error', message: `${file}:${here}: ${message}`, why });
      next(restOfLine);
    };
    const [, name = ''] = next(start) ?? [];
    if (!name) wrong('this is not NAME=value', 'a value of several lines stands in quotes');
    else if (!isSecretName(name)) wrong('that cannot be the name of a secret', secretNameFormat);
    else if (/["'`]/.test(text.charAt(at))) {
      const [whole, double, single = '', tick = ''] = next(quoted) ?? [];
      if (whole === undefined)
        wrong('a quote is opened and never closed', 'a value in quotes ends with the same quote');
      else if (next(nothing)) found.push([name, double === undefined ? single || tick : unescaped(double)]);
      else wrong('something follows the closing quote', 'within double quotes, write " as \\"');
    } else found.push([name, unquoted(next(restOfLine)?.[0] ?? '')]);
  }
  if (problems.length > 0) throw new ProjectError(`${file} cannot be read`, problems);
  return Object.fromEntries(found);
}

function linesIn(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** A comment begins at a `#` with a space before it. */
function unquoted(rest: string): string {
  return rest.replace(/(^|\s)#.*$/, '').trim();
}

function unescaped(text: string): string {
  const meant: Record<string, string> = { n: '\n', r: '\r', t: '\t' };
  return text.replace(/\\([nrt"\\$`])/g, (_, letter: string) => meant[letter] ?? letter);
}

/** Node's complaint about JSON quotes it, so it is not passed on. */
function readObject(text: string, file: string): Record<string, string> {
  const value = parsed(text);
  if (value === undefined) throw wrongObject(`${file} is not valid JSON`, 'it begins with { and so should be');
  const problems = Object.entries(value).flatMap(([name, inner], index): Problem[] => {
    const nth = `${file}: entry ${index + 1}`;
    if (!isSecretName(name)) {
      return [{ severity: 'error', message: `${nth}: that cannot be the name of a secret`, why: secretNameFormat }];
    }
    return typeof inner === 'string'
      ? []
      : [{ severity: 'error', message: `${nth}: the value of ${name} is not a text` }];
  });
  if (problems.length > 0) throw new ProjectError(`${file} cannot be read`, problems);
  return value as Record<string, string>;
}

function wrongObject(message: string, why: string): ProjectError {
  return new ProjectError(message, [{ severity: 'error', message, why }]);
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
