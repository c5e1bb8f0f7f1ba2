import type { Context } from '../../context.ts';
import { getRun } from '../../contract/runs.ts';
import { GantryError, NotFoundError } from '../../errors.ts';

/** Throws NotFoundError if there is no such run. Other failures are ignored: the log was read without one. */
export async function checkRunExists(
  { api, project, signal }: Pick<Context, 'api' | 'project' | 'signal'>,
  app: string,
  run: string,
): Promise<void> {
  await api(getRun, { project, app, run }).catch((error: unknown) => {
    if (error instanceof NotFoundError || !(error instanceof GantryError) || signal.aborted) throw error;
  });
}
