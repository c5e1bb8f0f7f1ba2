import { join } from 'node:path';
import { type Environment, readVariable } from '../../../kernel/environment.ts';
import { stringifyJson } from '../../../kernel/json-text.ts';
import { homeFolder } from '../../../platform/config/folders.ts';
import type { Context } from '../../../platform/context.ts';
import { defineCommand } from '../../command.ts';
import { placeArguments } from '../../mcp/setting-arguments.ts';
import { anything, document, record, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    command
      .addArgument(command.createArgument('[client]', 'MCP client').choices(clientNames))
      .option('--allow-changes', 'also offer commands that change something')
      .option('--allow-destroy', 'also offer commands that can remove or replace something'),
  run: async (context, client = 'claude', { allowChanges, allowDestroy }) => {
    const args = [
      'mcp',
      ...placeArguments(context),
      ...(allowChanges ? ['--allow-changes'] : []),
      ...(allowDestroy ? ['--allow-destroy'] : []),
    ];
    const entry = clientEntry(context, client, args);
    context.progress.note(`for ${entry.path}`);
    return entry;
  },
  view: ({ config }) => stringifyJson(config, 2),
  effect: 'reads',
  local: true,
  exits: ['input-needed', 'not-found', 'project'],
  json: document({
    client: text('MCP client'),
    path: text('its config file'),
    config: record(anything('servers by name'), 'what the config file needs'),
  }),
  examples: ['mcp install claude', 'mcp install cursor', 'mcp install vscode --allow-changes'],
});

interface Client {
  path: (folders: { cwd: string; home: string; appData: string }) => string;
  key: 'mcpServers' | 'servers';
}

const clients: Record<string, Client> = {
  claude: { path: ({ cwd }) => join(cwd, '.mcp.json'), key: 'mcpServers' },
  'claude-desktop': { path: ({ appData }) => join(appData, 'Claude/claude_desktop_config.json'), key: 'mcpServers' },
  cursor: { path: ({ cwd }) => join(cwd, '.cursor/mcp.json'), key: 'mcpServers' },
  vscode: { path: ({ cwd }) => join(cwd, '.vscode/mcp.json'), key: 'servers' },
  windsurf: { path: ({ home }) => join(home, '.codeium/windsurf/mcp_config.json'), key: 'mcpServers' },
  gemini: { path: ({ cwd }) => join(cwd, '.gemini/settings.json'), key: 'mcpServers' },
};

const clientNames: readonly string[] = Object.keys(clients);

function clientEntry({ cwd, env }: Context, client: string, args: string[]) {
  const { path, key } = clients[client] as Client;
  const home = homeFolder(env);
  const config = { [key]: { gantry: { type: 'stdio', command: 'gantry', args } } };
  return { client, path: path({ cwd, home, appData: appDataFolder(env, home) }), config };
}

function appDataFolder(env: Environment, home: string): string {
  if (process.platform === 'darwin') return join(home, 'Library/Application Support');
  return readVariable(env, 'APPDATA') ?? readVariable(env, 'XDG_CONFIG_HOME') ?? join(home, '.config');
}
