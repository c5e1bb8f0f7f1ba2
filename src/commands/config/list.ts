import { defineCommand } from '../../command.ts';
import { listSettings } from '../../operations/account/index.ts';
import { table } from '../../output/table.ts';

export default defineCommand({
  configure: (command) => command.option('--show-origin', 'show the origin of each value'),
  run: listSettings,
  view: (settings, { showOrigin }) =>
    table(
      settings,
      {
        NAME: (setting) => setting.name,
        VALUE: (setting) => setting.value ?? (({ style }) => style.dim('not set')),
        // Only the variable's name, to leave room for the value.
        ...(showOrigin && { ORIGIN: ({ value, origin }) => (value === null ? '' : shortOrigin(origin)) }),
      },
      ['NAME', 'ORIGIN'],
    ),
  json: {
    name: 'setting name',
    value: 'value, or null',
    origin: 'flag, environment (variable), profile, default, or not set',
  },
  examples: ['config list', 'config list --show-origin', 'config list --json'],
});

function shortOrigin(origin: string): string {
  return origin.replace(/^environment \((.+)\)$/, '$1');
}
