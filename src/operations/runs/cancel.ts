import type { Context } from '../../context.ts';
import { cancelRun, getRun, type Run } from '../../contract/runs.ts';
import { ConflictError } from '../../errors.ts';
import { stop } from '../stop.ts';
import { hasEnded, runState } from './state.ts';

export interface CancelledRun {
  app: string;
  run: string;
  status: 'cancelled';
  /** False when it was cancelled already. */
  changed: boolean;
}

/** Stops a run, once `agreed` has not thrown. Throws ConflictError when the run ended in another way before. */
export async function stopRun(
  { api, project }: Pick<Context, 'api' | 'project'>,
  app: string,
  run: string,
  agreed: () => Promise<void>,
): Promise<CancelledRun> {
  const named = { project, app, run };
  return stop<CancelledRun>({
    look: async () => endOf((await api(getRun, named)).item, app),
    agreed,
    async cancel() {
      await api(cancelRun, named);
      return { app, run, status: 'cancelled', changed: true };
    },
  });
}

/** How a run ended, if that is as asked; nothing while it goes on. */
function endOf(run: Run, app: string): CancelledRun | undefined {
  if (!hasEnded(run)) return undefined;
  const state = runState(run);
  if (state === 'cancelled') return { app, run: run.id, status: state, changed: false };
  throw new ConflictError(`run ${run.id} of ${app} had ended already: ${state}`, {
    fix: `gantry runs get ${app} ${run.id}`,
    details: { app, run: run.id, status: state },
  });
}
