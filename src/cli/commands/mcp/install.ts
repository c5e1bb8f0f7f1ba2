import { stringifyJson } from '../../../kernel/json-text.ts';
import { defineCommand } from '../../command.ts';
import { clientEntry, clientNames, writeClientEntry } from '../../mcp/clients.ts';
import { settingArguments } from '../../mcp/setting-arguments.ts';
import { anything, boolean, document, record, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    command
      .addArgument(command.createArgument('[client]', 'MCP client').choices(clientNames))
      .option('--write', "add the entry to the client's config file, and keep what is in it")
      .option('--allow-changes', 'also offer commands that change something')
      .option('--allow-destroy', 'also offer commands that can remove or replace something')
      .option('--compact', 'offer two tools for all commands, find and call: fewer tokens'),
  run: async (context, client = 'claude', { write, allowChanges, allowDestroy, compact }) => {
    const args = [
      'mcp',
      ...settingArguments(context),
      ...(allowChanges ? ['--allow-changes'] : []),
      ...(allowDestroy ? ['--allow-destroy'] : []),
      ...(compact ? ['--compact'] : []),
    ];
    const entry = clientEntry(context, client, args);
    const changed = write === true && (await writeClientEntry(context, entry));
    if (!write) context.progress.note(`for ${entry.path}; --write adds it there`);
    return { ...entry, changed };
  },
  view:
    ({ path, config, changed }, { write }) =>
    () =>
      write ? `${changed ? 'added gantry to' : 'gantry is already in'} ${path}` : stringifyJson(config, 2),
  effect: 'changes',
  local: true,
  exits: ['input-needed', 'project'],
  json: document({
    client: text('MCP client'),
    path: text('its config file'),
    config: record(anything('servers by name'), 'what the config file needs'),
    changed: boolean('whether the config file was changed'),
  }),
  examples: ['mcp install claude', 'mcp install cursor --write', 'mcp install vscode --allow-changes --write'],
});
