import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gantryCommand } from '../../kernel/command-line.ts';
import { makeFolder, readRegularSync } from '../../kernel/disk/index.ts';
import { ConflictError, FailedError, systemCode } from '../../kernel/errors.ts';
import type { CiSystem, PipelineApp } from './pipeline-app.ts';
import { pipelineFor } from './pipelines.ts';

export { ciSystems, readPipelineApp, toSetIn, variablesIn } from './pipeline-app.ts';
export { adviceOnSmoke, pipelineFor } from './pipelines.ts';
export { committedPackage, writePackage } from './write-package.ts';

/**
 * Writes the pipeline of the app to the root of the repository. Returns false if it is there already, and throws
 * ConflictError if there is another one. `place`: the folder of the app, from the working directory.
 */
export function writePipeline(system: CiSystem, app: PipelineApp, place: string): boolean {
  const { path, text } = pipelineFor(system, app);
  const file = join(app.root, path);
  try {
    makeFolder(dirname(file));
    writeFileSync(file, text, { flag: 'wx' });
    return true;
  } catch (cause) {
    if (systemCode(cause) !== 'EEXIST') {
      throw new FailedError(`cannot write ${path}`, { why: (cause as Error).message, cause });
    }
    if (readRegularSync(file) === text) return false;
    throw new ConflictError(`${path} already exists`, {
      why: 'existing pipelines are not changed',
      fix: gantryCommand`init ${place} --ci ${system} --print`,
      cause,
    });
  }
}
