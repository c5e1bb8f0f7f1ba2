import { storeSetting } from '../../../team/account/index.ts';
import { defineCommand } from '../../command.ts';
import { offerSettingNames } from '../../flags/settings.ts';
import { document, nullable, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    offerSettingNames(command.argument('<setting>', 'setting name').argument('<value>', 'new value')),
  run: (context, name, value) => storeSetting(context, name, value),
  view: ({ name, value, profile }) => `set ${name} to ${value} (profile ${profile})`,
  effect: 'destroys',
  local: true,
  ofProfile: true,
  exits: [],
  json: document({
    name: text('setting name'),
    value: nullable(text('new value')),
    profile: text('profile it is stored in'),
  }),
  examples: ['config set project p-12345678', 'config set region eu-west-1 --profile staging'],
});
