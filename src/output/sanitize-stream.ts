import type { Page } from './page.ts';
import { sanitizeUnredacted } from './sanitize.ts';

/** Cleans text that comes in pieces, which may end anywhere: in a character, in a control sequence, in a command. */
export interface StreamSanitizer {
  push(bytes: Uint8Array): string;
  /** What was kept back. */
  end(): string;
}

/** No more than this is kept back, characters: what is longer is no sequence that anything obeys. */
const longest = 64 * 1024;

/** A page on which a runner reads along gets whole lines: only they tell what is a command. */
export function createStreamSanitizer(page: Page): StreamSanitizer {
  const decoder = new TextDecoder();
  const held: string[] = [];
  let heldLength = 0;
  let state: State = 'text';
  const hold = (text: string) => {
    held.push(text);
    heldLength += text.length;
  };
  const release = (text: string) => {
    const whole = held.join('') + text;
    held.length = 0;
    heldLength = 0;
    return sanitizeUnredacted(whole, page);
  };
  const take = (text: string) => {
    const scanned = page.githubActions ? { end: text.lastIndexOf('\n') + 1, state } : scan(text, state);
    state = scanned.state;
    const cleaned = scanned.end > 0 ? release(text.slice(0, scanned.end)) : '';
    hold(text.slice(scanned.end));
    if (heldLength <= longest) return cleaned;
    state = 'text';
    return cleaned + release('');
  };
  return {
    push: (bytes) => take(decoder.decode(bytes, { stream: true })),
    end: () => release(decoder.decode()),
  };
}

/** Where in a control sequence the text is: behind ESC, in a CSI sequence, in a string, or behind an ESC in a string. */
type State = 'text' | 'escape' | 'csi' | 'string' | 'stringEscape';

/** How much of a piece can be shown: all but a control sequence at its end. Each character is looked at once. */
function scan(piece: string, before: State): { end: number; state: State } {
  let state = before;
  // Where the sequence began, if it goes on: perhaps in an earlier piece.
  let begun = 0;
  for (let at = 0; at < piece.length; at++) {
    if (state === 'text') begun = at;
    state = after(state, piece.charCodeAt(at));
  }
  return { end: state === 'text' ? piece.length : begun, state };
}

const bell = 0x07;
const newline = 0x0a;
const esc = 0x1b;
const backslash = 0x5c;
const stringEnd = 0x9c;
/** What opens a string behind ESC, and the C1 controls that do so alone. */
const stringOpeners = new Set([...']P^_X\u0090\u0098\u009d\u009e\u009f'].map((character) => character.charCodeAt(0)));

function after(state: State, code: number): State {
  if (code === newline) return 'text';
  if (code === esc) return state === 'string' ? 'stringEscape' : 'escape';
  if (state === 'csi' && code >= 0x20 && code <= 0x3f) return 'csi';
  if (state === 'text' || state === 'csi') return code < 0x80 ? 'text' : opened(code);
  if (state === 'string') return code === bell || code === stringEnd ? 'text' : 'string';
  if (state === 'stringEscape' && code === backslash) return 'text';
  return code >= 0x20 && code <= 0x2f ? 'escape' : opened(code);
}

function opened(code: number): State {
  if (code === 0x9b || code === 0x5b) return 'csi';
  return stringOpeners.has(code) ? 'string' : 'text';
}
