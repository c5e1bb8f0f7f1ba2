import { dayMs, hourMs, minuteMs } from '../../durations.ts';
import { dollars, duration, groupDigits } from '../format.ts';

/** Counts, percents and durations are whole numbers; cores, GB and dollars have fractions. */
export type Unit = 'count' | 'ms' | 'cores' | 'GB' | 'USD' | '%';

/** Maps values to heights from 0 (foot of a panel) to 1 (top), and labels them. */
export interface ValueAxis {
  share(value: number): number;
  labels: [share: number, text: string][];
  logarithmic: boolean;
}

/** From this ratio of highest to lowest value on, durations get a logarithmic scale. */
const logarithmicRatio = 100;

export function valueAxis(values: readonly number[], unit: Unit): ValueAxis {
  const highest = maximum(values);
  const lowest = values.reduce((lowest, value) => (value > 0 ? Math.min(lowest, value) : lowest), highest);
  if (unit === 'ms' && highest / lowest >= logarithmicRatio) return logarithmic(lowest, highest);
  const top = roundUp(highest, unit);
  const labels = [0, 0.5, 1].map((share): [number, string] => [share, axisText(share * top, unit)]);
  return { share: (value) => value / top, labels, logarithmic: false };
}

export function valueText(value: number, unit: Unit): string {
  if (unit === 'ms') return durationText(value);
  if (unit === 'USD') return dollars(100 * value);
  return unit === 'count' ? compact(value) : `${amountText(value)} ${unit}`;
}

export function maximum(values: readonly number[]): number {
  return values.reduce((highest, value) => Math.max(highest, value), 0);
}

const logarithmicLabels = [1, 10, 100, 1_000, 10_000, 60_000, 600_000, 3_600_000, 36_000_000];
const logarithmicEnds = logarithmicLabels.flatMap((ms) => [ms, 2 * ms, 5 * ms]).sort((a, b) => a - b);

function logarithmic(lowest: number, highest: number): ValueAxis {
  const foot = logarithmicEnds.findLast((end) => end <= lowest) ?? lowest;
  const top = logarithmicEnds.find((end) => end >= highest) ?? highest;
  const length = Math.log(top) - Math.log(foot);
  const share = (value: number) => (value > foot ? (Math.log(value) - Math.log(foot)) / length : 0);
  const labels = [top, foot, ...logarithmicLabels.filter((ms) => ms > foot && ms < top)];
  return { share, labels: labels.map((ms) => [share(ms), axisText(ms, 'ms')]), logarithmic: true };
}

const roundNumbers = [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10];
const timeUnits = [hourMs, minuteMs, 1_000, 1];

function roundUp(value: number, unit: Unit): number {
  if (isFractional(unit)) return roundUpFraction(value);
  if (value <= 1) return unit === 'ms' ? 2 : 1;
  if (value < 10) return 2 * Math.ceil(value / 2);
  const base = unit === 'ms' ? (timeUnits.find((ms) => value >= ms) ?? 1) : 1;
  const power = base * 10 ** Math.floor(Math.log10(value / base));
  return Math.min(Number.MAX_VALUE, (roundNumbers.find((round) => round * power >= value) ?? 10) * power);
}

function roundUpFraction(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 0.01)));
  const top = roundNumbers.find((round) => round * power >= value) ?? 10;
  return Math.min(Number.MAX_VALUE, Number((top * power).toPrecision(2)));
}

function isFractional(unit: Unit): boolean {
  return unit === 'cores' || unit === 'GB' || unit === 'USD';
}

function axisText(value: number, unit: Unit): string {
  if (unit === 'ms') return durationText(value);
  if (isFractional(unit)) return unit === 'USD' ? `$${amountText(value)}` : amountText(value);
  return Number.isInteger(value) ? compact(value) : '';
}

function durationText(ms: number): string {
  return ms < 48 * hourMs ? duration(ms) : `${compact(ms / dayMs)} d`;
}

/** `0.034`, `1.25`, `12.5` */
export function amountText(value: number): string {
  return value < 1000 ? String(Number(value.toPrecision(3))) : compact(value);
}

/** `1,200`, `12k`, `3.4M`: fits the margin. */
function compact(value: number): string {
  if (value < 10_000) return groupDigits(Math.round(value * 10) / 10);
  const suffix = ['', 'k', 'M', 'G', 'T'][Math.floor(Math.log10(value) / 3)];
  if (suffix === undefined) return value.toExponential(0);
  return `${Math.round((value / 1000 ** Math.floor(Math.log10(value) / 3)) * 10) / 10}${suffix}`;
}
