import { defineCommand } from '../../command.ts';
import { storeSetting } from '../../operations/account/index.ts';
import { document, nullable, text } from '../../result-schema.ts';
import { offerNames } from './names.ts';

export default defineCommand({
  configure: (command) => offerNames(command.argument('<setting>', 'its name').argument('<value>', 'what it is to be')),
  run: (context, name, value) => storeSetting(context, name, value),
  view:
    ({ name, value, profile }) =>
    () =>
      `${name} is ${value} (profile ${profile})`,
  effect: 'changes',
  json: document({
    name: text('name of the setting'),
    value: nullable(text('its value')),
    profile: text('the profile it is stored in'),
  }),
  examples: ['config set project p-12345678', 'config set region eu-west-1 --profile staging'],
});
