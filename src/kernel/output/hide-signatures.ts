import { startsWord } from './hide-tokens.ts';
import { hidden } from './split-secrets.ts';

const parameter =
  /(signature|(?:amz|goog)-(?:algorithm|date|expires|signedheaders)|credential|accesskeyid|accessid|key-pair-id|token|secret|passw(?:or)?d|api[-_]?key|sig|sv)(?:=|%(?:25){0,3}3D|\\u003d)/gi;
const endOfRun = /[\s"'<>`|]/g;
const endOfValue = /[\s"'<>`|&;,)\]}]|%(?:25){0,3}26|\\u0026/gi;
const question = /\?|%(?:25){0,3}3F|\\u003f/i;

/** The whole query of a signed link, also percent-encoded or JSON-escaped; without a `?`, the value alone. */
export function hideParameters(text: string): string {
  let safe = '';
  let copied = 0;
  // No `?` of the same run lies before this place: a run is searched once, however many parameters it has.
  let searched = 0;
  for (const match of text.matchAll(parameter)) {
    const at = match.index;
    const value = at + match[0].length;
    if (at < copied || !isSecretName(text, at, match[1] ?? '', value)) continue;
    const start = startOfRun(text, at, searched);
    const mark = question.exec(text.slice(start, at));
    searched = value;
    if (mark) {
      const run = next(endOfRun, text, value);
      const lines = continued(linkLine, text, run);
      // A line that ends in `&` goes on: what follows is the same query.
      const rest = lines > run && text[lines] === '&' ? next(endOfRun, text, lines) : lines;
      const end = rest === lines && lines > run ? lines : trimmed(text, value, rest);
      safe += `${text.slice(copied, start + mark.index + mark[0].length)}${hidden}`;
      copied = end;
      searched = end;
    } else {
      const line = next(endOfValue, text, value);
      searched = Math.max(searched, Math.min(line, text.length));
      if (!isSecretValue(text, at, value, line)) continue;
      const end = continued(valueLine, text, line);
      safe += `${text.slice(copied, value)}${hidden}`;
      copied = end;
    }
  }
  return safe + text.slice(copied);
}

/** `sig` and the `sv` of Azure's links are parts of other words, too. */
function isSecretName(text: string, at: number, name: string, value: number): boolean {
  if (!/^s(?:ig|v)$/i.test(name)) return true;
  if (!startsWord(text, at)) return false;
  return /^sig$/i.test(name) || /^\d{4}-\d\d-\d\d/.test(text.slice(value, value + 10));
}

/** Outside of a link, `token=` is also what programs print about themselves: only long values are hidden there. */
function isSecretValue(text: string, at: number, value: number, end: number): boolean {
  if (text[value] === '[' || /^(?:amz|goog)-/i.test(text.slice(at, at + 5))) return false;
  const isSigned = /x-(?:amz|goog)-(?:security-)?$/i.test(text.slice(Math.max(0, at - 16), at));
  return end - value >= (isSigned ? 0 : 8) && !/^sv$/i.test(text.slice(at, at + 2));
}

const lineEnd = '(?=$|[\\s"\'<>`|;,)\\]}&])';
const cut = String.raw`([ \t]*[\r\n]\s*|[ \t]+)`;

/** A next line that is nothing but the characters of a value, up to its end or to what ends a value. */
const valueLine = new RegExp(String.raw`${cut}((?:[\w.~+/=-]|%[\da-f]{2}){6,})${lineEnd}`, 'iy');

/** The same for what is left of a query. */
const linkLine = new RegExp(String.raw`${cut}((?:[\w.~+/=&-]|%[\da-f]{2}){6,})${lineEnd}`, 'iy');

/** A line of one word is the next sentence rather than the rest of a secret. */
const word = /^(?![\da-f]+$)[A-Z]?[a-z]+(?:-[a-z]+)*\.?$/;

/** Behind a blank, more is needed: most words there are not the rest of anything. */
const certainRest = /[&%]|[\da-f]{16}/i;

/** The end of what was cut into lines or by blanks, as programs do with long lines. */
function continued(line: RegExp, text: string, from: number): number {
  let end = from;
  for (;;) {
    line.lastIndex = end;
    const [, between = '', rest] = line.exec(text) ?? [];
    if (rest === undefined || word.test(rest)) return end;
    if (!/[\r\n]/.test(between) && !certainRest.test(rest)) return end;
    end = line.lastIndex;
  }
}

function startOfRun(text: string, at: number, least: number): number {
  let start = at;
  while (start > least && !isBreak(text.charCodeAt(start - 1))) start--;
  return start;
}

function isBreak(code: number): boolean {
  return (
    code <= 0x20 || code === 0x22 || code === 0x27 || code === 0x3c || code === 0x3e || code === 0x60 || code === 0x7c
  );
}

/** Where the pattern matches next, or the end of the text. */
function next(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}

/** Without punctuation of the sentence around the link. */
function trimmed(text: string, from: number, end: number): number {
  let last = end;
  while (last > from && /[\\)\]},.;]/.test(text[last - 1] ?? '')) last--;
  return last;
}

const signature = /(signature[\s\S]{0,24}?)(?<![\w+/-])([\da-f]{32,}(?![\w+/])|[\w+/-]{27,}={0,2})/gi;
const element = /(<(?:stringtosign|signature\w{0,20})>)([^<]{8,})/gi;

/** Signatures that an error names: `the signature was 5165…`, `<SignatureProvided>…`. What was signed holds one, too. */
export function hideSignatures(text: string): string {
  const safe = text.replace(element, `$1${hidden}`);
  let all = '';
  let copied = 0;
  for (const match of safe.matchAll(signature)) {
    const [whole, before = '', value = ''] = match;
    if (match.index < copied || !looksRandom(value)) continue;
    all += `${safe.slice(copied, match.index)}${before}${hidden}`;
    copied = continued(valueLine, safe, match.index + whole.length);
  }
  return all + safe.slice(copied);
}

/** Names of files and of errors are long, too. */
function looksRandom(value: string): boolean {
  return /^[\da-f]+$/i.test(value) || (/[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value));
}
