import { timeLeft } from '../../../kernel/output/format.ts';
import type { View } from '../../../kernel/output/page.ts';
import { type Cell, keyValueTable, onTerminal, stackViews, table } from '../../../kernel/output/table.ts';
import { ApiKey } from '../../../platform/contract/team.ts';
import { listKeysWithOwners, type OwnedKey } from '../../../team/members.ts';
import { defineCommand } from '../../command.ts';
import { documents, passThrough, sentFields, text } from '../../result-schema.ts';
import { statusCell } from '../../views/status.ts';

export default defineCommand({
  configure: (command) => command.option('--show-values', 'show the keys'),
  run: (context, { showValues }) => listKeysWithOwners(context, { values: showValues === true }),
  verbatim: ({ showValues }) => showValues === true,
  view: (keys, { showValues }) => (showValues ? withValues(keys) : table(keys, ['NAME', 'STATUS'], columns)),
  empty: 'no API keys yet: create one in the dashboard',
  effect: 'reads',
  json: documents(passThrough({ ...sentFields(ApiKey), owner: text('name of its service account') })),
  details: ['Only the dashboard creates, rotates and deletes keys: gantry open.'],
  examples: ['api-keys list', 'api-keys list --show-values', 'api-keys list --json=name,expiresAt'],
});

const columns = {
  NAME: (key: OwnedKey) => key.name || key.id,
  SOURCE: (key: OwnedKey) => key.source,
  STATUS: (key: OwnedKey) => statusCell(key.status),
  OWNER: (key: OwnedKey) => key.owner ?? key.principalId,
  EXPIRES: (key: OwnedKey) => timeLeft(key.expiresAt),
};

/** On a terminal each key has its own lines, because a column could cut it. */
function withValues(keys: readonly OwnedKey[]): View {
  return onTerminal(stackViews(keys.map(inFull)), table(keys, [], { ...columns, VALUE: (key) => key.apiKey }));
}

function inFull(key: OwnedKey): View {
  const pairs = Object.entries(columns).map(([title, read]) => [title.toLowerCase(), read(key)] as [string, Cell]);
  return keyValueTable([...pairs, ['value', key.apiKey]], { wrap: false });
}
