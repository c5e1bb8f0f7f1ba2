import type { Page } from './page.ts';

/** A URL, up to what usually follows one in a sentence. Quotes, brackets and control characters are never part of it. */
const url =
  /https?:\/\/[^\s"'<>`{}|\\^\u0000-\u001f\u007f-\u009f]*[^\s"'<>`{}|\\^\u0000-\u001f\u007f-\u009f.,;:!?)\]…]/g;

/** The text with its URLs as links (OSC 8), if the terminal shows them. Call it last: sanitizing removes links. */
export function withLinks(text: string, { links }: Pick<Page, 'links'>): string {
  if (!links || !text.includes('://')) return text;
  return text.replace(url, (address) => `\u001b]8;;${address}\u001b\\${address}\u001b]8;;\u001b\\`);
}
