import { defineCommand } from '../../command.ts';
import { useProject } from '../../operations/account/index.ts';

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
  json: { name: 'project', value: 'project id', profile: 'the profile it is stored in' },
  examples: ['projects use p-12345678', 'projects use p-12345678 --no-check'],
});
