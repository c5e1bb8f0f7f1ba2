import { defineCommand } from '../../command.ts';
import { getSetting } from '../../operations/account/index.ts';

export default defineCommand({
  configure: (command) => command.argument('<setting>', 'setting name, see gantry config list'),
  run: (context, name) => getSetting(context, name),
  view:
    ({ value }) =>
    () =>
      value,
  json: { name: 'setting name', value: 'value', origin: 'origin of the value' },
  examples: ['config get project', 'config get api-url --json=origin'],
});
