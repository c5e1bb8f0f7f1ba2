import type { Context } from '../../context.ts';
import { buildPhase, cancelBuild } from '../../contract/builds.ts';
import { ConflictError } from '../../errors.ts';
import { type Cancellable, type Cancellation, stop } from '../waiting/index.ts';
import { askedBuild } from './get-build.ts';

export interface CancelledBuild extends Cancellation {
  app: string;
  build: string;
}

/** Cancels a build, once `agreed` has not thrown. Throws ConflictError if the build ended in another way before. */
export async function stopBuild(
  context: Pick<Context, 'api' | 'project' | 'delay'>,
  app: string,
  build: string,
  agreed: () => Promise<void>,
): Promise<CancelledBuild> {
  const { message, changed } = await stop(context, cancellableBuild(context.project, app, build), agreed);
  return { app, build, message, changed };
}

/** How a build is cancelled and what shows that it is. */
export function cancellableBuild(project: string, app: string, build: string): Cancellable {
  const named = { project, app, build };
  return {
    name: `build ${build}`,
    app,
    follow: `gantry builds follow ${app} ${build}`,
    cancelAgain: `gantry builds cancel ${app} ${build}`,
    details: { app, build },
    async look(api) {
      const { status } = await askedBuild(api, named);
      if (buildPhase(status) === 'in progress' || /^cancelled$/i.test(status)) return status;
      throw new ConflictError(`build ${build} of ${app} had ended already: ${status}`, {
        fix: `gantry builds get ${app} ${build}`,
        details: { app, build, status },
      });
    },
    cancel: (api) => api(cancelBuild, named),
  };
}
