import { defineCommand } from '../../command.ts';
import { deleteProfile } from '../../operations/account/index.ts';

export default defineCommand({
  configure: (command) => command.argument('<profile>', 'its name, as profiles list shows it'),
  run: (context, name) => deleteProfile(context, name),
  view:
    ({ name }) =>
    () =>
      `the profile ${name} is removed`,
  json: { name: 'name of the profile' },
  examples: ['profiles remove staging', 'profiles remove staging --yes'],
});
