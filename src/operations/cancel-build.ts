import type { Context } from '../context.ts';
import { type Build, buildPhase, cancelBuild, getBuild } from '../contract/builds.ts';
import { ConflictError } from '../errors.ts';
import { stop } from './stop.ts';

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
  return stop({
    look: async () => endOf(await api(getBuild, named), app),
    agreed,
    cancel: async () => ({ app, build, message: (await api(cancelBuild, named)).trim(), changed: true }),
  });
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
