import { createPage, type Page } from '../../src/kernel/output/page.ts';
import { type Style, style } from '../../src/kernel/output/style.ts';

interface PageOptions {
  /** The width of the terminal, 200 by default. */
  columns?: number;
  /** A terminal without symbols beyond ASCII. */
  ascii?: boolean;
  /** In ms since 1970. */
  now?: number;
}

/** Where a view is printed: a wide terminal without colors. */
export function plainPage({ columns = 200, ascii = false, now = 0 }: PageOptions = {}): Page {
  const env = { NO_COLOR: '1', LANG: ascii ? 'C' : 'C.UTF-8' };
  return createPage({ isTTY: true, columns } as never, env, 'auto', now);
}

/** A page whose colors can be read: `<red>text</red>`. */
export function markedPage(options: PageOptions = {}): Page {
  const names = Object.keys(style(false)) as (keyof Style)[];
  const marks = names.map((name) => [name, (text: string) => `<${name}>${text}</${name}>`]);
  return { ...plainPage(options), style: Object.fromEntries(marks) as Style };
}
