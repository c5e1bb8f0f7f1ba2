import type { Context } from '../../context.ts';
import { GantryError, NotFoundError } from '../../errors.ts';
import { fetchRun } from './fetch-run.ts';

/** Throws NotFoundError if there is no such run. Other failures are ignored: the log was read without one. */
export async function checkRunExists(
  { api, project, signal }: Pick<Context, 'api' | 'project' | 'signal'>,
  app: string,
  run: string,
): Promise<void> {
  await fetchRun(api, { project, app, run }).catch((error: unknown) => {
    if (error instanceof NotFoundError || !(error instanceof GantryError) || signal.aborted) throw error;
  });
}
