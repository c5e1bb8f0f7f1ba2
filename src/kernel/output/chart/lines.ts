import type { Ink, Segment } from './canvas.ts';
import { mergeSteps } from './columns.ts';
import type { Drawing, DrawingSurface, Series } from './model.ts';
import { maximum, type Unit, type ValueAxis, valueAxis, valueText } from './value-axis.ts';

interface Pen {
  ink: Ink;
  unicode: string;
  ascii: string;
}

/** For the first, second and third series. */
const pens: readonly Pen[] = [
  { ink: 'green', unicode: '●', ascii: 'o' },
  { ink: 'yellow', unicode: '◆', ascii: '+' },
  { ink: 'red', unicode: '▲', ascii: '^' },
];

/** Draws a mark for each value, with a line as wide as its step. */
export function drawLines(series: readonly Series[], unit: Unit, { canvas, layout, page }: DrawingSurface): Drawing {
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
    const pen = pens[index] ?? pens[0];
    return [pen ? [glyph(pen), pen.ink] : '', ` ${each.name}: ${lastAndMaximum(each, unit)}`];
  });
  return { axis, subtitle: '', marks: new Map(), legend };
}

/** The row of each step that has a value. */
function toPoints(values: readonly (number | null)[], axis: ValueAxis, rows: number): [step: number, row: number][] {
  return values.flatMap((value, step) => {
    return value === null ? [] : [[step, Math.max(0, Math.ceil(axis.share(value) * rows) - 1)]];
  });
}

function lastAndMaximum({ values }: Series, unit: Unit): string {
  const known = mergeSteps(values, 1, Math.max).filter((value) => value !== null);
  const last = known.at(-1);
  return last === undefined ? 'no data' : `last ${valueText(last, unit)}, max ${valueText(maximum(known), unit)}`;
}
