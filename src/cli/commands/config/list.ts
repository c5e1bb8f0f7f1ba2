import { table } from '../../../kernel/output/table.ts';
import { listSettings } from '../../../team/account/index.ts';
import { defineCommand } from '../../command.ts';
import { documents, nullable, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) => command.option('--show-origin', 'show the origin of each value'),
  run: listSettings,
  view: (settings, { showOrigin }) =>
    showOrigin
      ? table(settings, { ...columns, ORIGIN: shortOrigin }, { keep: ['NAME', 'ORIGIN'] })
      : table(settings, columns, { keep: ['NAME'] }),
  effect: 'reads',
  local: true,
  exits: [],
  json: documents({
    name: text('setting name'),
    value: nullable(text('value, or null')),
    origin: text('flag, environment (variable), folder (path), profile, default, or not set'),
  }),
  examples: ['config list', 'config list --show-origin', 'config list --json'],
});

type Setting = ReturnType<typeof listSettings>[number];

const columns = {
  NAME: (setting: Setting) => setting.name,
  VALUE: (setting: Setting) => setting.value,
};

/** Only the name of a variable, to leave room for the value. */
function shortOrigin({ value, origin }: Setting): string {
  return value === null ? '' : origin.replace(/^environment \((.+)\)$/, '$1');
}
