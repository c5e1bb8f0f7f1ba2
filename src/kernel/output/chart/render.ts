import { dayMs, hourMs, minuteMs } from '../../durations.ts';
import { wallClock } from '../../wall-clock.ts';
import { groupDigits } from '../format.ts';
import type { Page, View } from '../page.ts';
import type { Style } from '../style.ts';
import { stackViews } from '../table.ts';
import type { Chart, Panel, QuantityAxis, Series } from './model.ts';
import { maximum, type ValueAxis, valueAxis, valueText } from './value-axis.ts';

/** `points` are those of the series of lines, `bar` the eighths of a row. */
const signs = {
  unicode: { side: '│┤', foot: '─┬', corner: '└', line: '─', points: '●◆▲', bar: '▁▂▃▄▅▆▇█', part: '▒', mark: '×' },
  ascii: { side: '|+', foot: '-+', corner: '+', line: '-', points: 'o+^', bar: '...#####', part: 'x', mark: '!' },
};
type Signs = (typeof signs)['ascii'];

const defaultColumns = 80;
/** Fits the longest label of the value axis, such as `1h 20m`, and a space. */
const defaultMargin = 8;
const minColumns = 12;

const kinds = { bars: { draw: drawBars, rows: 6 }, lines: { draw: drawLines, rows: 10 } };

export function renderChart(chart: Chart): View {
  return stackViews(chart.panels.map((panel) => panelView(panel, chart)));
}

/** Text in one color. Every character takes one column. */
type Segment = [text: string, ink?: keyof Style | undefined];

function panelView(panel: Panel, { times, step, zone, axis: quantity }: Chart): View {
  return (page) => {
    // The table below it has the same values.
    if (page.accessible) return '';
    const columns = Number.isFinite(page.columns) ? page.columns : defaultColumns;
    const margin = columns - defaultMargin < minColumns ? 0 : defaultMargin;
    const width = Math.max(1, columns - margin - 1);
    const layout = layoutSteps(times.length, step, width);
    const signsOfPage = page.unicode ? signs.unicode : signs.ascii;
    const { draw, rows } = kinds[panel.kind];
    const cells = Array.from({ length: rows }, () => Array.from({ length: layout.width }, (): Segment => [' ']));
    const { axis, note, marks, legend } = draw(panel, layout, cells, signsOfPage);
    const starts = times.filter((_, index) => index % layout.stepsPerColumn === 0);
    const labels = quantity
      ? quantityLabels(starts, layout.stepWidth, width, quantity)
      : timeLabels(starts.map(wallClock(zone)), layout.stepWidth, width);
    const ticks = new Set(labels.map(({ column }) => column));
    const edge = (label: string, sign: string): Segment => [padLabel(label, margin) + sign, 'dim'];
    const plot = cells.map((line, row) => {
      const label = labelAt(axis, row + 1, rows);
      return [edge(label, signsOfPage.side.charAt(label ? 1 : 0)), ...line];
    });
    const foot = Array.from(
      { length: layout.width },
      (_, column): Segment => marks.get(column) ?? [signsOfPage.foot.charAt(ticks.has(column) ? 1 : 0), 'dim'],
    );
    const indent: Segment = [' '.repeat(margin + 1)];
    const lines: Segment[][] = [
      [
        [panel.title, 'bold'],
        [`${note}${axis.logarithmic ? ', on a logarithmic scale' : ''}`, 'dim'],
      ],
      ...plot.reverse(),
      [edge(labelAt(axis, 0, rows), signsOfPage.corner), ...foot],
      [indent, [labelLine(labels, quantity?.title), 'dim']],
      ...wrapLegend(legend, width).map((line) => [indent, ...line]),
    ];
    return lines.map((line) => printLine(line, columns, page)).join('\n');
  };
}

/** Joins segments to a line, truncated to the width of the page. */
function printLine(segments: readonly Segment[], columns: number, { style }: Page): string {
  let left = columns;
  const runs: Segment[] = [];
  for (const [text, ink] of segments) {
    const kept = text.slice(0, Math.max(0, left));
    left -= kept.length;
    const last = runs.at(-1);
    if (last && last[1] === ink) last[0] += kept;
    else runs.push([kept, ink]);
  }
  return runs
    .map(([text, ink]) => (ink && text.trim() !== '' ? style[ink](text) : text))
    .join('')
    .trimEnd();
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
    const length = entry.reduce((sum, [text]) => sum + text.length, 0);
    const isNew = used + legendGap.length + length > columns;
    used = isNew ? length : used + legendGap.length + length;
    lines.push(isNew ? [...entry] : [...(lines.pop() ?? []), [legendGap], ...entry]);
  }
  return lines;
}

/** How time steps are laid out: several columns for each step, or several steps in each column. */
interface Layout {
  stepsPerColumn: number;
  /** `hour`, `3 hours`, and for 120 minutes `2 hours`. */
  columnText: string;
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
function layoutSteps(steps: number, step: string, width: number): Layout {
  const needed = Math.max(1, Math.ceil(steps / width));
  const merged = roundNumbers[step]?.find((number) => number >= needed) ?? needed;
  const columns = Math.ceil(steps / merged);
  const wide = Math.max(1, Math.min(maxStepWidth, Math.floor(width / Math.max(1, columns))));
  return { stepsPerColumn: merged, columnText: stepsText(merged, step), stepWidth: wide, width: columns * wide };
}

const largerUnits: Record<string, [number: number, step: string]> = { minute: [60, 'hour'], hour: [24, 'day'] };

function stepsText(number: number, step: string): string {
  const [size, name] = largerUnits[step] ?? [];
  if (size && name && number % size === 0) return stepsText(number / size, name);
  return number === 1 ? step : `${number} ${step}s`;
}

/** Joins each `size` neighboring values. Ignores what is not a number; null where nothing else is left. */
function mergeSteps(
  values: readonly (number | null | undefined)[],
  size: number,
  join: (a: number, b: number) => number,
): (number | null)[] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, group) =>
    values.slice(group * size, (group + 1) * size).reduce<number | null>((joined, value) => {
      if (value === null || value === undefined || !Number.isFinite(value)) return joined;
      return Math.min(Number.MAX_VALUE, join(joined ?? 0, Math.max(0, value)));
    }, null),
  );
}

/** The rows of a panel, the lowest first. */
type Cells = Segment[][];

interface Drawing {
  axis: ValueAxis;
  /** What stands behind the title. */
  note: string;
  /** What stands on the axis of time, by its column. */
  marks: ReadonlyMap<number, Segment>;
  legend: Segment[][];
}

function fill(cells: Cells, row: number, [from, to]: readonly [number, number], [sign, ink]: Segment): void {
  const line = cells[row];
  for (let at = from; line && at < to; at++) line[at] = [sign, ink];
}

const inks = ['green', 'yellow', 'cyan'] as const;

function drawLines({ series, unit }: Panel, layout: Layout, cells: Cells, { line, points }: Signs): Drawing {
  const { stepsPerColumn, stepWidth, columnText } = layout;
  const merged = series.map(({ values }) => mergeSteps(values, stepsPerColumn, Math.max));
  const numbers = merged.flat().filter((value) => value !== null);
  const axis = valueAxis(numbers, unit);
  const pens = series.map((_, index): [string, (typeof inks)[number]] => {
    const at = index % inks.length;
    return [points.charAt(at), inks[at] ?? 'green'];
  });
  const middle = Math.floor((stepWidth - 1) / 2);
  const drawn = merged.flatMap((values, index) =>
    values.flatMap((value, step) => {
      const [point = '', ink] = pens[index] ?? [];
      const row = value === null ? -1 : Math.max(0, Math.ceil(axis.share(value) * cells.length) - 1);
      return row < 0 ? [] : [{ row, from: step * stepWidth, point, ink }];
    }),
  );
  // Later drawings cover earlier ones: the first series is drawn last, and marks after all lines.
  for (const { row, from, ink } of drawn.toReversed()) fill(cells, row, [from, from + stepWidth], [line, ink]);
  for (const { row, from, point, ink } of drawn.toReversed())
    fill(cells, row, [from + middle, from + middle + 1], [point, ink]);
  const legend = series.map((each, at): Segment[] => [pens[at] ?? [''], [` ${each.name}: ${lastText(each, unit)}`]]);
  return { axis, note: stepsPerColumn > 1 ? `, maximum of ${columnText}` : '', marks: new Map(), legend };
}

function lastText({ values }: Series, unit: Panel['unit']): string {
  const numbers = mergeSteps(values, 1, Math.max).filter((value) => value !== null);
  const last = numbers.at(-1);
  return last === undefined ? 'no data' : `last ${valueText(last, unit)}, max ${valueText(maximum(numbers), unit)}`;
}

function add(a: number, b: number): number {
  return a + b;
}

/** The part that failed is at the foot of a bar, or a mark on the axis if a row would exaggerate it. */
function drawBars({ series, unit }: Panel, layout: Layout, cells: Cells, glyphs: Signs): Drawing {
  const { stepsPerColumn, stepWidth, columnText } = layout;
  const [totals = [], parts = []] = series.map(({ values }) =>
    mergeSteps(values, stepsPerColumn, add).map((value) => value ?? 0),
  );
  const axis = valueAxis(totals, unit);
  const marks = new Map<number, Segment>();
  for (const [index, total] of totals.entries()) {
    const failed = Math.min(parts[index] ?? 0, total);
    // Leaves a column between bars if there is space.
    const place = [index * stepWidth, index * stepWidth + (stepWidth > 2 ? stepWidth - 1 : stepWidth)] as const;
    const failedRows = drawBar(cells, place, axis.share(total), failed === total ? 1 : axis.share(failed), glyphs);
    if (failed === 0 || failedRows > 0) continue;
    for (let at = place[0]; at < place[1]; at++) marks.set(at, [glyphs.mark, 'red']);
  }
  const note = ` per ${columnText}, max ${groupDigits(maximum(totals))}`;
  return { axis, note, marks, legend: barLegend(series, glyphs, marks.size > 0) };
}

/** Takes shares of the height, and returns how many rows have failed. Every positive value is at least an eighth of a row. */
function drawBar(cells: Cells, place: readonly [number, number], whole: number, failed: number, { bar, part }: Signs) {
  const eighths = whole > 0 ? Math.max(1, Math.round(whole * cells.length * 8)) : 0;
  const rows = Math.ceil(eighths / 8);
  const failedRows = failed === 1 ? rows : Math.max(0, Math.min(Math.round(failed * cells.length), rows - 1));
  for (let row = 0; row < rows; row++) {
    const sign = bar.charAt(row === rows - 1 ? (eighths - 1) % 8 : 7);
    fill(cells, row, place, row < failedRows ? [part, 'red'] : [sign, 'cyan']);
  }
  return failedRows;
}

function barLegend(series: readonly Series[], { bar, part, mark }: Signs, isMarked: boolean): Segment[][] {
  const entries = series.map(({ name, values }, at): Segment[] => {
    const [total] = mergeSteps(values, Math.max(1, values.length), add);
    return [at === 0 ? [bar.charAt(7), 'cyan'] : [part, 'red'], [` ${name} ${groupDigits(total ?? 0)}`]];
  });
  return isMarked ? [...entries, [[mark, 'red'], [` ${series[1]?.name} (too few for a bar)`]]] : entries;
}

/** What stands below a column. */
interface Label {
  column: number;
  text: string;
}

const labelGap = 2;

function labelLine(labels: readonly Label[], title: string | undefined): string {
  const line = labels.reduce((text, label) => text.padEnd(label.column) + label.text, '');
  return title !== undefined && labels.length > 0 ? `${line}  ${title}` : line;
}

const distances = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * minuteMs),
  ...[1, 2, 3, 6, 12].map((hours) => hours * hourMs),
  ...[1, 2, 7, 14, 28, 56, 112, 364, 1820].map((days) => days * dayMs),
];

/** Round times, as densely as fits. `walls` are the starts of the steps, each `stepWidth` columns wide. */
function timeLabels(walls: readonly number[], stepWidth: number, width: number): Label[] {
  for (const distance of distances) {
    const labels = labelsEvery(distance, walls, stepWidth).filter(({ column, text }) => column + text.length <= width);
    if (labels.length > 0 && fits(labels)) return labels;
  }
  const text = labelText(walls[0] ?? Number.NaN, walls.length > 1 ? dayMs : minuteMs);
  return text.length <= width ? [{ column: 0, text }] : [];
}

/** Steps of another quantity, as densely as fits. Its title is at the end. */
function quantityLabels(values: readonly number[], stepWidth: number, width: number, axis: QuantityAxis): Label[] {
  const room = width - axis.title.length - labelGap;
  const labels: Label[] = [];
  let free = 0;
  for (const [index, value] of values.entries()) {
    const label = { column: index * stepWidth, text: valueText(value, axis.unit) };
    if (label.column < free || label.column + label.text.length > room) continue;
    labels.push(label);
    free = label.column + label.text.length + labelGap;
  }
  return labels;
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
  if (distance >= 28 * dayMs) return text.slice(0, 10);
  if (wall % dayMs === 0 || distance >= dayMs)
    return `${months[Number(text.slice(5, 7)) - 1]} ${Number(text.slice(8, 10))}`;
  return text.slice(11, 16);
}

function fits(labels: readonly Label[]): boolean {
  return labels.every(({ column, text }, index) => {
    const next = labels[index + 1];
    return !next || column + text.length + labelGap <= next.column;
  });
}
