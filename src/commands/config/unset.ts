import { defineCommand } from '../../command.ts';
import { storedNames } from '../../config/listing.ts';
import { storeSetting } from '../../operations/configuration.ts';

export default defineCommand({
  configure: (command) => command.argument('<setting>', [...storedNames.keys()].join(', ')),
  run: (context, name) => storeSetting(context, name),
  view:
    ({ name, profile }) =>
    () =>
      `${name} is not set (profile ${profile})`,
  json: { name: 'name of the setting', value: 'null', profile: 'the profile it was taken out of' },
  examples: ['config unset region'],
});
