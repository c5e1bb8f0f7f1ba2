import { gantryCommand } from '../../../kernel/command-line.ts';
import { UsageError } from '../../../kernel/errors.ts';
import { bindHere, switchProfile, unbindHere } from '../../../team/account/index.ts';
import { defineCommand } from '../../command.ts';
import { requiring } from '../../flags/rules.ts';
import { document, nullable, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('[profile]', 'profile name, see gantry profiles list')
      .option('--here', 'use it in this folder and below only')
      .addOption(requiring(command.createOption('--unbind', 'use the selected profile in this folder again'), 'here')),
  run: async (context, name, { here, unbind }): Promise<{ profile: string | null; folder: string | null }> => {
    if (unbind && name !== undefined) throw new UsageError('--unbind takes no profile');
    if (unbind) return { profile: null, ...(await unbindHere(context)) };
    if (name === undefined)
      throw new UsageError('missing argument <profile>', { fix: gantryCommand`profiles use NAME` });
    return here ? bindHere(context, name) : switchProfile(context, name);
  },
  view:
    ({ profile, folder }) =>
    () =>
      profile === null ? `unbound ${folder}` : `using profile ${profile}${folder === null ? '' : ` in ${folder}`}`,
  effect: 'changes',
  local: true,
  exits: ['not-found'],
  details: [
    'With --here, the folder is remembered in your settings; nothing is written into it. --profile and GANTRY_PROFILE take precedence, and the nearest folder counts.',
  ],
  json: document({
    profile: nullable(text('profile name; null with --unbind')),
    folder: nullable(text('with --here: the folder')),
  }),
  examples: ['profiles use staging', 'profiles use staging --here', 'profiles use --here --unbind'],
});
