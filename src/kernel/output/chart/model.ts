import type { Page } from '../page.ts';
import type { Columns } from '../table.ts';
import type { Canvas, Segment } from './canvas.ts';
import type { Layout } from './columns.ts';
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

/** A chart with its summary and data. */
export interface ChartReport<Row> {
  /** Lines. */
  summary: readonly string[];
  chart: Chart;
  /** The data as a table. */
  rows: readonly Row[];
  /** Cells must not depend on the page: a browser shows them, too. */
  columns: Columns<Row>;
}

/** Where a panel is drawn. */
export interface DrawingSurface {
  canvas: Canvas;
  layout: Layout;
  page: Page;
}

/** The parts of a panel that depend on its kind. */
export interface Drawing {
  axis: ValueAxis;
  /** Shown after the title. */
  subtitle: string;
  /** Marks on the time axis, by column. */
  marks: ReadonlyMap<number, Segment>;
  legend: Segment[][];
}
