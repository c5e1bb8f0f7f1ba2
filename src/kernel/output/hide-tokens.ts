const segment = /[\w-]*/y;

/** JWTs: three segments, or two that are both JSON objects. `keyJar.a.b` is not one. */
export function hideTokens(text: string): string {
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
export function startsWord(text: string, at: number): boolean {
  return (
    !/[a-z]$/i.test(text.slice(Math.max(0, at - 1), at)) ||
    /(?:%[\da-f]{2}|\\(?:u[\da-f]{4}|[nrt]))$/i.test(text.slice(Math.max(0, at - 6), at))
  );
}
