import type { Columns } from '../table.ts';
import type { Unit } from './value-axis.ts';

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

/** A panel of series by their names. */
export function panelOf(
  title: string,
  kind: Panel['kind'],
  unit: Unit,
  series: Readonly<Record<string, Series['values']>>,
): Panel {
  return { title, kind, unit, series: Object.entries(series).map(([name, values]) => ({ name, values })) };
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
