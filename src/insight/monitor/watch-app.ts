import { gantryCommand } from '../../kernel/command-line.ts';
import { PendingError } from '../../kernel/errors.ts';
import { duration } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import type { AppFigures } from './app-figures.ts';
import { type Condition, figureText, HeldCondition } from './condition.ts';
import { leastIntervalMs, monitorApps } from './monitor-apps.ts';

interface WatchOptions {
  app: string;
  /** The first that holds ends it. */
  conditions: readonly Condition[];
  timeoutMs: number;
}

/** The condition that has held. */
export interface MetCondition {
  app: string;
  condition: string;
  /** In ms, percent, or a number. */
  value: number;
  heldMs: number;
  waitedMs: number;
  figures: AppFigures;
}

/**
 * Waits until a condition about an app has held for as long as it says. Throws PendingError at the time limit: whether
 * no condition held, or what they are about is not known.
 */
export async function watchApp(context: Context, { app, conditions, timeoutMs }: WatchOptions): Promise<MetCondition> {
  const { elapsed, progress, signal } = context;
  const held = conditions.map((condition) => new HeldCondition(condition));
  const since = elapsed();
  const step = progress.step(`Watching ${app}`);
  context.interruption.message = '';
  let readAt: string | null = null;
  try {
    for await (const { apps } of monitorApps(context, { app, everyMs: leastIntervalMs, signal })) {
      const [figures] = apps;
      const now = elapsed();
      const waitedMs = elapsed() - since;
      if (!figures) continue;
      // What was not read anew says nothing new, unless it is about replicas.
      const isNew = figures.at !== readAt;
      readAt = figures.at;
      for (const one of held) {
        const heldMs = isNew || one.condition.figure === 'replicas' ? one.read(now, figures) : undefined;
        if (heldMs === undefined || heldMs < one.condition.forMs) continue;
        step.clear();
        const { text } = one.condition;
        return { app: figures.app, condition: text, value: one.value ?? 0, heldMs, waitedMs, figures };
      }
      step.update({ text: held.map(stateText).join(', ') });
      if (waitedMs >= timeoutMs) throw unmet(app, held, timeoutMs);
    }
    signal.throwIfAborted();
    throw unmet(app, held, timeoutMs);
  } finally {
    step.clear();
  }
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
