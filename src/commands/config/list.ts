import { defineCommand } from '../../command.ts';
import { listSettings } from '../../operations/account/index.ts';
import { table } from '../../output/table.ts';
import { documents, nullable, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) => command.option('--show-origin', 'say where each value is from'),
  run: listSettings,
  view: (settings, { showOrigin }) =>
    table(
      settings,
      {
        NAME: (setting) => setting.name,
        VALUE: (setting) => setting.value ?? (({ style }) => style.dim('not set')),
        // A variable needs no more than its name: the room belongs to the value.
        ...(showOrigin && { ORIGIN: ({ value, origin }) => (value === null ? '' : bareVariable(origin)) }),
      },
      ['NAME', 'ORIGIN'],
    ),
  effect: 'reads',
  json: documents({
    name: text('name of the setting'),
    value: nullable(text('its value, or null')),
    origin: text('flag, environment (variable), profile, default, or not set'),
  }),
  examples: ['config list', 'config list --show-origin', 'config list --json'],
});

function bareVariable(origin: string): string {
  return origin.replace(/^environment \((.+)\)$/, '$1');
}
