/** A shorter value is most likely also a harmless word, and hiding it would make messages unreadable. */
const shortest = 6;
/** A shorter value is hidden only where it stands alone: `debug` is not hidden in `debugger`. */
const longEnough = 12;

/** The secrets that this run has read or received. Whoever reads one adds it; everything printed goes past here. */
export class KnownSecrets {
  /** Longest first: a spelling may contain a shorter one. */
  #spellings: string[] = [];
  readonly #added = new Set<string>();

  /** Takes whatever may be a secret; only texts can be. */
  add(...secrets: unknown[]): void {
    for (const secret of secrets.flatMap((value) => (typeof value === 'string' ? withLines(value) : []))) {
      if (secret.length < shortest || this.#added.has(secret)) continue;
      this.#added.add(secret);
      const all = new Set([...this.#spellings, ...spellings(secret)]);
      this.#spellings = [...all].sort((a, b) => b.length - a.length);
    }
  }

  isIn(text: string): boolean {
    return this.#spellings.some((spelling) => text.includes(spelling));
  }

  hideIn(text: string): string {
    return this.#spellings.reduce((safe, spelling) => {
      if (!safe.includes(spelling)) return safe;
      return spelling.length >= longEnough ? safe.replaceAll(spelling, '[hidden]') : hideWord(safe, spelling);
    }, text);
  }
}

/** A key of several lines may be printed line by line. */
function withLines(secret: string): string[] {
  const lines = secret.split(/\r?\n/).filter((line) => line.length >= longEnough);
  return [secret.trim(), ...(lines.length > 1 ? lines : [])];
}

/** As it is, in JSON, in URLs, in HTML, and in base64, also as part of a longer text. */
function spellings(secret: string): string[] {
  const encoded = encodeURIComponent(secret.replace(/\p{Surrogate}/gu, '\ufffd'));
  const plain = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    JSON.stringify(JSON.stringify(secret)).slice(3, -3),
    encoded,
    encoded.replace(/%[\dA-F]{2}/g, (hex) => hex.toLowerCase()),
    encoded.replaceAll('%20', '+'),
    encodeURIComponent(encoded),
    escapedHtml(secret),
  ];
  return secret.length < longEnough ? plain : [...plain, ...[0, 1, 2].flatMap((offset) => base64At(secret, offset))];
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

function hideWord(text: string, word: string): string {
  let safe = '';
  let copied = 0;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
    const end = at + word.length;
    if (
      /[A-Za-z0-9_]/.test(text[at - 1] ?? '') &&
      !/%[\dA-Fa-f]{2}$|\\[nrt]$/.test(text.slice(Math.max(0, at - 3), at))
    )
      continue;
    if (/[A-Za-z0-9_]/.test(text[end] ?? '')) continue;
    safe += `${text.slice(copied, at)}[hidden]`;
    copied = end;
  }
  return safe + text.slice(copied);
}
