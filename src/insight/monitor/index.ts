import { gantryCommand } from '../../kernel/command-line.ts';
import { PendingError } from '../../kernel/errors.ts';
import { duration } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import type { AppFigures } from './app-figures.ts';
import { type Condition, figureText, HeldCondition } from './condition.ts';
import { leastIntervalMs, monitorApps } from './monitor-apps.ts';

/** How apps are doing now: figures of the last minute, for people, for Prometheus, and to wait for. */
export { type AppFigures, failedCallsFields } from './app-figures.ts';
export { type Condition, figureNames, figureText, parseCondition } from './condition.ts';
export { leastIntervalMs } from './monitor-apps.ts';
export { serveMetrics } from './serve-metrics.ts';
export { runTop, type TopFrame } from './top.ts';

interface WatchOptions {
  app: string;
  /** The first that holds ends it. */
  conditions: readonly Condition[];
  timeoutMs: number;
}

export type MetCondition = Awaited<ReturnType<typeof watchApp>>;

/**
 * Waits until a condition about an app has held for as long as it says. Throws PendingError at the time limit: whether
 * no condition held, or what they are about is not known.
 */
export async function watchApp(context: Context, { app, conditions, timeoutMs }: WatchOptions) {
  const { elapsed, progress, signal } = context;
  const watched = conditions.map((condition) => new HeldCondition(condition));
  const since = elapsed();
  const step = progress.step(`Watching ${app}`);
  context.interruption.message = '';
  let readAt: string | null = null;
  try {
    for await (const { apps } of monitorApps(context, { app, everyMs: leastIntervalMs, signal })) {
      const [figures] = apps;
      if (!figures) continue;
      const now = elapsed();
      const waitedMs = now - since;
      const met = heldLongEnough(watched, figures, { now, isAnew: figures.at !== readAt });
      if (met) return { app: figures.app, ...met, waitedMs, figures };
      readAt = figures.at;
      step.update({ text: watched.map(stateText).join(', ') });
      if (waitedMs >= timeoutMs) throw unmet(app, watched, timeoutMs);
    }
    signal.throwIfAborted();
    throw unmet(app, watched, timeoutMs);
  } finally {
    step.clear();
  }
}

/** What was not read anew says nothing new, unless it is about replicas. */
function heldLongEnough(
  watched: readonly HeldCondition[],
  figures: AppFigures,
  { now, isAnew }: { now: number; isAnew: boolean },
) {
  for (const held of watched) {
    const { text, figure, forMs } = held.condition;
    const heldMs = isAnew || figure === 'replicas' ? held.read(now, figures) : undefined;
    if (heldMs !== undefined && heldMs >= forMs) return { condition: text, value: held.value ?? 0, heldMs };
  }
  return undefined;
}

function stateText({ condition, value }: HeldCondition): string {
  return `${condition.figure} ${figureText(condition, value)}`;
}

function unmet(app: string, held: readonly HeldCondition[], timeoutMs: number): PendingError {
  const state = held.map(stateText).join(', ');
  const isKnown = held.some(({ value }) => value !== null);
  return new PendingError(
    `${app} did not meet ${held.map(({ condition }) => condition.text).join(' or ')} within ${duration(timeoutMs)}`,
    {
      why: isKnown ? `last seen: ${state}` : `${state}: nobody called ${app}, or its runs could not be read`,
      fix: gantryCommand`runs chart ${app}`,
      details: { app, conditions: held.map(({ condition, value }) => ({ condition: condition.text, value })) },
    },
  );
}
