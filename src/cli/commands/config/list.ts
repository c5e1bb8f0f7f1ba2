import { table } from '../../../kernel/output/table.ts';
import { listedSettingFields } from '../../../platform/config/setting-list.ts';
import { listSettings } from '../../../team/account/index.ts';
import { defineCommand } from '../../command.ts';
import { documents } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) => command.option('--show-origin', 'show the origin of each value'),
  run: listSettings,
  view: (settings, { showOrigin }) =>
    showOrigin
      ? table(settings, ['NAME', 'ORIGIN'], { ...columns, ORIGIN: shortOrigin })
      : table(settings, ['NAME'], columns),
  effect: 'reads',
  local: true,
  exits: [],
  json: documents(listedSettingFields),
  examples: ['config list', 'config list --show-origin', 'config list --json'],
});

type ConfigSetting = ReturnType<typeof listSettings>[number];

const columns = {
  NAME: (setting: ConfigSetting) => setting.name,
  VALUE: (setting: ConfigSetting) => setting.value,
};

/** Only the name of a variable, to leave room for the value. */
function shortOrigin({ value, origin }: ConfigSetting): string {
  return value === null ? '' : origin.replace(/^environment \((.+)\)$/, '$1');
}
