import { once } from '../once.ts';
import { hidden, hideCut, SecretSequence } from './split-secrets.ts';

/** A shorter value is most likely also a harmless word, and hiding it would make messages unreadable. */
const shortest = 6;
/** A shorter value is hidden only where it stands alone: `debug` is not hidden in `debugger`. */
const longEnough = 12;
const isLong = ({ length }: string) => length >= longEnough;

/** The secrets that this run has read or received. Code that reads a secret adds it; everything that is printed is checked against them. */
export class KnownSecrets {
  #exact: readonly string[] = [];
  #words: readonly string[] = [];
  /** The long spellings without what {@link gaps} matches. */
  #joined: readonly string[] = [];
  /** Longest first: a spelling may contain a shorter one. */
  #long: readonly string[] = [];
  readonly #added = new Set<string>();

  add(...secrets: unknown[]): void {
    for (const secret of secrets.flat().flatMap((value) => (typeof value === 'string' ? withParts(value) : []))) {
      if (secret.length < shortest || this.#added.has(secret)) continue;
      this.#added.add(secret);
      const inPart = spellings(secret);
      const long = inPart.filter(isLong);
      this.#words = [...new Set([...this.#words, ...inPart.filter((spelling) => !isLong(spelling))])];
      this.#exact = [...new Set([...this.#exact, ...long, ...hexadecimal(secret)])];
      this.#long = [...new Set([...this.#long, ...long])].sort((a, b) => b.length - a.length);
      this.#joined = [...new Set(this.#exact.map(joined))].filter(isLong);
    }
  }

  hideIn(text: string): string {
    const broken = this.#hideBroken(text);
    const exact = this.#exact.flatMap((spelling) => rangesOf(spelling, broken));
    const begun = this.#long.flatMap((secret) => beginningsIn(broken, secret));
    const whole = hideRanges(broken, [...exact, ...begun]);
    // Beside a secret that is hidden by now, a short one stands alone.
    const words = this.#words.flatMap((word) => rangesOf(word, whole).filter((range) => standsAlone(whole, range)));
    return hideCut(hideRanges(whole, words), this.#long);
  }

  /** For texts that follow each other, such as the lines of a log: a secret may begin in one and end in the next. */
  inSequence(): SecretSequence {
    return new SecretSequence(() => this.#long);
  }

  /** Long secrets, also where line breaks or invisible characters are between their characters. */
  #hideBroken(text: string): string {
    const whole = joined(text);
    if (whole === text) return text;
    const ranges = this.#joined.flatMap((spelling) => rangesOf(spelling, whole));
    return ranges.length === 0 ? text : hideRanges(text, ranges, placesIn(text));
  }
}

/** A key of several lines may be printed line by line, and a JWT in its parts. The first part of a JWT is no secret. */
function withParts(secret: string): string[] {
  const lines = secret.split(/\r?\n/);
  const segments = /^[\w-]+\.[\w-]+\.[\w-]+$/.test(secret.trim()) ? secret.trim().split('.').slice(1) : [];
  const parts = [...(lines.length > 1 ? lines : []), ...segments];
  return [secret.trim(), ...parts.filter(isLong)];
}

/** As it is, in JSON, in URLs, in HTML, and in base64, also as part of a longer text. */
function spellings(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const ascii = json.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const plain = [
    secret,
    json,
    JSON.stringify(JSON.stringify(secret)).slice(3, -3),
    ...[ascii, ascii.replace(/\\u[\da-f]{4}/g, (unit) => `\\u${unit.slice(2).toUpperCase()}`)],
    ...inUrls(secret),
    escapedHtml(secret),
  ];
  if (secret.length < longEnough) return plain;
  return [...plain, ...[0, 1, 2].flatMap((offset) => base64At(secret, offset))];
}

/** Hidden as a whole only: a part of it may be any number. */
function hexadecimal(secret: string): string[] {
  if (secret.length < longEnough) return [];
  const hex = Buffer.from(secret).toString('hex');
  return [hex, hex.toUpperCase()];
}

/** Some programs encode more characters than others. */
function inUrls(secret: string): string[] {
  const encoded = encodeURIComponent(secret.replace(/\p{Surrogate}/gu, '\ufffd'));
  const strict = encoded.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const all = [encoded, strict].flatMap((each) => [each, each.replaceAll('%2F', '/'), each.replaceAll('%20', '+')]);
  return [
    ...all,
    ...all.map((each) => each.replace(/%[\dA-F]{2}/g, (hex) => hex.toLowerCase())),
    encodeURIComponent(encoded),
  ];
}

function escapedHtml(secret: string): string {
  return secret.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}

/** The characters of base64 that depend on the secret alone, when `offset` other bytes come before it. */
function base64At(secret: string, offset: number): string[] {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  const from = Math.ceil((offset * 8) / 6);
  const to = Math.floor((bytes.length * 8) / 6);
  return [bytes.toString('base64').slice(from, to), bytes.toString('base64url').slice(from, to)];
}

/** Others may have cut a secret without a mark: at least a third of it, as far as the text agrees. */
function beginningsIn(text: string, secret: string): Range[] {
  const beginning = secret.slice(0, Math.max(longEnough, Math.ceil(secret.length / 3)));
  return rangesOf(beginning, text).map(([from]) => [from, from + agreement(text, from, secret)]);
}

function agreement(text: string, from: number, secret: string): number {
  let length = 0;
  while (length < secret.length && text[from + length] === secret[length]) length++;
  return length;
}

/** No letter or digit is beside it; `%3D` and `\n` end in letters, too. */
function standsAlone(text: string, [from, to]: Range): boolean {
  const isBegun = /[A-Za-z0-9_]/.test(text[from - 1] ?? '');
  const isEscaped = /%[\dA-Fa-f]{2}$|\\[nrt]$/.test(text.slice(Math.max(0, from - 3), from));
  return (!isBegun || isEscaped) && !/[A-Za-z0-9_]/.test(text[to] ?? '');
}

/** CSI sequences such as colors, and strings such as titles. */
const sequence = String.raw`\u001b(?:\[[0-?]*[ -\/]*[@-~]|\][^\u0007\u001b\n]*(?:\u0007|\u001b\\))`;
/** Escape sequences and lone control characters, as JSON writes them. */
const escaped = String.raw`\\{1,4}(?:u001b\[[0-?]*[ -\/]*[@-~]|u00(?:[0189][\da-f]|20|7f|a0|ad)|u(?:20[0-6][\da-f]|feff)|[nrtbf]|\r?\n)`;

/** What does not end a secret: it may be wrapped, or hold what nobody sees. V8 needs over a millisecond to compile it. */
const gaps = once(() => new RegExp(String.raw`${sequence}|${escaped}|%(?:0[\dad]|20)|[\s\p{Cc}\p{Cf}\p{DI}]+`, 'giu'));

/** Text in which only white space can be a gap: no escape sequence, no percent-encoding, nothing beyond ASCII. */
const ordinary = /^[\t\n\r !-$&-[\]-~]*$/;

function joined(text: string): string {
  return text.replace(ordinary.test(text) ? /[\t\n\r ]+/g : gaps(), '');
}

type Range = [from: number, to: number];

function rangesOf(spelling: string, text: string): Range[] {
  const ranges: Range[] = [];
  for (let at = text.indexOf(spelling); at >= 0; at = text.indexOf(spelling, at + spelling.length)) {
    ranges.push([at, at + spelling.length]);
  }
  return ranges;
}

/** Hides ranges of a text, or of what `placeOf` finds in it. It is read once. */
function hideRanges(text: string, ranges: Range[], placeOf = (at: number) => at): string {
  let safe = '';
  let copied = 0;
  for (const [from, to] of merged(ranges)) {
    safe += `${text.slice(copied, placeOf(from))}${hidden}`;
    copied = placeOf(to - 1) + 1;
  }
  return safe + text.slice(copied);
}

function merged(ranges: Range[]): Range[] {
  const all: Range[] = [];
  for (const [from, to] of ranges.sort((a, b) => a[0] - b[0])) {
    const last = all.at(-1);
    if (last && from < last[1]) last[1] = Math.max(last[1], to);
    else all.push([from, to]);
  }
  return all;
}

/** Tells where a character of the joined text is in the text. Asked for places in rising order only. */
function placesIn(text: string): (at: number) => number {
  const all = text.matchAll(gaps());
  let gap = all.next();
  let left = 0;
  return (at) => {
    while (!gap.done && gap.value.index - left <= at) {
      left += gap.value[0].length;
      gap = all.next();
    }
    return at + left;
  };
}
