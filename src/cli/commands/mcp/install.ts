import { dirname, join } from 'node:path';
import { gantryCommand, sentence } from '../../../kernel/command-line.ts';
import { makeFolder, readRegular, writeFileAtomic } from '../../../kernel/disk/index.ts';
import { type Environment, readVariable } from '../../../kernel/environment.ts';
import { ProjectError, systemCode } from '../../../kernel/errors.ts';
import { isRecord, parseJson, stringifyJson } from '../../../kernel/json-text.ts';
import { homeFolder } from '../../../platform/config/folders.ts';
import type { Context } from '../../../platform/context.ts';
import { defineCommand } from '../../command.ts';
import { placeArguments } from '../../mcp/setting-arguments.ts';
import { anything, boolean, document, record, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    command
      .addArgument(command.createArgument('[client]', 'MCP client').choices(clientNames))
      .option('--write', "add the entry to the client's config file")
      .option('--allow-changes', 'also offer commands that change something')
      .option('--allow-destroy', 'also offer commands that can remove or replace something')
      .option('--compact', 'offer two tools for all commands, find and call: fewer tokens'),
  run: async (context, client = 'claude', { write, allowChanges, allowDestroy, compact }) => {
    const args = [
      'mcp',
      ...placeArguments(context),
      ...(allowChanges ? ['--allow-changes'] : []),
      ...(allowDestroy ? ['--allow-destroy'] : []),
      ...(compact ? ['--compact'] : []),
    ];
    const entry = clientEntry(context, client, args);
    const changed = write === true && (await writeClientEntry(context, entry));
    if (!write) context.progress.note(`for ${entry.path}; --write adds it there`);
    return { ...entry, changed };
  },
  view: ({ path, config, changed }, { write }) =>
    write ? `${changed ? 'added gantry to' : 'gantry is already in'} ${path}` : stringifyJson(config, 2),
  effect: 'changes',
  local: true,
  exits: ['input-needed', 'not-found', 'project'],
  json: document({
    client: text('MCP client'),
    path: text('its config file'),
    config: record(anything('servers by name'), 'what the config file needs'),
    changed: boolean('whether the config file was changed'),
  }),
  examples: ['mcp install claude', 'mcp install cursor --write', 'mcp install vscode --allow-changes --write'],
});

type ClientEntry = ReturnType<typeof clientEntry>;

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

/** Keeps all else in the config file; asks before it replaces an entry. Returns whether the file has changed. */
async function writeClientEntry({ prompt }: Context, { path, config }: ClientEntry): Promise<boolean> {
  const text = await readIfPresent(path);
  const stored = parseConfig(path, text);
  const [key = ''] = Object.keys(config);
  const entry = config[key]?.gantry;
  const servers = stored[key] ?? {};
  if (!isRecord(servers)) throw notUnderstood(path, `"${key}" is not an object`);
  if (stringifyJson(servers.gantry) === stringifyJson(entry)) return false;
  if (servers.gantry !== undefined) await prompt.confirm(`Replace the entry "gantry" in ${path}?`);
  const [, indent = '  '] = /\n([ \t]+)\S/.exec(text) ?? [];
  const next = { ...stored, [key]: { ...servers, gantry: entry } };
  makeFolder(dirname(path));
  await writeFileAtomic(path, `${stringifyJson(next, indent)}\n`);
  return true;
}

async function readIfPresent(path: string): Promise<string> {
  try {
    return String(await readRegular(path));
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return '';
    throw cause;
  }
}

/** Comments would be lost, so a file that has any is left alone. */
function parseConfig(path: string, text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  try {
    const value: unknown = parseJson(text);
    if (isRecord(value)) return value;
  } catch (error) {
    throw notUnderstood(path, (error as Error).message);
  }
  throw notUnderstood(path, 'it is not an object');
}

function notUnderstood(path: string, why: string): ProjectError {
  const message = `cannot add an entry to ${path}: it is not plain JSON`;
  return new ProjectError(message, [
    { severity: 'error', message, why, fix: sentence`add what ${gantryCommand`mcp install`} prints by hand` },
  ]);
}
