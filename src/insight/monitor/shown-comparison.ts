import { GantryError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { contextWith, noStep } from '../../platform/waiting/index.ts';
import { type Comparison, compareBuilds } from '../compare/index.ts';

/** The build of an app that serves, against the one before, as far as that is known. */
export interface ShownComparison {
  app: string;
  /** Null until all calls were read. */
  result: Comparison | null;
  /** Why there will be none; null otherwise. */
  problem: string | null;
}

/** Starts to compare, without a word on the screen that is in use. `onEnd` is called when there is something to show. */
export function startComparison(
  context: Context,
  app: string,
  signal: AbortSignal,
  onEnd: () => void,
): ShownComparison {
  const shown: ShownComparison = { app, result: null, problem: null };
  const progress = { ...context.progress, step: () => noStep, note() {}, warn() {} };
  const own = contextWith(context, { api: context.apiWithSignal(signal), signal, progress });
  void compareBuilds(own, { app, builds: [], since: undefined, explain: false }).then(
    (result) => {
      shown.result = result;
      onEnd();
    },
    (error: unknown) => {
      shown.problem = error instanceof GantryError ? error.message : String(error);
      if (!signal.aborted) onEnd();
    },
  );
  return shown;
}
