import { deleteProfile } from '../../../team/account/index.ts';
import { defineCommand } from '../../command.ts';
import { document, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) => command.argument('<profile>', 'profile name, see gantry profiles list'),
  run: (context, name) => deleteProfile(context, name),
  view:
    ({ profile }) =>
    () =>
      `removed profile ${profile}`,
  effect: 'destroys',
  local: true,
  dryRun: true,
  exits: ['input-needed'],
  json: document({ profile: text('profile name') }),
  examples: ['profiles remove staging', 'profiles remove staging --yes'],
});
