import { groupDigits } from '../format.ts';
import type { Segment } from './canvas.ts';
import { mergeSteps } from './columns.ts';
import type { Drawing, DrawingSurface, Series } from './model.ts';
import { maximum, type Unit, valueAxis } from './value-axis.ts';

interface Glyphs {
  /** The top row of a bar, by eighths. */
  whole: readonly string[];
  part: string;
  mark: string;
}

const unicode: Glyphs = { whole: ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'], part: '▒', mark: '×' };
const ascii: Glyphs = { whole: ['.', '.', '.', '#', '#', '#', '#', '#'], part: 'x', mark: '!' };

/**
 * Draws bars of totals; the part that failed is at the foot of each. A part too small for a row of its own is a mark on
 * the axis: a full row would exaggerate it.
 */
export function drawBars(series: readonly Series[], unit: Unit, { canvas, layout, page }: DrawingSurface): Drawing {
  const glyphs = page.unicode ? unicode : ascii;
  const [whole = [], part = []] = series.map(({ values }) => mergeSteps(values, layout.stepsPerColumn, sum));
  const axis = valueAxis(
    whole.map((value) => value ?? 0),
    unit,
  );
  const marks = new Map<number, Segment>();
  // Leaves a column between bars if there is space.
  const wide = layout.stepWidth > 2 ? layout.stepWidth - 1 : layout.stepWidth;
  for (const [index, value] of whole.entries()) {
    const failed = Math.min(part[index] ?? 0, value ?? 0);
    const bar = layoutBar(axis.share(value ?? 0) * canvas.height, axis.share(failed) * canvas.height);
    for (let column = index * layout.stepWidth; column < index * layout.stepWidth + wide; column++) {
      for (let row = 0; row < bar.rows; row++) {
        const eighths = row === bar.rows - 1 ? bar.top : 8;
        if (row < bar.part) canvas.put(column, row, glyphs.part, 'red');
        else canvas.put(column, row, glyphs.whole[eighths - 1] ?? '', 'cyan');
      }
      if (failed > 0 && bar.part === 0) marks.set(column, [glyphs.mark, 'red']);
    }
  }
  const highest = maximum(whole.map((value) => value ?? 0));
  return { axis, subtitle: `, max ${groupDigits(highest)}`, marks, legend: legend(series, glyphs, marks.size > 0) };
}

function sum(one: number, other: number): number {
  return one + other;
}

interface Bar {
  rows: number;
  /** Rows of the failed part, from the foot. */
  part: number;
  /** Filled eighths of the top row. */
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
