import { gantryCommand, sentence } from '../../../kernel/command-line.ts';
import { stringifyJson } from '../../../kernel/json-text.ts';
import type { View } from '../../../kernel/output/page.ts';
import { keyValueTable, onTerminal, table } from '../../../kernel/output/table.ts';
import { readSecrets } from '../../../team/secrets.ts';
import { defineCommand } from '../../command.ts';
import { documents, optional, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    command.option('--app <app>', 'list the secrets of one app').option('--show-values', 'show the values'),
  run: async (context, { app, showValues }) => {
    const secrets: { name: string; value?: string }[] = Object.entries(await readSecrets(context, { app }))
      .map(([name, value]) =>
        showValues ? { name, value: typeof value === 'string' ? value : stringifyJson(value) } : { name },
      )
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    return secrets;
  },
  verbatim: ({ showValues }) => showValues === true,
  view: (secrets, { showValues }) =>
    showValues ? withValues(secrets) : table(secrets, [], { NAME: ({ name }) => name }),
  empty: ({ app }) => sentence`no secrets yet: add one with ${gantryCommand`secrets set NAME ${{ '--app': app }}`}`,
  effect: 'reads',
  json: documents({ name: text('secret name'), value: optional(text('value, with --show-values only')) }),
  examples: ['secrets list', 'secrets list --app web', 'secrets list --show-values --json'],
});

/** On a terminal a value must not be shortened to fit a column. */
function withValues(secrets: readonly { name: string; value?: string | undefined }[]): View {
  const rows = table(secrets, [], { NAME: ({ name }) => name, VALUE: ({ value }) => value });
  const pairs = secrets.map(({ name, value }): [string, string] => [name, value || '(empty)']);
  return onTerminal(keyValueTable(pairs, { wrap: false }), rows);
}
