import { storeSetting } from '../../../team/account/index.ts';
import { defineCommand } from '../../command.ts';
import { offerSettingNames } from '../../flags/settings.ts';
import { document, nullable, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) => offerSettingNames(command.argument('<setting>', 'setting name')),
  run: (context, name) => storeSetting(context, name),
  view: ({ name, profile }) => `removed ${name} (profile ${profile})`,
  effect: 'destroys',
  local: true,
  ofProfile: true,
  exits: ['not-found'],
  json: document({
    name: text('setting name'),
    value: nullable(text('null')),
    profile: text('profile it was removed from'),
  }),
  examples: ['config unset region'],
});
