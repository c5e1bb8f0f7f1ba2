import { shown } from './clean.ts';
import type { Page } from './page.ts';

/** Cleans text that comes in pieces, which may end anywhere: in a character, in a control sequence, in a command. */
export interface Cleaner {
  take(bytes: Uint8Array): string;
  /** What was kept back. */
  end(): string;
}

/** No more than this is kept back, characters: what is longer is no sequence that anything obeys. */
const longest = 64 * 1024;
/** What may begin a control sequence: ESC, and the C1 controls that are as good as ESC and a letter. */
const opening = /[\u001b\u0090\u0098\u009b\u009d-\u009f]/;
/** A sequence that has ended: CSI, one of two characters, or a string with its terminator. */
const whole = new RegExp(
  [
    '^(?:(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]',
    '\\u001b[ -/]*[0-OQ-WYZ`-~]',
    '(?:\\u001b[\\]P^_X]|[\\u009d\\u0090\\u009e\\u009f\\u0098])[^\\u0007\\u001b\\u009c]*(?:\\u0007|\\u001b\\\\|\\u009c))',
  ].join('|'),
);

/** A page on which a runner reads along gets whole lines: only they tell what is a command. */
export function cleaner(page: Page): Cleaner {
  const decoder = new TextDecoder();
  let kept = '';
  const release = (text: string, end: number) => {
    kept = text.slice(end);
    return shown(text.slice(0, end), page);
  };
  return {
    take(bytes) {
      const text = kept + decoder.decode(bytes, { stream: true });
      const line = text.lastIndexOf('\n') + 1;
      const end = page.githubActions ? line : line + unfinished(text.slice(line));
      return release(text, text.length - end > longest ? text.length : end);
    },
    end() {
      const text = kept + decoder.decode();
      return release(text, text.length);
    },
  };
}

/** Where in a line the first control sequence begins that has not ended; its length when there is none. */
function unfinished(line: string): number {
  let at = 0;
  for (;;) {
    const found = line.slice(at).search(opening);
    if (found < 0) return line.length;
    const sequence = whole.exec(line.slice(at + found));
    if (!sequence) return at + found;
    at += found + sequence[0].length;
  }
}
