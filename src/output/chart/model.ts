import type { Page } from '../page.ts';
import type { Columns } from '../table.ts';
import type { Canvas, Segment } from './canvas.ts';
import type { Layout } from './columns.ts';
import type { Unit, ValueAxis } from './value-axis.ts';

/** Series over time, to be drawn as text or by a browser. */
export interface Chart {
  /** Where each step of time starts, in order: milliseconds since 1970. */
  times: readonly number[];
  /** What a step is: `minute`, `hour`, `day`, or any other word. */
  step: string;
  /** IANA name of the zone whose clocks are written below. */
  zone: string;
  panels: readonly Panel[];
}

export interface Panel {
  title: string;
  unit: Unit;
  /** Bars of amounts, the second series a part of the first; or lines, each above the one before it. */
  kind: 'bars' | 'lines';
  series: readonly Series[];
}

export interface Series {
  name: string;
  /** One for each step of time; null where nothing was measured. */
  values: readonly (number | null)[];
}

/** A chart, what it comes to in words, and its numbers. */
export interface ChartReport<Row> {
  /** Lines. */
  summary: readonly string[];
  chart: Chart;
  /** What a line of the table is made of. */
  rows: readonly Row[];
  /** Cells depend on no page: they are also shown by a browser. */
  columns: Columns<Row>;
}

/** What a panel is drawn on. */
export interface DrawingSurface {
  canvas: Canvas;
  layout: Layout;
  page: Page;
}

/** A panel but for what is the same in all. */
export interface Drawing {
  axis: ValueAxis;
  /** Behind the title. */
  subtitle: string;
  /** What stands on the line of the time axis, by column. */
  marks: ReadonlyMap<number, Segment>;
  legend: Segment[][];
}
