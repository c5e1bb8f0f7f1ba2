import { defineCommand } from '../../command.ts';
import { deleteProfile } from '../../operations/account/index.ts';
import { document, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) => command.argument('<profile>', 'its name, as profiles list shows it'),
  run: (context, name) => deleteProfile(context, name),
  view:
    ({ name }) =>
    () =>
      `the profile ${name} is removed`,
  effect: 'destroys',
  json: document({ name: text('name of the profile') }),
  examples: ['profiles remove staging', 'profiles remove staging --yes'],
});
