import type { Context } from '../../context.ts';
import { cancelRun } from '../../contract/runs.ts';
import { ConflictError } from '../../errors.ts';
import { type Cancellable, stop } from '../waiting/index.ts';
import { askedRun } from './get-run.ts';
import { hasEnded, runState } from './run-state.ts';

export interface CancelledRun {
  app: string;
  run: string;
  status: 'cancelled';
  /** False if it was cancelled already. */
  changed: boolean;
}

/** Cancels a run, once `agreed` has not thrown. Throws ConflictError if the run ended in another way before. */
export async function stopRun(
  context: Pick<Context, 'api' | 'project' | 'delay'>,
  app: string,
  run: string,
  agreed: () => Promise<void>,
): Promise<CancelledRun> {
  const { changed } = await stop(context, cancellableRun(context.project, app, run), agreed);
  return { app, run, status: 'cancelled', changed };
}

/** How a run is cancelled and what shows that it is. */
export function cancellableRun(project: string, app: string, run: string): Cancellable {
  const named = { project, app, run };
  return {
    name: `run ${run}`,
    app,
    follow: `gantry runs follow ${app} ${run}`,
    cancelAgain: `gantry runs cancel ${app} ${run}`,
    details: { app, run },
    async look(api) {
      const item = await askedRun(api, named);
      const state = runState(item);
      if (!hasEnded(item) || state === 'cancelled') return state;
      throw new ConflictError(`run ${run} of ${app} had ended already: ${state}`, {
        fix: `gantry runs get ${app} ${run}`,
        details: { app, run, status: state },
      });
    },
    async cancel(api) {
      await api(cancelRun, named);
      return '';
    },
  };
}
