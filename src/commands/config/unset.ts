import { defineCommand } from '../../command.ts';
import { storeSetting } from '../../operations/account/index.ts';
import { document, nullable, text } from '../../result-schema.ts';
import { offerNames } from './names.ts';

export default defineCommand({
  configure: (command) => offerNames(command.argument('<setting>', 'its name')),
  run: (context, name) => storeSetting(context, name),
  view:
    ({ name, profile }) =>
    () =>
      `${name} is not set (profile ${profile})`,
  effect: 'changes',
  json: document({
    name: text('name of the setting'),
    value: nullable(text('null')),
    profile: text('the profile it was taken out of'),
  }),
  examples: ['config unset region'],
});
