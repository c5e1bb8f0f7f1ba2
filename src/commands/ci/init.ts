import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defineCommand } from '../../command.ts';
import { gantryCommand } from '../../command-line.ts';
import { readRegularSync } from '../../disk/index.ts';
import { ConflictError, FailedError } from '../../errors.ts';
import { ciSystems, pipelineFor } from '../../operations/ci/index.ts';
import { boolean, document, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) => {
    const configured = command
      .argument('<system>', ciSystems.join(', '))
      .option('--app <dir>', 'app folder, from the root of the repository', '.')
      .option('--print', 'print the pipeline instead of writing it');
    configured.registeredArguments[0]?.choices(ciSystems);
    return configured;
  },
  run: ({ cwd, progress }, system, { app, print }) => {
    const { path, text } = pipelineFor(system as (typeof ciSystems)[number], app.replaceAll('\\', '/'));
    if (print) return { path, text, changed: false };
    const changed = createPipeline(join(cwd, path), path, text, system);
    progress.note(changed ? 'next: set the variables that the file names, and commit it' : `${path} is unchanged`);
    return { path, text, changed };
  },
  verbatim: () => true,
  view:
    ({ path, text }, { print }) =>
    () =>
      print ? text.trimEnd() : path,
  details: [
    'The pipeline checks the app and saves the plan of its deploy on pull requests, and deploys on the branch main. Run it in the root of the repository. An existing file is never changed.',
  ],
  effect: 'changes',
  local: true,
  exits: ['conflict'],
  json: document({
    path: text('file of the pipeline, from the root of the repository'),
    text: text('the pipeline'),
    changed: boolean('true if the file was written'),
  }),
  examples: ['ci init github', 'ci init gitlab --app apps/web', 'ci init azure --print'],
});

/** Returns whether it was written: the same file may be there already. Throws ConflictError if there is another one. */
function createPipeline(file: string, shownAs: string, content: string, system: string): boolean {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content, { flag: 'wx' });
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw new FailedError(`cannot write ${shownAs}`, { why: (cause as Error).message, cause });
    }
    if (readRegularSync(file) === content) return false;
    throw new ConflictError(`${shownAs} already exists`, {
      why: 'existing pipelines are not changed',
      fix: gantryCommand`ci init ${system} --print`,
      cause,
    });
  }
}
