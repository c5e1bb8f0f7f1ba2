import type { WallClock } from '../../wall-clock.ts';
import type { QuantityAxis } from './model.ts';
import { valueText } from './value-axis.ts';

/** The labels below a chart. */
export interface TimeAxis {
  /** The columns of the labels. */
  ticks: number[];
  labels: string;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const labelGap = 2;

/** Possible distances of labels, in ms, ascending. */
const distances = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * minute),
  ...[1, 2, 3, 6, 12].map((hours) => hours * hour),
  ...[1, 2, 7, 14, 28, 56, 112, 364, 1820].map((days) => days * day),
];

/** Labels round times, as densely as fits. `times` are the starts of the steps, each `stepWidth` columns wide. */
export function timeAxis(times: readonly number[], stepWidth: number, width: number, clock: WallClock): TimeAxis {
  const walls = times.map(clock);
  for (const distance of distances) {
    const labels = labelsEvery(distance, walls, stepWidth).filter(({ column, text }) => column + text.length <= width);
    if (labels.length > 0 && fits(labels)) return toAxis(labels);
  }
  const text = labelText(walls[0] ?? Number.NaN, walls.length > 1 ? day : minute);
  return toAxis(text.length <= width ? [{ column: 0, text }] : []);
}

/** Labels steps of another quantity, as densely as fits. Its title is at the end. */
export function quantityAxis(
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

/** Labels the first step that starts at or after each round time. */
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

function toAxis(labels: readonly Label[]): TimeAxis {
  const line = labels.reduce((text, label) => text.padEnd(label.column) + label.text, '');
  return { ticks: labels.map(({ column }) => column), labels: line };
}
