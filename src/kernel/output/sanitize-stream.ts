import type { Page } from './page.ts';
import { sanitizeUnredacted } from './sanitize.ts';

/** In characters. Longer sequences are not obeyed by anything. */
const maxHeldLength = 64 * 1024;

/** Chunks may end anywhere. For GitHub runners, emits whole lines: workflow commands are known by their line. */
export function createStreamSanitizer(page: Page) {
  const decoder = new TextDecoder();
  const held: string[] = [];
  let heldLength = 0;
  let state: State = 'text';
  const hold = (text: string) => {
    held.push(text);
    heldLength += text.length;
  };
  const release = (text: string) => {
    const all = held.join('') + text;
    held.length = 0;
    heldLength = 0;
    return sanitizeUnredacted(all, page);
  };
  const push = (text: string) => {
    const scanned = page.githubActions ? { end: text.lastIndexOf('\n') + 1, state } : scan(text, state);
    state = scanned.state;
    const sanitized = scanned.end > 0 ? release(text.slice(0, scanned.end)) : '';
    hold(text.slice(scanned.end));
    if (heldLength <= maxHeldLength) return sanitized;
    state = 'text';
    return sanitized + release('');
  };
  return {
    push: (bytes: Uint8Array) => push(decoder.decode(bytes, { stream: true })),
    end: () => release(decoder.decode()),
  };
}

/** The position in a control sequence: after ESC, in a CSI sequence, in a control string, or after an ESC in one. */
type State = 'text' | 'escape' | 'csi' | 'string' | 'stringEscape';

/** How much of a chunk can be shown: all but an unfinished control sequence at its end. Reads each character once. */
function scan(chunk: string, before: State): { end: number; state: State } {
  let state = before;
  // The start of an unfinished sequence; 0 if it began in an earlier chunk.
  let start = 0;
  for (let at = 0; at < chunk.length; at++) {
    if (state === 'text') start = at;
    state = nextState(state, chunk.charCodeAt(at));
  }
  return { end: state === 'text' ? chunk.length : start, state };
}

const bell = 0x07;
const newline = 0x0a;
const esc = 0x1b;
const backslash = 0x5c;
const stringEnd = 0x9c;
/** The characters after ESC that open a control string, and the C1 controls that open one. */
const stringOpeners = new Set([...']P^_X\u0090\u0098\u009d\u009e\u009f'].map((character) => character.charCodeAt(0)));

function nextState(state: State, code: number): State {
  if (code === newline) return 'text';
  if (code === esc) return state === 'string' ? 'stringEscape' : 'escape';
  return next[state](code);
}

const afterText = (code: number) => (code < 0x80 ? 'text' : stateAfterEscape(code));
const afterEscape = (code: number) => (code >= 0x20 && code <= 0x2f ? 'escape' : stateAfterEscape(code));

/** What a character that is neither an ESC nor a line break makes of each state. */
const next: Record<State, (code: number) => State> = {
  text: afterText,
  csi: (code) => (code >= 0x20 && code <= 0x3f ? 'csi' : afterText(code)),
  string: (code) => (code === bell || code === stringEnd ? 'text' : 'string'),
  stringEscape: (code) => (code === backslash ? 'text' : afterEscape(code)),
  escape: afterEscape,
};

function stateAfterEscape(code: number): State {
  if (code === 0x9b || code === 0x5b) return 'csi';
  return stringOpeners.has(code) ? 'string' : 'text';
}
