import type { Page } from '../page.ts';
import type { Style } from '../style.ts';

export type Ink = Exclude<keyof Style, 'bold'>;

/** Text in one color. Every character takes one column. */
export type Segment = string | [text: string, ink: keyof Style];

/** Joins segments to a line, truncated to the width of the page. */
export function printLine(segments: readonly Segment[], columns: number, { style }: Page): string {
  let left = columns;
  const painted = segments.map((segment) => {
    const [text, ink] = typeof segment === 'string' ? [segment] : segment;
    const kept = text.slice(0, Math.max(0, left));
    left -= kept.length;
    return ink && kept.trim() !== '' ? style[ink](kept) : kept;
  });
  return painted.join('').trimEnd();
}

/** A grid of characters. Row 0 is at the bottom. */
export class Canvas {
  readonly #cells: ([glyph: string, ink: Ink] | undefined)[][];

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.#cells = Array.from({ length: height }, () => Array.from({ length: width }));
  }

  put(column: number, row: number, glyph: string, ink: Ink): void {
    const cells = this.#cells[row];
    if (cells && column >= 0 && column < this.width) cells[column] = [glyph, ink];
  }

  /** One row as segments; neighbors of one color are joined. */
  row(row: number): Segment[] {
    const segments: Segment[] = [];
    for (const cell of this.#cells[row] ?? []) {
      const last = segments.at(-1);
      if (!cell) {
        if (typeof last === 'string') segments[segments.length - 1] = `${last} `;
        else segments.push(' ');
      } else if (Array.isArray(last) && last[1] === cell[1]) last[0] += cell[0];
      else segments.push([...cell]);
    }
    return segments;
  }
}
