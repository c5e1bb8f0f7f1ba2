import type { Page } from '../page.ts';
import type { Style } from '../style.ts';
import type { Columns } from '../table.ts';
import type { Unit, ValueAxis } from './value-axis.ts';

/** Series over time or another quantity, drawn as text or by a browser. */
export interface Chart {
  /** The start of each time step, ascending, in ms since the epoch. */
  times: readonly number[];
  /** The unit of a step: `minute`, `hour`, `day`, or another word. */
  step: string;
  /** IANA name of the time zone of the labels. */
  zone: string;
  panels: readonly Panel[];
  /** What `times` are if they are no times. For lines only. */
  axis?: QuantityAxis;
}

export interface QuantityAxis {
  title: string;
  unit: Unit;
}

export interface Panel {
  title: string;
  unit: Unit;
  /** Bars: the second series is a part of the first. Lines: each series is above the previous one. */
  kind: 'bars' | 'lines';
  series: readonly Series[];
}

export interface Series {
  name: string;
  /** One for each time step; null if nothing was measured. */
  values: readonly (number | null)[];
}

export interface ChartReport<Row> {
  summary: readonly string[];
  chart: Chart;
  rows: readonly Row[];
  /** A browser shows them as a terminal does, but for ages: nobody knows when it is looked at. */
  columns: Columns<Row>;
}

export interface DrawingSurface {
  canvas: Canvas;
  layout: Layout;
  page: Page;
}

export interface Drawing {
  axis: ValueAxis;
  subtitle: string;
  marks: ReadonlyMap<number, Segment>;
  legend: Segment[][];
}

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

/** How time steps are laid out: several columns for each step, or several steps in each column. */
interface Layout {
  stepsPerColumn: number;
  stepWidth: number;
  width: number;
}

const maxStepWidth = 8;

const roundNumbers: Record<string, number[]> = {
  minute: [1, 2, 3, 5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 720, 1440],
  hour: [1, 2, 3, 4, 6, 8, 12, 24, 48, 72, 168],
  day: [1, 2, 3, 7, 14, 28],
};

/** All steps get the same width and all columns the same number of steps, so that sums are comparable. */
export function layoutSteps(steps: number, step: string, width: number): Layout {
  const needed = Math.max(1, Math.ceil(steps / width));
  const merged = roundNumbers[step]?.find((number) => number >= needed) ?? needed;
  const shown = Math.ceil(steps / merged);
  const wide = Math.max(1, Math.min(maxStepWidth, Math.floor(width / Math.max(1, shown))));
  return { stepsPerColumn: merged, stepWidth: wide, width: shown * wide };
}

const largerUnits: Record<string, [number: number, step: string]> = { minute: [60, 'hour'], hour: [24, 'day'] };

/** `hour`, `3 hours`, and for 120 minutes `2 hours`. */
export function stepsText(number: number, step: string): string {
  const [size, name] = largerUnits[step] ?? [];
  if (size && name && number % size === 0) return stepsText(number / size, name);
  return number === 1 ? step : `${number} ${step}s`;
}

/** Joins each `size` neighboring values. Ignores what is not a number; null where nothing else is left. */
export function mergeSteps(
  values: readonly (number | null | undefined)[],
  size: number,
  join: (one: number, other: number) => number,
): (number | null)[] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, group) =>
    values.slice(group * size, (group + 1) * size).reduce<number | null>((joined, value) => {
      if (value === null || value === undefined || !Number.isFinite(value)) return joined;
      return Math.min(Number.MAX_VALUE, join(joined ?? 0, Math.max(0, value)));
    }, null),
  );
}
