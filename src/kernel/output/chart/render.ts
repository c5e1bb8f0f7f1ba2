import { wallClock } from '../../wall-clock.ts';
import type { Page, View } from '../page.ts';
import { stackViews } from '../table.ts';
import { drawBars } from './bars.ts';
import { Canvas, printLine, type Segment } from './canvas.ts';
import { layoutSteps, stepsText } from './columns.ts';
import { drawLines } from './lines.ts';
import type { Chart, Drawing, Panel } from './model.ts';
import { quantityAxis, type TimeAxis, timeAxis } from './time-axis.ts';
import type { ValueAxis } from './value-axis.ts';

/** Without a terminal. */
const defaultColumns = 80;
/** Fits the longest label of the value axis, such as `1h 20m`, and a space. */
const defaultMargin = 8;
/** A narrower chart has no margin. */
const minColumns = 12;

const kinds = { bars: { draw: drawBars, rows: 6 }, lines: { draw: drawLines, rows: 10 } };

/** Draws a chart as text. Readable without color. */
export function renderChart(chart: Chart): View {
  return stackViews(chart.panels.map((panel) => panelView(panel, chart)));
}

function panelView(panel: Panel, { times, step, zone, axis: quantity }: Chart): View {
  return (page) => {
    // The table below it has the same values.
    if (page.accessible) return '';
    const columns = Number.isFinite(page.columns) ? page.columns : defaultColumns;
    const margin = columns - defaultMargin < minColumns ? 0 : defaultMargin;
    const width = Math.max(1, columns - margin - 1);
    const layout = layoutSteps(times.length, step, width);
    const { draw, rows } = kinds[panel.kind];
    const canvas = new Canvas(layout.width, rows);
    const drawing = draw(panel.series, panel.unit, { canvas, layout, page });
    const starts = times.filter((_, index) => index % layout.stepsPerColumn === 0);
    const axis = quantity
      ? quantityAxis(starts, layout.stepWidth, width, quantity)
      : timeAxis(starts, layout.stepWidth, width, wallClock(zone));
    const indent = ' '.repeat(margin + 1);
    const lines: Segment[][] = [
      [
        [panel.title, 'bold'],
        [panelNote(panel, drawing, stepsText(layout.stepsPerColumn, step), layout.stepsPerColumn > 1), 'dim'],
      ],
      ...plotLines(canvas, drawing, margin, page),
      axisLine(canvas, drawing, axis, margin, page),
      [indent, [axis.labels, 'dim']],
      ...wrapLegend(drawing.legend, width).map((line) => [indent, ...line]),
    ];
    return lines.map((line) => printLine(line, columns, page)).join('\n');
  };
}

function panelNote({ kind }: Panel, { axis, subtitle }: Drawing, steps: string, merged: boolean): string {
  const how = kind === 'bars' ? ` per ${steps}` : merged ? `, maximum of ${steps}` : '';
  return `${how}${subtitle}${axis.logarithmic ? ', on a logarithmic scale' : ''}`;
}

function plotLines(canvas: Canvas, { axis }: Drawing, margin: number, page: Page): Segment[][] {
  const [line, tick] = page.unicode ? ['│', '┤'] : ['|', '+'];
  return Array.from({ length: canvas.height }, (_, index) => {
    const row = canvas.height - 1 - index;
    const label = labelAt(axis, row + 1, canvas.height);
    return [[padLabel(label, margin) + (label ? tick : line), 'dim'], ...canvas.row(row)];
  });
}

function axisLine(
  canvas: Canvas,
  { axis, marks }: Drawing,
  { ticks }: TimeAxis,
  margin: number,
  page: Page,
): Segment[] {
  const [corner, line, tick] = page.unicode ? ['└', '─', '┬'] : ['+', '-', '+'];
  const level = Array.from(
    { length: canvas.width },
    (_, column): Segment => marks.get(column) ?? [ticks.includes(column) ? tick : line, 'dim'],
  );
  return [[padLabel(labelAt(axis, 0, canvas.height), margin) + corner, 'dim'], ...level];
}

/** The label at the upper edge of row `edge`, counted from 1; 0 is the foot. */
function labelAt({ labels }: ValueAxis, edge: number, rows: number): string {
  return labels.find(([share]) => Math.round(share * rows) === edge)?.[1] ?? '';
}

function padLabel(label: string, margin: number): string {
  return margin === 0 ? '' : `${label.slice(0, margin - 1).padStart(margin - 1)} `;
}

const legendGap = '   ';

/** Puts as many legend entries on a line as fit. */
function wrapLegend(entries: readonly Segment[][], columns: number): Segment[][] {
  const lines: Segment[][] = [];
  let used = Number.POSITIVE_INFINITY;
  for (const entry of entries) {
    const length = entry.reduce((sum, part) => sum + (typeof part === 'string' ? part : part[0]).length, 0);
    if (used + legendGap.length + length > columns) {
      lines.push([...entry]);
      used = length;
    } else {
      for (const part of [legendGap, ...entry]) lines.at(-1)?.push(part);
      used += legendGap.length + length;
    }
  }
  return lines;
}
