import type { Page, View } from '../page.ts';
import { stackViews } from '../table.ts';
import { wallClock } from '../time-zone.ts';
import { drawBars } from './bars.ts';
import { Canvas, printLine, type Segment } from './canvas.ts';
import { layoutSteps, stepsText } from './columns.ts';
import { drawLines } from './lines.ts';
import type { Chart, Drawing, Panel } from './model.ts';
import { type TimeAxis, timeAxis } from './time-axis.ts';
import type { ValueAxis } from './value-axis.ts';

/** Of a picture in a pipe. */
const usualColumns = 80;
/** The longest value beside an axis, `1h 20m` say, and a space. */
const usualMargin = 8;
/** A picture narrower than this has no margin. */
const leastColumns = 12;

const kinds = { bars: { draw: drawBars, rows: 6 }, lines: { draw: drawLines, rows: 10 } };

/** A chart as characters. Colours help, but nothing depends on them. */
export function renderChart(chart: Chart): View {
  return stackViews(...chart.panels.map((panel) => panelView(panel, chart)));
}

function panelView(panel: Panel, { times, step, zone }: Chart): View {
  return (page) => {
    const columns = Number.isFinite(page.columns) ? page.columns : usualColumns;
    const margin = columns - usualMargin < leastColumns ? 0 : usualMargin;
    const room = Math.max(1, columns - margin - 1);
    const place = layoutSteps(times.length, step, room);
    const { draw, rows } = kinds[panel.kind];
    const canvas = new Canvas(place.width, rows);
    const drawing = draw(panel.series, panel.unit, { canvas, layout: place, page });
    const starts = times.filter((_, index) => index % place.stepsPerColumn === 0);
    const below = timeAxis(starts, place.stepWidth, room, wallClock(zone));
    const indent = ' '.repeat(margin + 1);
    const lines: Segment[][] = [
      [
        [panel.title, 'bold'],
        [remark(panel, drawing, stepsText(place.stepsPerColumn, step), place.stepsPerColumn > 1), 'dim'],
      ],
      ...body(canvas, drawing, margin, page),
      foot(canvas, drawing, below, margin, page),
      [indent, [below.labels, 'dim']],
      ...wrapped(drawing.legend, room).map((line) => [indent, ...line]),
    ];
    return lines.map((line) => printLine(line, columns, page)).join('\n');
  };
}

function remark({ kind }: Panel, { axis, subtitle }: Drawing, steps: string, merged: boolean): string {
  const how = kind === 'bars' ? ` per ${steps}` : merged ? `, the highest of ${steps}` : '';
  return `${how}${subtitle}${axis.logarithmic ? ', on a logarithmic scale' : ''}`;
}

function body(canvas: Canvas, { axis }: Drawing, margin: number, page: Page): Segment[][] {
  const [line, tick] = page.unicode ? ['│', '┤'] : ['|', '+'];
  return Array.from({ length: canvas.height }, (_, index) => {
    const row = canvas.height - 1 - index;
    const label = labelAt(axis, row + 1, canvas.height);
    return [[inMargin(label, margin) + (label ? tick : line), 'dim'], ...canvas.row(row)];
  });
}

function foot(canvas: Canvas, { axis, marks }: Drawing, { ticks }: TimeAxis, margin: number, page: Page): Segment[] {
  const [corner, line, tick] = page.unicode ? ['└', '─', '┬'] : ['+', '-', '+'];
  const level = Array.from(
    { length: canvas.width },
    (_, column): Segment => marks.get(column) ?? [ticks.includes(column) ? tick : line, 'dim'],
  );
  return [[inMargin(labelAt(axis, 0, canvas.height), margin) + corner, 'dim'], ...level];
}

/** The value at the upper edge of so many rows. */
function labelAt({ labels }: ValueAxis, edge: number, rows: number): string {
  return labels.find(([share]) => Math.round(share * rows) === edge)?.[1] ?? '';
}

function inMargin(label: string, margin: number): string {
  return margin === 0 ? '' : `${label.slice(0, margin - 1).padStart(margin - 1)} `;
}

const between = '   ';

/** As many entries of the legend in a line as there is room for. */
function wrapped(entries: readonly Segment[][], columns: number): Segment[][] {
  const lines: Segment[][] = [];
  let used = Number.POSITIVE_INFINITY;
  for (const entry of entries) {
    const length = entry.reduce((sum, part) => sum + (typeof part === 'string' ? part : part[0]).length, 0);
    if (used + between.length + length > columns) {
      lines.push([...entry]);
      used = length;
    } else {
      lines.at(-1)?.push(between, ...entry);
      used += between.length + length;
    }
  }
  return lines;
}
