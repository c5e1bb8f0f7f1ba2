import { defineCommand } from '../../command.ts';
import { useProject } from '../../operations/account/index.ts';
import { document, nullable, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('<project>', 'its id, as projects list shows it')
      .option('--no-check', 'do not ask the platform whether the token may work in it'),
  run: useProject,
  view:
    ({ value, profile }) =>
    () =>
      `the project is ${value} from now on (profile ${profile})`,
  effect: 'changes',
  json: document({
    name: text('project'),
    value: nullable(text('project id')),
    profile: text('the profile it is stored in'),
  }),
  examples: ['projects use p-12345678', 'projects use p-12345678 --no-check'],
});
