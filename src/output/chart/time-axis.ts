import type { WallClock } from '../time-zone.ts';

/** Times written below a picture. */
export interface TimeAxis {
  /** Columns with a label, and so a tick. */
  ticks: number[];
  labels: string;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const between = 2;

/** How far labels may be apart, the closest first. */
const distances = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * minute),
  ...[1, 2, 3, 6, 12].map((hours) => hours * hour),
  ...[1, 2, 7, 14, 28, 56, 112, 364, 1820].map((days) => days * day),
];

/** Labels at round times, as many as there is room for. `times` are where the steps start, each `wide` columns wide. */
export function timeAxis(times: readonly number[], wide: number, width: number, clock: WallClock): TimeAxis {
  const walls = times.map(clock);
  for (const distance of distances) {
    const labels = labelsEvery(distance, walls, wide).filter(({ column, text }) => column + text.length <= width);
    if (labels.length > 0 && apart(labels)) return axisOf(labels);
  }
  const text = textOf(walls[0] ?? Number.NaN, walls.length > 1 ? day : minute);
  return axisOf(text.length <= width ? [{ column: 0, text }] : []);
}

interface Label {
  column: number;
  text: string;
}

/** Where a step begins that is the first after a round time. The first step of all counts when it begins with one. */
function labelsEvery(distance: number, walls: readonly number[], wide: number): Label[] {
  const labels: Label[] = [];
  let previous = (walls[0] ?? Number.NaN) - 1;
  for (const [index, wall] of walls.entries()) {
    const round = Math.floor(wall / distance) * distance;
    // Clocks that are put back come by the same round time twice.
    if (round > previous) labels.push({ column: index * wide, text: textOf(round, distance) });
    previous = Math.max(wall, previous);
  }
  return labels;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `14:00`, but midnight reads `Nov 20`; far apart, `2026-11-20`. */
function textOf(wall: number, distance: number): string {
  if (Number.isNaN(wall)) return '';
  const text = new Date(wall).toISOString();
  if (distance >= 28 * day) return text.slice(0, 10);
  if (wall % day === 0 || distance >= day)
    return `${months[Number(text.slice(5, 7)) - 1]} ${Number(text.slice(8, 10))}`;
  return text.slice(11, 16);
}

function apart(labels: readonly Label[]): boolean {
  return labels.every(({ column, text }, index) => {
    const next = labels[index + 1];
    return !next || column + text.length + between <= next.column;
  });
}

function axisOf(labels: readonly Label[]): TimeAxis {
  const line = labels.reduce((text, label) => text.padEnd(label.column) + label.text, '');
  return { ticks: labels.map(({ column }) => column), labels: line };
}
