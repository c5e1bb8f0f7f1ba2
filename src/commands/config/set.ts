import { defineCommand } from '../../command.ts';
import { storedNames } from '../../config/listing.ts';
import { storeSetting } from '../../operations/configuration.ts';

export default defineCommand({
  configure: (command) =>
    command.argument('<setting>', [...storedNames.keys()].join(', ')).argument('<value>', 'what it is to be'),
  run: (context, name, value) => storeSetting(context, name, value),
  view:
    ({ name, value, profile }) =>
    () =>
      `${name} is ${value} (profile ${profile})`,
  json: { name: 'name of the setting', value: 'its value', profile: 'the profile it is stored in' },
  examples: ['config set project p-12345678', 'config set region eu-west-1 --profile staging'],
});
