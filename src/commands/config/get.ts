import { defineCommand } from '../../command.ts';
import { getSetting } from '../../operations/account/index.ts';
import { document, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) => command.argument('<setting>', 'its name, as config list shows it'),
  run: (context, name) => getSetting(context, name),
  view:
    ({ value }) =>
    () =>
      value,
  effect: 'reads',
  json: document({ name: text('name of the setting'), value: text('its value'), origin: text('where it is from') }),
  examples: ['config get project', 'config get api-url --json=origin'],
});
