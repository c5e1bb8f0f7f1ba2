import { dollars, duration, groupDigits } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import type { FailureGroup } from './failure-groups.ts';
import type { MapCounts } from './map-counts.ts';
import type { MapCost } from './map-spending.ts';

interface MapState extends Pick<MapCounts, 'inputs' | 'done' | 'failed' | 'refused'> {
  groups: () => readonly FailureGroup[];
  /** Undefined if not known. */
  cost: MapCost | undefined;
}

export interface MapProgress {
  update(state: MapState): void;
  end(): void;
}

/** Shown at most this often. */
const updateMs = 100;

/** A step that shows how far a map is: `Calling web/run: 41,207 of 100,000, 312/min, 3 failed, $4.20, 3h 8m and $6.10 left`. */
export function showProgress(
  { progress, elapsed }: Pick<Context, 'progress' | 'elapsed'>,
  title: string,
  before: number,
): MapProgress {
  const step = progress.step(title);
  const startedAt = elapsed();
  let shownAt = Number.NEGATIVE_INFINITY;
  return {
    update(state) {
      const now = elapsed();
      if (now - shownAt < updateMs) return;
      shownAt = now;
      step.update({ text: progressText(state, state.done - before, now - startedAt) });
    },
    end: () => step.clear(),
  };
}

function progressText(
  { inputs, done, failed, refused, groups, cost }: MapState,
  calls: number,
  tookMs: number,
): string {
  const perMs = tookMs > 0 ? calls / tookMs : 0;
  const parts = [`${groupDigits(done)} of ${groupDigits(inputs)}`];
  if (perMs > 0) parts.push(rateText(perMs));
  if (failed > 0) parts.push(failedText(failed, groups()));
  if (refused > 0) parts.push(`${groupDigits(refused)} refused and repeated`);
  if (cost) parts.push(dollars(cost.soFar));
  if (perMs > 0 && done < inputs) {
    const price = cost?.left === undefined ? '' : ` and ${dollars(cost.left)}`;
    parts.push(`${duration((inputs - done) / perMs)}${price} left`);
  }
  return parts.join(', ');
}

function rateText(perMs: number): string {
  const perSecond = perMs * 1_000;
  return perSecond >= 10 ? `${groupDigits(Math.round(perSecond))}/s` : `${groupDigits(Math.round(perSecond * 60))}/min`;
}

function failedText(failed: number, groups: readonly FailureGroup[]): string {
  const [first] = groups;
  if (!first) return `${groupDigits(failed)} failed`;
  const share = first.inputs === failed ? '' : `${groupDigits(first.inputs)}: `;
  return `${groupDigits(failed)} failed (${share}${first.title})`;
}
