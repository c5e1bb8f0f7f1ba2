import type { Page } from './page.ts';
import { sanitizeUnredacted } from './sanitize.ts';

/** In characters. Of what is longer, nothing is left that would be obeyed. */
const maxHeldLength = 16 * 1024;

/** A control sequence or string that may go on in the next chunk. */
const unfinished =
  /(?:(?:\u001b[\]P^_X]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\n]*\u001b?|\u001b[ -/]*|(?:\u001b\[|\u009b)[0-?]*[ -/]*)$/;

/** A control string that only one of {@link ends} can end. */
const openString = /^(?:\u001b[\]P^_X]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\n]*$/;
const ends = /[\u0007\u001b\u009c\n]/;

/** Chunks may end anywhere. For GitHub runners, emits whole lines: workflow commands are known by their line. */
export function createStreamSanitizer(page: Page) {
  const decoder = new TextDecoder();
  let held = '';
  let isOpen = false;
  const push = (text: string) => {
    const all = held + text;
    // What cannot end it is not searched again from its start.
    if (isOpen && all.length <= maxHeldLength && !ends.test(text)) {
      held = all;
      return '';
    }
    const end = endOfWhole(all, page);
    const rest = all.slice(end);
    const isTooLong = rest.length > maxHeldLength;
    held = isTooLong ? '' : rest;
    isOpen = !page.githubActions && openString.test(held);
    return sanitizeUnredacted(all.slice(0, end), page) + (isTooLong ? sanitizeUnredacted(rest, page) : '');
  };
  return {
    push: (bytes: Uint8Array) => push(decoder.decode(bytes, { stream: true })),
    end: () => sanitizeUnredacted(held + decoder.decode(), page),
  };
}

/** Up to where a text is whole lines, or has no sequence that may go on. */
function endOfWhole(text: string, { githubActions }: Page): number {
  return githubActions ? text.lastIndexOf('\n') + 1 : (unfinished.exec(text)?.index ?? text.length);
}
