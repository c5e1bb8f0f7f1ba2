/** How time steps are laid out: several columns for each step, or several steps in each column. */
export interface Layout {
  /** Steps that share a column. */
  stepsPerColumn: number;
  /** Columns of one step. */
  stepWidth: number;
  /** In columns. */
  width: number;
}

/** In columns. */
const maxStepWidth = 8;

/** Numbers of steps that make a round time span. */
const roundNumbers: Record<string, number[]> = {
  minute: [1, 2, 3, 5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 720, 1440],
  hour: [1, 2, 3, 4, 6, 8, 12, 24, 48, 72, 168],
  day: [1, 2, 3, 7, 14, 28],
};

/** All steps get the same width and all columns the same number of steps, so that sums are comparable. */
export function layoutSteps(steps: number, step: string, width: number): Layout {
  const needed = Math.max(1, Math.ceil(steps / width));
  const merged = roundNumbers[step]?.find((number) => number >= needed) ?? needed;
  const shown = Math.ceil(steps / merged);
  const wide = Math.max(1, Math.min(maxStepWidth, Math.floor(width / Math.max(1, shown))));
  return { stepsPerColumn: merged, stepWidth: wide, width: shown * wide };
}

const largerUnits: Record<string, [number: number, step: string]> = { minute: [60, 'hour'], hour: [24, 'day'] };

/** `hour`, `3 hours`, and for 120 minutes `2 hours`. */
export function stepsText(number: number, step: string): string {
  const [size, name] = largerUnits[step] ?? [];
  if (size && name && number % size === 0) return stepsText(number / size, name);
  return number === 1 ? step : `${number} ${step}s`;
}

/** Joins each `size` neighboring values. Ignores what is not a number; null where nothing else is left. */
export function mergeSteps(
  values: readonly (number | null | undefined)[],
  size: number,
  join: (one: number, other: number) => number,
): (number | null)[] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, group) =>
    values.slice(group * size, (group + 1) * size).reduce<number | null>((joined, value) => {
      if (value === null || value === undefined || !Number.isFinite(value)) return joined;
      return Math.min(Number.MAX_VALUE, join(joined ?? 0, Math.max(0, value)));
    }, null),
  );
}
