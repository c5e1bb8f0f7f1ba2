import type { Context } from '../context.ts';
import { type Build, buildPhase, cancelBuild, getBuild } from '../contract/builds.ts';
import { ConflictError, FailedError } from '../errors.ts';

export interface CancelledBuild {
  app: string;
  build: string;
  /** The platform's confirmation; empty when there was nothing to confirm. */
  message: string;
  /** False when it was cancelled already. */
  changed: boolean;
}

/** Stops a build, once `agreed` has not thrown. Throws ConflictError when the build ended in another way before. */
export async function stopBuild(
  { api, project }: Pick<Context, 'api' | 'project'>,
  app: string,
  build: string,
  agreed: () => Promise<void>,
): Promise<CancelledBuild> {
  const named = { project, app, build };
  const look = async () => endOf(await api(getBuild, named), app);
  const ended = await look();
  if (ended) return ended;
  await agreed();
  try {
    const said = await api(cancelBuild, named);
    return { app, build, message: said.trim(), changed: true };
  } catch (error) {
    if (!(error instanceof ConflictError || error instanceof FailedError)) throw error;
    // It may have ended meanwhile, or by the first try of a call whose answer was lost.
    const endedNow = await look();
    if (endedNow) return endedNow;
    throw error;
  }
}

/** How a build ended, if that is as asked; nothing while it goes on. */
function endOf({ id, status }: Build, app: string): CancelledBuild | undefined {
  if (buildPhase(status) === 'in progress') return undefined;
  if (status === 'cancelled') return { app, build: id, message: '', changed: false };
  throw new ConflictError(`build ${id} of ${app} had ended already: ${status}`, {
    fix: `gantry builds get ${app} ${id}`,
    details: { app, build: id, status },
  });
}
