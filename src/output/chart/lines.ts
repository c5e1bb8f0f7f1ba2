import type { Ink, Segment } from './canvas.ts';
import { mergeSteps } from './columns.ts';
import type { Drawing, DrawingSurface, Series } from './model.ts';
import { maximum, type Unit, type ValueAxis, valueAxis, valueText } from './value-axis.ts';

interface Pen {
  ink: Ink;
  unicode: string;
  ascii: string;
}

/** By the order of the series, of which there are no more. */
const pens: readonly Pen[] = [
  { ink: 'green', unicode: '●', ascii: 'o' },
  { ink: 'yellow', unicode: '◆', ascii: '+' },
  { ink: 'red', unicode: '▲', ascii: '^' },
];

/** A mark for each step of each series, and where steps are wide a stroke around it. Nothing where nothing was measured. */
export function drawLines(series: readonly Series[], unit: Unit, { canvas, layout, page }: DrawingSurface): Drawing {
  const values = series.map((each) => mergeSteps(each.values, layout.stepsPerColumn, Math.max));
  const axis = valueAxis(
    values.flat().filter((value) => value !== null),
    unit,
  );
  const glyph = (pen: Pen) => (page.unicode ? pen.unicode : pen.ascii);
  // The lowest line is drawn last, marks after all strokes: where they meet it is the one to be seen.
  const drawn = pens
    .map((pen, index) => ({ pen, points: pointsOf(values[index] ?? [], axis, canvas.height) }))
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
    return [pen ? [glyph(pen), pen.ink] : '', ` ${each.name}: ${lastAndMost(each, unit)}`];
  });
  return { axis, subtitle: '', marks: new Map(), legend };
}

/** The row of each step that has a value. */
function pointsOf(values: readonly (number | null)[], axis: ValueAxis, rows: number): [step: number, row: number][] {
  return values.flatMap((value, step) => {
    return value === null ? [] : [[step, Math.max(0, Math.ceil(axis.share(value) * rows) - 1)]];
  });
}

function lastAndMost({ values }: Series, unit: Unit): string {
  const known = mergeSteps(values, 1, Math.max).filter((value) => value !== null);
  const last = known.at(-1);
  return last === undefined ? 'no data' : `last ${valueText(last, unit)}, max ${valueText(maximum(known), unit)}`;
}
