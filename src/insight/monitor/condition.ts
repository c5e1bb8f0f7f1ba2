import { hourMs, minuteMs } from '../../kernel/durations.ts';
import { UsageError } from '../../kernel/errors.ts';
import { duration } from '../../kernel/output/format.ts';
import type { AppFigures } from './app-figures.ts';

/** `p90>5s for 5m`. */
export interface Condition {
  /** As it was typed. */
  text: string;
  figure: FigureName;
  operator: '>' | '>=' | '<' | '<=';
  /** In the unit of the figure: ms, percent, or a number. */
  bound: number;
  /** How long it has to hold, in ms. */
  forMs: number;
}

const figures = {
  p50: { of: ({ p50Ms }: AppFigures) => p50Ms, unit: 'ms' },
  p90: { of: ({ p90Ms }: AppFigures) => p90Ms, unit: 'ms' },
  p95: { of: ({ p95Ms }: AppFigures) => p95Ms, unit: 'ms' },
  p99: { of: ({ p99Ms }: AppFigures) => p99Ms, unit: 'ms' },
  errors: { of: ({ errorShare }: AppFigures) => errorShare && 100 * errorShare, unit: '%' },
  queue: { of: ({ queued }: AppFigures) => queued, unit: '' },
  cold: { of: ({ coldStartsPerMinute }: AppFigures) => coldStartsPerMinute, unit: '/min' },
  replicas: { of: ({ replicas }: AppFigures) => replicas, unit: '' },
  rate: { of: ({ callsPerSecond }: AppFigures) => callsPerSecond, unit: '/s' },
} as const satisfies Record<string, { of: (figures: AppFigures) => number | null; unit: string }>;
type FigureName = keyof typeof figures;
export const figureNames = Object.keys(figures) as FigureName[];

const pattern = /^(\w+)\s*(>=|<=|>|<)\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|%|\/s|\/min)?(?:\s+for\s+(\d+(?:\.\d+)?)(s|m|h))?$/;
const unitMs: Record<string, number> = { ms: 1, s: 1_000, m: minuteMs, h: hourMs };

/** Throws UsageError. */
export function parseCondition(text: string): Condition {
  const [, name = '', operator, number, unit = '', hold, holdUnit = ''] = pattern.exec(text.trim()) ?? [];
  const figure = figureNames.find((each) => each === name);
  if (!figure || !operator) {
    throw new UsageError(`invalid condition "${text}"`, {
      why: `figures: ${figureNames.join(', ')}; operators: > >= < <=`,
      fix: "--until 'p90>5s for 5m'",
    });
  }
  const isDuration = figures[figure].unit === 'ms';
  const fits = isDuration ? unit in unitMs : ['', figures[figure].unit].includes(unit);
  if (!fits) {
    const why = isDuration ? 'a duration is required' : `${unit} does not fit`;
    const example = `${name}${operator}${number}${isDuration ? 's' : figures[figure].unit}`;
    throw new UsageError(`invalid condition "${text}": ${why}`, { fix: `--until '${example}'` });
  }
  return {
    text: text.trim(),
    figure,
    operator: operator as Condition['operator'],
    bound: Number(number) * (isDuration ? (unitMs[unit] ?? 1) : 1),
    forMs: Number(hold ?? 0) * (unitMs[holdUnit] ?? 1),
  };
}

export function figureText({ figure }: Condition, value: number | null): string {
  if (value === null) return 'not known';
  const { unit } = figures[figure];
  if (unit === 'ms') return duration(value);
  return `${Number(value.toPrecision(3))}${unit === '%' ? ' ' : ''}${unit}`;
}

/** Figures are of the last minute: so long, one that could not be read is the one before. */
const gapMs = minuteMs;

/** Whether a condition has held long enough, by readings at times that do not jump. */
export class HeldCondition {
  #since: number | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  /** The last one that is known. */
  value: number | null = null;

  constructor(readonly condition: Condition) {}

  /** How long it has held, in ms; undefined if it does not hold. */
  read(at: number, app: AppFigures): number | undefined {
    const value = figures[this.condition.figure].of(app);
    if (at - this.#readAt > gapMs) this.#since = undefined;
    if (value === null) return undefined;
    this.value = value;
    this.#readAt = at;
    const { operator, bound } = this.condition;
    this.#since = operators[operator](value, bound) ? (this.#since ?? at) : undefined;
    return this.#since === undefined ? undefined : at - this.#since;
  }
}

const operators: Record<Condition['operator'], (value: number, bound: number) => boolean> = {
  '>': (value, bound) => value > bound,
  '>=': (value, bound) => value >= bound,
  '<': (value, bound) => value < bound,
  '<=': (value, bound) => value <= bound,
};
