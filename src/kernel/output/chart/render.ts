import { type WallClock, wallClock } from '../../wall-clock.ts';
import { groupDigits } from '../format.ts';
import type { Page, View } from '../page.ts';
import { stackViews } from '../table.ts';
import {
  Canvas,
  type Chart,
  type Drawing,
  type DrawingSurface,
  type Ink,
  layoutSteps,
  mergeSteps,
  type Panel,
  printLine,
  type QuantityAxis,
  type Segment,
  type Series,
  stepsText,
} from './model.ts';
import { maximum, type Unit, type ValueAxis, valueAxis, valueText } from './value-axis.ts';

const unicode: Glyphs = { whole: ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'], part: '▒', mark: '×' };

const ascii: Glyphs = { whole: ['.', '.', '.', '#', '#', '#', '#', '#'], part: 'x', mark: '!' };

const defaultColumns = 80;
/** Fits the longest label of the value axis, such as `1h 20m`, and a space. */
const defaultMargin = 8;
const minColumns = 12;

const kinds = { bars: { draw: drawBars, rows: 6 }, lines: { draw: drawLines, rows: 10 } };

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

interface Pen {
  ink: Ink;
  unicode: string;
  ascii: string;
}

const pens: readonly Pen[] = [
  { ink: 'green', unicode: '●', ascii: 'o' },
  { ink: 'yellow', unicode: '◆', ascii: '+' },
  { ink: 'cyan', unicode: '▲', ascii: '^' },
];

function drawLines(series: readonly Series[], unit: Unit, { canvas, layout, page }: DrawingSurface): Drawing {
  const values = series.map((each) => mergeSteps(each.values, layout.stepsPerColumn, Math.max));
  const axis = valueAxis(
    values.flat().filter((value) => value !== null),
    unit,
  );
  const glyph = (pen: Pen) => (page.unicode ? pen.unicode : pen.ascii);
  // Later drawings cover earlier ones: the first series is drawn last, and marks after all lines.
  const drawn = pens
    .map((pen, index) => ({ pen, points: toPoints(values[index] ?? [], axis, canvas.height) }))
    .reverse();
  for (const { pen, points } of drawn) {
    for (const [step, row] of points) {
      for (let column = step * layout.stepWidth; column < (step + 1) * layout.stepWidth; column++) {
        canvas.put(column, row, page.unicode ? '─' : '-', pen.ink);
      }
    }
  }
  const middle = Math.floor((layout.stepWidth - 1) / 2);
  for (const { pen, points } of drawn) {
    for (const [step, row] of points) canvas.put(step * layout.stepWidth + middle, row, glyph(pen), pen.ink);
  }
  const legend = series.map((each, index): Segment[] => {
    const pen = pens[index % pens.length] as Pen;
    return [[glyph(pen), pen.ink], ` ${each.name}: ${lastAndMaximum(each, unit)}`];
  });
  return { axis, subtitle: '', marks: new Map(), legend };
}

function toPoints(values: readonly (number | null)[], axis: ValueAxis, rows: number): [step: number, row: number][] {
  return values.flatMap((value, step) => {
    return value === null ? [] : [[step, Math.max(0, Math.ceil(axis.share(value) * rows) - 1)]];
  });
}

function lastAndMaximum({ values }: Series, unit: Unit): string {
  const numbers = mergeSteps(values, 1, Math.max).filter((value) => value !== null);
  const last = numbers.at(-1);
  return last === undefined ? 'no data' : `last ${valueText(last, unit)}, max ${valueText(maximum(numbers), unit)}`;
}

interface Glyphs {
  whole: readonly string[];
  part: string;
  mark: string;
}

/** The part that failed is at the foot of a bar, or a mark on the axis if a row would exaggerate it. */
function drawBars(series: readonly Series[], unit: Unit, { canvas, layout, page }: DrawingSurface): Drawing {
  const glyphs = page.unicode ? unicode : ascii;
  const [totals = [], parts = []] = series.map(({ values }) =>
    mergeSteps(values, layout.stepsPerColumn, sum).map((value) => value ?? 0),
  );
  const axis = valueAxis(totals, unit);
  const marks = new Map<number, Segment>();
  // Leaves a column between bars if there is space.
  const width = layout.stepWidth > 2 ? layout.stepWidth - 1 : layout.stepWidth;
  for (const [index, total] of totals.entries()) {
    const failed = Math.min(parts[index] ?? 0, total);
    const bar = layoutBar(axis.share(total) * canvas.height, axis.share(failed) * canvas.height);
    const start = index * layout.stepWidth;
    for (let column = start; column < start + width; column++) {
      drawBar(canvas, column, bar, glyphs);
      if (failed > 0 && bar.part === 0) marks.set(column, [glyphs.mark, 'red']);
    }
  }
  const subtitle = `, max ${groupDigits(maximum(totals))}`;
  return { axis, subtitle, marks, legend: legend(series, glyphs, marks.size > 0) };
}

function drawBar(canvas: Canvas, column: number, bar: Bar, glyphs: Glyphs): void {
  for (let row = 0; row < bar.rows; row++) {
    const eighths = row === bar.rows - 1 ? bar.top : 8;
    if (row < bar.part) canvas.put(column, row, glyphs.part, 'red');
    else canvas.put(column, row, glyphs.whole[eighths - 1] ?? '', 'cyan');
  }
}

function sum(one: number, other: number): number {
  return one + other;
}

interface Bar {
  rows: number;
  part: number;
  top: number;
}

/** Takes heights in rows. Every positive value is at least an eighth of a row. */
function layoutBar(whole: number, part: number): Bar {
  const eighths = whole > 0 ? Math.max(1, Math.round(whole * 8)) : 0;
  const rows = Math.ceil(eighths / 8);
  if (part > 0 && part === whole) return { rows, part: rows, top: 8 };
  return { rows, part: Math.max(0, Math.min(Math.round(part), rows - 1)), top: eighths % 8 || 8 };
}

function legend(series: readonly Series[], { whole, part, mark }: Glyphs, marked: boolean): Segment[][] {
  const glyphs: Segment[] = [
    [whole[7] ?? '', 'cyan'],
    [part, 'red'],
  ];
  const entries = series.map(({ name, values }, index): Segment[] => {
    const [total] = mergeSteps(values, Math.max(1, values.length), sum);
    return [glyphs[index] ?? '', ` ${name} ${groupDigits(total ?? 0)}`];
  });
  if (marked) entries.push([[mark, 'red'], ` ${series[1]?.name} (too few for a bar)`]);
  return entries;
}

type TimeAxis = ReturnType<typeof toAxis>;

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const labelGap = 2;

const distances = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * minute),
  ...[1, 2, 3, 6, 12].map((hours) => hours * hour),
  ...[1, 2, 7, 14, 28, 56, 112, 364, 1820].map((days) => days * day),
];

/** Labels round times, as densely as fits. `times` are the starts of the steps, each `stepWidth` columns wide. */
function timeAxis(times: readonly number[], stepWidth: number, width: number, clock: WallClock): TimeAxis {
  const walls = times.map(clock);
  for (const distance of distances) {
    const labels = labelsEvery(distance, walls, stepWidth).filter(({ column, text }) => column + text.length <= width);
    if (labels.length > 0 && fits(labels)) return toAxis(labels);
  }
  const text = labelText(walls[0] ?? Number.NaN, walls.length > 1 ? day : minute);
  return toAxis(text.length <= width ? [{ column: 0, text }] : []);
}

/** Labels steps of another quantity, as densely as fits. Its title is at the end. */
function quantityAxis(
  values: readonly number[],
  stepWidth: number,
  width: number,
  { title, unit }: QuantityAxis,
): TimeAxis {
  const room = width - title.length - labelGap;
  const labels: Label[] = [];
  let free = 0;
  for (const [index, value] of values.entries()) {
    const label = { column: index * stepWidth, text: valueText(value, unit) };
    if (label.column < free || label.column + label.text.length > room) continue;
    labels.push(label);
    free = label.column + label.text.length + labelGap;
  }
  const { ticks, labels: line } = toAxis(labels);
  return { ticks, labels: labels.length > 0 ? `${line}  ${title}` : line };
}

interface Label {
  column: number;
  text: string;
}

function labelsEvery(distance: number, walls: readonly number[], stepWidth: number): Label[] {
  const labels: Label[] = [];
  let previous = (walls[0] ?? Number.NaN) - 1;
  for (const [index, wall] of walls.entries()) {
    const round = Math.floor(wall / distance) * distance;
    // When clocks are put back, the same round time comes twice.
    if (round > previous) labels.push({ column: index * stepWidth, text: labelText(round, distance) });
    previous = Math.max(wall, previous);
  }
  return labels;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `14:00`, `Nov 20` at midnight, or `2026-11-20` for distances of four weeks and more. */
function labelText(wall: number, distance: number): string {
  if (Number.isNaN(wall)) return '';
  const text = new Date(wall).toISOString();
  if (distance >= 28 * day) return text.slice(0, 10);
  if (wall % day === 0 || distance >= day)
    return `${months[Number(text.slice(5, 7)) - 1]} ${Number(text.slice(8, 10))}`;
  return text.slice(11, 16);
}

function fits(labels: readonly Label[]): boolean {
  return labels.every(({ column, text }, index) => {
    const next = labels[index + 1];
    return !next || column + text.length + labelGap <= next.column;
  });
}

function toAxis(labels: readonly Label[]) {
  const line = labels.reduce((text, label) => text.padEnd(label.column) + label.text, '');
  return { ticks: labels.map(({ column }) => column), labels: line };
}
