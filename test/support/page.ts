import { createPage, type Page } from '../../src/output/page.ts';
import { type Style, style } from '../../src/output/style.ts';

interface PageOptions {
  /** Makes it a terminal of that width. */
  columns?: number;
  /** A terminal without symbols beyond ASCII. */
  ascii?: boolean;
  /** In ms since 1970. */
  now?: number;
}

/** Where a view is printed: without colors, and as wide as it needs to be unless told. */
export function plainPage({ columns, ascii = false, now = 0 }: PageOptions = {}): Page {
  const env = { NO_COLOR: '1', LANG: ascii ? 'C' : 'C.UTF-8' };
  return createPage({ isTTY: columns !== undefined, columns } as never, env, 'auto', now);
}

/** A page whose colors can be read: `<red>text</red>`. */
export function markedPage(options: PageOptions = {}): Page {
  const names = Object.keys(style(false)) as (keyof Style)[];
  const marks = names.map((name) => [name, (text: string) => `<${name}>${text}</${name}>`]);
  return { ...plainPage(options), style: Object.fromEntries(marks) as Style };
}
