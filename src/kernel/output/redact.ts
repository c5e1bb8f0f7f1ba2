import type { KnownSecrets } from './known-secrets.ts';
import { hidden } from './split-secrets.ts';

/**
 * Hides credentials: the secrets of this run, and whatever looks like a bearer token, the value of a header such as
 * `Authorization`, `X-Auth-Token` or `Cookie`, a password in a URL or the query of a signed link. Every step reads the
 * text once, so hostile text costs linear time.
 */
export function redact(text: string, secrets?: KnownSecrets): string {
  const unknown = secrets ? secrets.hideIn(text) : text;
  if (!suspicious.test(unknown)) return unknown;
  const steps = [
    hideHeaders,
    hideCookies,
    hideTokens,
    hideSchemes,
    hideProperties,
    hideUserInfo,
    hideParameters,
    hideSignatures,
  ];
  return steps.reduce((safe, step) => step(safe), unknown);
}

/** Whether {@link redact} could change the text. True for some harmless texts, but never false for a secret. */
export function mayHoldSecret(text: string, secrets: KnownSecrets): boolean {
  return suspicious.test(text) || secrets.hideIn(text) !== text;
}

/** What every pattern of these steps begins with or contains. An alternation of literals cannot backtrack. */
const suspicious =
  /eyJ|cookie|session|bearer|basic|authorization|@|api.?key|sig|credential|token|secret|passw|access(?:key)?id|(?:access|functions|private|subscription)-?key|key-pair-id|auth|sv(?:=|%)|stringtosign|(?:amz|goog)-/i;

const schemeNames = 'bearer|basic|digest|token|negotiate|apikey';
const gap = '(?:\\s|%20|\\+|\\\\[nrt])';
/** What ends the names of other headers that let in: `X-Auth-Token`, `api-key`, `x-session-id`. */
const keyWords = 'api|access|auth|functions|private|secret|subscription';
const secretHeader = `\\bx-auth|\\bapi-?key|[a-z\\d]-(?:token|secret|passw(?:or)?d|session(?:-?id)?|(?:${keyWords})-?key)`;

const header = new RegExp(
  `((?:(?:authorization|x-api-key)${endOfName('[:=]|%3A|%3D')}|(?:${secretHeader})${endOfName(':|%3A')})` +
    `(?:${gap}|\\\\{0,3}["'[]){0,6})((?:(?:${schemeNames})${gap}{1,8})?)([^\\s"',;<>&\\\\\\]}[]+)`,
  'gi',
);

function endOfName(separator: string): string {
  return `\\\\{0,3}["']?\\s{0,4}(?:${separator})`;
}

const schemeName = new RegExp(`^(?:${schemeNames})$`, 'i');

/** `Authorization: Bearer abc` in any spelling; the scheme stays, as it helps to understand the error. */
function hideHeaders(text: string): string {
  return text.replace(header, (whole, name: string, scheme: string, value: string, at: number) =>
    schemeName.test(value) || value === hiddenWord || isSentence(text, at, whole, value)
      ? whole
      : `${name}${scheme}${hidden}`,
  );
}

/** A text that was redacted before stays as it is. */
const hiddenWord = hidden.slice(1, -1);

/** Docker says `may require authorization: server message: ...`, and gantry `unknown flag "--token": did you mean ...`. */
function isSentence(text: string, at: number, whole: string, value: string): boolean {
  if (text.startsWith('did you mean -', at + whole.length - value.length)) return true;
  return /^[a-z]{1,12}$/.test(value) && /\brequires? $/.test(text.slice(Math.max(0, at - 12), at));
}

/** Up to the end of the list, of the text in quotes, or of the line. */
const cookieHeader =
  /(cookie2?\\{0,3}["']?\s{0,4}:\s{0,4})(\[[^\]]*|"(?:[^"\\\r\n]|\\.)*|\\{1,3}"[^"\\\r\n]*|\\{0,3}'[^'\r\n]*|[^\r\n]*)/gi;

const cookie = /([!#$%&*+.^`|~\w-]{1,256}=(?:\\?")?)(?!\[hidden\]?)[^\s"',;\\]+/g;

const cookieAttribute = /^(?:domain|expires|max-age|path|priority|samesite|version)=$/i;

/** `Cookie: session=abc; theme=dark`: nobody knows which of them lets in, so that only their names stay. */
function hideCookies(text: string): string {
  return text.replace(
    cookieHeader,
    (_, name: string, values: string) =>
      name + values.replace(cookie, (pair, key: string) => (cookieAttribute.test(key) ? pair : `${key}${hidden}`)),
  );
}

const bearer = new RegExp(`(bearer)(${gap}{1,8})(?!bearer|basic)([\\w.~+/=%-]+)`, 'gi');
const basic = new RegExp(`(basic)(${gap}{1,8})([\\w.~+/=%-]+)`, 'gi');

const prose =
  /^(?:tokens?|auth|authentication|authorization|credentials?|headers?|schemes?|formats?|is|was|in|or|and|not|required|must|has|of|for|from|to|realm.*)[.,]?$/i;

/** `Bearer abc` and `Basic dXNlcjpwYXNz`, but not "the Bearer token" or "Basic plan". */
function hideSchemes(text: string): string {
  return text
    .replace(bearer, (whole, name: string, between: string, value: string) =>
      prose.test(value) ? whole : `${name}${between}${hidden}${fullStop(value)}`,
    )
    .replace(basic, (whole, name: string, between: string, value: string) =>
      holdsPassword(value) ? `${name}${between}${hidden}${fullStop(value)}` : whole,
    );
}

/** The end of a sentence is none of the secret. */
function fullStop(value: string): string {
  return value.endsWith('.') ? '.' : '';
}

function holdsPassword(value: string): boolean {
  const base64 = value.slice(0, 4_096).replace(/%3D/gi, '=').replace(/%2B/gi, '+').replace(/%2F/gi, '/');
  return value.length > 4_096 || Buffer.from(base64, 'base64').includes(':');
}

const property =
  /(\\{0,3}["'](?:(?:[a-z]{2,12}_?)?token|(?:client_?)?secret|passwo?r?d|api_?key|(?:docker)?auth|authorization)\\{0,3}["']\s{0,4}[:=]\s{0,4}\\{0,3}["'])([^"'\\\s[][^"'\\\s]*)/gi;
const ambiguous = /^\W{1,4}(?:token|secret|auth)\W/i;

/** `"access_token": "abc"` in a body that a message repeats. A short `"token"` may be a word of a language model. */
function hideProperties(text: string): string {
  return text.replace(property, (whole, name: string, value: string) =>
    ambiguous.test(name) && value.length < 16 ? whole : name + hidden,
  );
}

const userInfo = /:\/\/[^\s/?#@:"'<>]{0,256}:[^\s/?#@"'<>]{1,512}@/g;
const encodedUserInfo = /%3A%2F%2F[^\s/?#@:"'<>%]{0,256}%3A[^\s/?#@"'<>%]{1,512}%40/gi;

/** `https://user:password@host`. */
function hideUserInfo(text: string): string {
  return text.replace(userInfo, `://${hidden}@`).replace(encodedUserInfo, `%3A%2F%2F${hidden}%40`);
}

const parameter =
  /(signature|(?:amz|goog)-(?:algorithm|date|expires|signedheaders)|credential|accesskeyid|accessid|key-pair-id|token|secret|passw(?:or)?d|api[-_]?key|sig|sv)(?:=|%(?:25){0,3}3D|\\u003d)/gi;
const endOfRun = /[\s"'<>`|]/g;
const endOfValue = /[\s"'<>`|&;,)\]}]|%(?:25){0,3}26|\\u0026/gi;
const question = /\?|%(?:25){0,3}3F|\\u003f/i;

/** The whole query of a signed link, also percent-encoded or JSON-escaped; without a `?`, the value alone. */
function hideParameters(text: string): string {
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
    const secret = mark
      ? { start: start + mark.index + mark[0].length, ...endOfQuery(text, value) }
      : { start: value, ...endOfParameter(text, at, value) };
    searched = Math.max(mark ? 0 : value, secret.searched);
    if (secret.end === undefined) continue;
    safe += `${text.slice(copied, secret.start)}${hidden}`;
    copied = secret.end;
  }
  return safe + text.slice(copied);
}

function endOfQuery(text: string, value: number) {
  const run = next(endOfRun, text, value);
  const lines = continued(linkLine, text, run);
  // A line that ends in `&` goes on: what follows is the same query.
  const rest = lines > run && text[lines] === '&' ? next(endOfRun, text, lines) : lines;
  const end = rest === lines && lines > run ? lines : trimmed(text, value, rest);
  return { end, searched: end };
}

/** The end is undefined for what is no secret. */
function endOfParameter(text: string, at: number, value: number) {
  const line = next(endOfValue, text, value);
  const end = isSecretValue(text, at, value, line) ? continued(valueLine, text, line) : undefined;
  return { end, searched: Math.min(line, text.length) };
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
  const isPassword = /^passw/i.test(text.slice(at, at + 5)) && !noValue.test(text.slice(value, end));
  return end - value >= (isSigned ? 0 : isPassword ? 1 : 8) && !/^sv$/i.test(text.slice(at, at + 2));
}

/** What programs print of a password that is not set, or of whether one is. */
const noValue = /^(?:none|null|nil|undefined|true|false|yes|no|\W*)$/i;

const lineEnd = '(?=$|[\\s"\'<>`|;,)\\]}&])';
const cut = String.raw`([ \t]*[\r\n]\s*|[ \t]+)`;

/** A next line that is nothing but the characters of a value, up to its end or to what ends a value. */
const valueLine = new RegExp(String.raw`${cut}((?:[\w.~+/=-]|%[\da-f]{2}){6,})${lineEnd}`, 'iy');

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
  while (start > least && !breaks.test(text.charAt(start - 1))) start--;
  return start;
}

const breaks = /[\0-\x20"'<>`|]/;

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
function hideSignatures(text: string): string {
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

const segment = /[\w-]*/y;

/** JWTs: three segments, or two that are both JSON objects. `keyJar.a.b` is not one. */
function hideTokens(text: string): string {
  let safe = '';
  let copied = 0;
  let head: TokenShape = { headEnd: -1, end: -1, certain: false };
  for (let at = text.indexOf('eyJ'); at >= 0; at = text.indexOf('eyJ', Math.max(at + 3, copied))) {
    if (at >= head.headEnd) head = shapeAt(text, at);
    if (head.end < 0 || !(head.certain || startsWord(text, at))) continue;
    safe += `${text.slice(copied, at)}[token]`;
    copied = head.end;
  }
  return safe + text.slice(copied);
}

interface TokenShape {
  /** Where the first segment ends. All starts within it share the rest, which is read once. */
  headEnd: number;
  /** Where the token ends, or -1 if this is not one. */
  end: number;
  certain: boolean;
}

function shapeAt(text: string, at: number): TokenShape {
  const headEnd = segmentEnd(text, at);
  if (text[headEnd] !== '.') return { headEnd, end: -1, certain: false };
  const payloadEnd = segmentEnd(text, headEnd + 1);
  const certain = text.startsWith('eyJ', headEnd + 1);
  const complete = text[payloadEnd] === '.';
  if (!certain && (!complete || payloadEnd === headEnd + 1)) return { headEnd, end: -1, certain };
  return { headEnd, end: complete ? segmentEnd(text, payloadEnd + 1) : payloadEnd, certain };
}

function segmentEnd(text: string, from: number): number {
  segment.lastIndex = from;
  segment.test(text);
  return segment.lastIndex;
}

/** Whether the character before is no letter of the same word; `%3D` and `\n` end in letters, too. */
function startsWord(text: string, at: number): boolean {
  return (
    !/[a-z]$/i.test(text.slice(Math.max(0, at - 1), at)) ||
    /(?:%[\da-f]{2}|\\(?:u[\da-f]{4}|[nrt]))$/i.test(text.slice(Math.max(0, at - 6), at))
  );
}
