import { gantryCommand, sentence } from '../../../kernel/command-line.ts';
import { UsageError } from '../../../kernel/errors.ts';
import { ago, count, size, sizeCell } from '../../../kernel/output/format.ts';
import { table } from '../../../kernel/output/table.ts';
import {
  listSnapshots,
  removeSnapshot,
  restoreSnapshot,
  type Snapshot,
  saveSnapshot,
} from '../../../local/emulator/index.ts';
import { defineCommand } from '../../command.ts';
import { portFlag } from '../../flags/emulator.ts';
import { choice, document, documents, integer, list, listOr, text } from '../../result-schema.ts';

const changes = { save: saveSnapshot, restore: restoreSnapshot, rm: removeSnapshot };
const done = { save: 'saved', restore: 'restored', rm: 'removed' };
const actions = ['save', 'restore', 'list', 'rm'] as const;

const fields = {
  name: text('name'),
  apps: list(text('app name'), 'apps that it has'),
  files: integer('number of files'),
  bytes: integer('size of its files, some of which others may share'),
  savedAt: text('when it was saved'),
  path: text('folder that has it'),
};

export default defineCommand({
  configure: (command) =>
    command
      .option(...portFlag)
      .addArgument(command.createArgument('<action>', 'what to do').choices(actions))
      .argument('[name]', 'name of the snapshot'),
  run: async (context, action, name, { port }) => {
    if (action === 'list') return listSnapshots(context);
    if (name === undefined) throw new UsageError(`emulator snapshot ${action} needs a name`);
    return { action, ...(await changes[action](context, name, port)) };
  },
  view: (result) => {
    if (Array.isArray(result)) return tableOf(result);
    const { action, name, apps, bytes } = result;
    return `${done[action]} snapshot ${name}: ${count(apps.length, 'app')}, ${size(bytes)}`;
  },
  empty: sentence`no snapshots; ${gantryCommand`emulator snapshot save NAME`} makes one`,
  effect: 'destroys',
  onlyReads: (action) => action === 'list',
  local: true,
  exits: ['failed', 'not-found', 'conflict', 'denied', 'input-needed', 'unavailable'],
  json: listOr(documents(fields), document({ action: choice(['save', 'restore', 'rm'], 'what was done'), ...fields })),
  details: [
    'A snapshot has apps, builds, runs, logs, secrets, volumes and the clock. restore replaces all of it, and aborts calls; tokens stay valid. start and exec begin with one by --from.',
    'What an app writes to a volume while it is saved may be in the snapshot or not.',
  ],
  examples: [
    'emulator snapshot save deployed',
    'emulator snapshot restore deployed --yes',
    'emulator exec --from deployed -- pytest',
    'emulator snapshot list',
    'emulator snapshot rm deployed --yes',
  ],
});

function tableOf(snapshots: Snapshot[]) {
  return table(
    snapshots,
    {
      NAME: ({ name }) => name,
      APPS: ({ apps }) => apps.join(', '),
      SIZE: ({ bytes }) => sizeCell(bytes),
      SAVED: ({ savedAt }) => ago(savedAt),
    },
    { keep: ['NAME'], right: ['SIZE'] },
  );
}
