import { table } from '../../../kernel/output/table.ts';
import { listProfiles } from '../../../team/account/index.ts';
import { defineCommand } from '../../command.ts';
import { boolean, documents, list, nullable, text } from '../../result-schema.ts';

export default defineCommand({
  run: listProfiles,
  view: (profiles) =>
    table(
      profiles,
      {
        NAME: (profile) => profile.name,
        CURRENT: (profile) => (profile.current ? 'current' : ''),
        PROJECT: (profile) => profile.project,
        TOKEN: (profile) => (profile.hasToken ? 'stored' : 'none'),
        FOLDERS: (profile) => profile.folders.join(', '),
      },
      { keep: ['NAME', 'CURRENT'] },
    ),
  effect: 'reads',
  local: true,
  exits: [],
  json: documents({
    name: text('profile name'),
    current: boolean('whether it is in use'),
    project: nullable(text('stored project, or null')),
    hasToken: boolean('whether it has a stored token'),
    folders: list(text('folder'), 'folders that use it, see gantry profiles use --here'),
  }),
  examples: ['profiles list', 'profiles list --json'],
});
