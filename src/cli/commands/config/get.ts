import { checkSettingName, getSetting } from '../../../team/account/index.ts';
import { defineCommand } from '../../command.ts';
import { document, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    command.argument('<setting>', 'setting name, see gantry config list', (name) =>
      checkSettingName(name, { toStore: false }),
    ),
  run: (context, name) => {
    const setting = getSetting(context, name);
    context.progress.note(`from the ${setting.origin}`);
    return setting;
  },
  view: ({ value }) => value,
  effect: 'reads',
  local: true,
  exits: ['not-found'],
  json: document({ name: text('setting name'), value: text('value'), origin: text('origin of the value') }),
  examples: ['config get project', 'config get api-url --json=origin'],
});
