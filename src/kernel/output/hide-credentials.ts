import { hidden } from './split-secrets.ts';

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
export function hideHeaders(text: string): string {
  return text.replace(header, (whole, name: string, scheme: string, value: string, at: number) =>
    schemeName.test(value) || value === hiddenWord || isSentence(text, at, value) ? whole : `${name}${scheme}${hidden}`,
  );
}

/** A text that was redacted before stays as it is. */
const hiddenWord = hidden.slice(1, -1);

/** Docker says `may require authorization: server message: ...`. */
function isSentence(text: string, at: number, value: string): boolean {
  return /^[a-z]{1,12}$/.test(value) && /\brequires? $/.test(text.slice(Math.max(0, at - 12), at));
}

/** Up to the end of the list, of the text in quotes, or of the line. */
const cookieHeader =
  /(cookie2?\\{0,3}["']?\s{0,4}:\s{0,4})(\[[^\]]*|"(?:[^"\\\r\n]|\\.)*|\\{1,3}"[^"\\\r\n]*|\\{0,3}'[^'\r\n]*|[^\r\n]*)/gi;

const cookie = /([!#$%&*+.^`|~\w-]{1,256}=(?:\\?")?)(?!\[hidden\]?)[^\s"',;\\]+/g;

/** What a `Set-Cookie` says about its cookie. */
const cookieAttribute = /^(?:domain|expires|max-age|path|priority|samesite|version)=$/i;

/** `Cookie: session=abc; theme=dark`: nobody knows which of them lets in, so that only their names stay. */
export function hideCookies(text: string): string {
  return text.replace(
    cookieHeader,
    (_, name: string, values: string) =>
      name + values.replace(cookie, (pair, key: string) => (cookieAttribute.test(key) ? pair : `${key}${hidden}`)),
  );
}

const bearer = new RegExp(`(bearer)(${gap}{1,8})(?!bearer|basic)([\\w.~+/=%-]+)`, 'gi');
const basic = new RegExp(`(basic)(${gap}{1,8})([\\w.~+/=%-]+)`, 'gi');

/** What follows "bearer" in a sentence. */
const prose =
  /^(?:tokens?|auth|authentication|authorization|credentials?|headers?|schemes?|formats?|is|was|in|or|and|not|required|must|has|of|for|from|to|realm.*)[.,]?$/i;

/** `Bearer abc` and `Basic dXNlcjpwYXNz`, but not "the Bearer token" or "Basic plan". */
export function hideSchemes(text: string): string {
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
export function hideProperties(text: string): string {
  return text.replace(property, (whole, name: string, value: string) =>
    ambiguous.test(name) && value.length < 16 ? whole : name + hidden,
  );
}

const userInfo = /:\/\/[^\s/?#@:"'<>]{0,256}:[^\s/?#@"'<>]{1,512}@/g;
const encodedUserInfo = /%3A%2F%2F[^\s/?#@:"'<>%]{0,256}%3A[^\s/?#@"'<>%]{1,512}%40/gi;

/** `https://user:password@host`. */
export function hideUserInfo(text: string): string {
  return text.replace(userInfo, `://${hidden}@`).replace(encodedUserInfo, `%3A%2F%2F${hidden}%40`);
}
