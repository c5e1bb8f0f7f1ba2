import { defineCommand } from '../../command.ts';
import { switchProfile } from '../../operations/account/index.ts';
import { document, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) => command.argument('<profile>', 'profile name, see gantry profiles list'),
  run: (context, name) => switchProfile(context, name),
  view:
    ({ profile }) =>
    () =>
      `using profile ${profile}`,
  effect: 'changes',
  exits: ['not-found'],
  json: document({ profile: text('profile name') }),
  examples: ['profiles use staging', 'profiles use default'],
});
