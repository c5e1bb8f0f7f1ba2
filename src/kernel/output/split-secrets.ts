export const hidden = '[hidden]';

/** A shorter piece of a secret tells too little to be worth hiding. */
const shortest = 6;

/**
 * Hides secrets in texts that come one after another, such as the lines of a log: a program or the platform may have
 * divided a long line in the middle of a secret. A text that ends with the beginning of one loses it at once, so that
 * nothing has to wait for the next text; that one loses the rest.
 */
export class SecretSequence {
  /** What must follow, by source, if what came last was the beginning of a secret. */
  readonly #rests = new Map<string, string[]>();

  constructor(private readonly secrets: () => readonly string[]) {}

  /** `source` is whose texts follow each other. */
  hideIn(source: string, text: string): string {
    const rests = this.#rests.get(source) ?? [];
    const start = text.length - text.trimStart().length;
    const end = text.trimEnd().length;
    if (end <= start) return text;
    const body = text.slice(start, end);
    const next: string[] = [];
    let from = 0;
    for (const rest of rests) {
      if (body.startsWith(rest)) from = Math.max(from, rest.length);
      else if (rest.startsWith(body)) {
        from = body.length;
        next.push(rest.slice(body.length));
      }
    }
    let to = body.length;
    for (const secret of this.secrets()) {
      for (const length of beginningsAtEnd(secret, body)) {
        next.push(secret.slice(length));
        if (length >= shortest) to = Math.min(to, body.length - length);
      }
    }
    if (next.length > 0) this.#rests.set(source, next);
    else this.#rests.delete(source);
    return text.slice(0, start) + hiddenAround(body, from, to) + text.slice(end);
  }
}

/** Where a text was cut: every cut of ours is marked with the first, many of others with the second. */
const marks = /(…|\.\.\.)/;

export function hideCut(text: string, secrets: readonly string[]): string {
  if (!marks.test(text)) return text;
  const longest = secrets.reduce((most, { length }) => Math.max(most, length), 0);
  return text
    .split(marks)
    .map((piece, index, { length }) => {
      if (index % 2 === 1) return piece;
      const to = index === length - 1 ? piece.length : cutEnd(piece, secrets, longest);
      const from = index === 0 ? 0 : cutStart(piece, secrets, longest);
      return from === 0 && to === piece.length ? piece : hiddenAround(piece, from, to);
    })
    .join('');
}

function cutEnd(piece: string, secrets: readonly string[], longest: number): number {
  if (piece.length < shortest) return piece.length;
  const end = piece.slice(-longest - 1).trimEnd();
  const dropped = Math.min(piece.length, longest + 1) - end.length;
  const [most = 0] = secrets.flatMap((secret) => [...beginningsAtEnd(secret, end)]).sort((a, b) => b - a);
  return most < shortest ? piece.length : piece.length - dropped - most;
}

function cutStart(piece: string, secrets: readonly string[], longest: number): number {
  if (piece.length < shortest) return 0;
  const start = piece.slice(0, longest);
  const most = secrets.reduce((most, secret) => Math.max(most, endAtStart(secret, start)), 0);
  return most < shortest ? 0 : most;
}

/** Lengths of the beginnings of a secret that the text ends with, the longest first; all of it is none of them. */
function* beginningsAtEnd(secret: string, text: string): Generator<number> {
  const first = secret.charAt(0);
  const from = Math.max(0, text.length - secret.length + 1);
  for (let at = text.indexOf(first, from); at >= 0; at = text.indexOf(first, at + 1)) {
    if (secret.startsWith(text.slice(at))) yield text.length - at;
  }
}

function endAtStart(secret: string, text: string): number {
  const first = text.charAt(0);
  for (let at = secret.indexOf(first, 1); at >= 0; at = secret.indexOf(first, at + 1)) {
    if (text.startsWith(secret.slice(at))) return secret.length - at;
  }
  return 0;
}

function hiddenAround(text: string, from: number, to: number): string {
  if (from >= to) return hidden;
  return `${from > 0 ? hidden : ''}${text.slice(from, to)}${to < text.length ? hidden : ''}`;
}
