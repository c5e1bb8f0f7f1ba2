import { defineCommand } from '../../command.ts';
import { offerSettingNames } from '../../flags/settings.ts';
import { storeSetting } from '../../operations/account/index.ts';

export default defineCommand({
  configure: (command) => offerSettingNames(command.argument('<setting>', 'setting name')),
  run: (context, name) => storeSetting(context, name),
  view:
    ({ name, profile }) =>
    () =>
      `removed ${name} (profile ${profile})`,
  json: { name: 'setting name', value: 'null', profile: 'profile it was removed from' },
  examples: ['config unset region'],
});
