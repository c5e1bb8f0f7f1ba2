import { defineCommand } from '../../command.ts';
import { listSettings } from '../../operations/account/index.ts';
import { table } from '../../output/table.ts';

export default defineCommand({
  configure: (command) => command.option('--show-origin', 'say where each value is from'),
  run: listSettings,
  view: (settings, { showOrigin }) =>
    showOrigin
      ? table(settings, { ...columns, ORIGIN: bareVariable }, { keep: ['NAME', 'ORIGIN'] })
      : table(settings, columns, { keep: ['NAME'] }),
  json: {
    name: 'name of the setting',
    value: 'its value, or null',
    origin: 'flag, environment (variable), profile, default, or not set',
  },
  examples: ['config list', 'config list --show-origin', 'config list --json'],
});

type Setting = ReturnType<typeof listSettings>[number];

const columns = {
  NAME: (setting: Setting) => setting.name,
  VALUE: (setting: Setting) => setting.value,
};

/** A variable needs no more than its name: the room belongs to the value. */
function bareVariable({ value, origin }: Setting): string {
  return value === null ? '' : origin.replace(/^environment \((.+)\)$/, '$1');
}
