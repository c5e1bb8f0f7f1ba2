import { defineCommand } from '../../command.ts';
import { getSetting } from '../../operations/account/index.ts';

export default defineCommand({
  configure: (command) => command.argument('<setting>', 'its name, as config list shows it'),
  run: (context, name) => getSetting(context, name),
  view:
    ({ value }) =>
    () =>
      value,
  json: { name: 'name of the setting', value: 'its value', origin: 'where it is from' },
  examples: ['config get project', 'config get api-url --json=origin'],
});
