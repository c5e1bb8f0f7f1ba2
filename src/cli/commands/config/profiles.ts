import { gantryCommand } from '../../../kernel/command-line.ts';
import { UsageError } from '../../../kernel/errors.ts';
import type { View } from '../../../kernel/output/page.ts';
import { table } from '../../../kernel/output/table.ts';
import { bindHere, deleteProfile, listProfiles, switchProfile, unbindHere } from '../../../team/account/index.ts';
import { defineCommand } from '../../command.ts';
import { boolean, document, documents, list, listOr, nullable, optional, text } from '../../result-schema.ts';

const actions = ['list', 'use', 'remove'] as const;

type ListedProfiles = ReturnType<typeof listProfiles>;

interface Changed {
  profile: string | null;
  folder: string | null;
  removed?: true;
}

const changed = document({
  profile: nullable(text('profile name; null with --unbind')),
  folder: nullable(text('with --here: the folder')),
  removed: optional(boolean('true if it was removed')),
});

export default defineCommand({
  configure: (command) =>
    command
      .addArgument(
        command
          .createArgument('[action]', 'what to do')
          .choices(actions)
          .default('list' as const),
      )
      .argument('[profile]', 'name of the profile')
      .option('--here', 'use it in this folder and below only')
      .option('--unbind', 'use the selected profile in this folder again'),
  flagRules: { requires: { unbind: ['here'] } },
  run: async (context, action, name, { here, unbind }): Promise<ListedProfiles | Changed> => {
    if (action === 'list') return listProfiles(context);
    if (unbind && name !== undefined) throw new UsageError('--unbind takes no profile');
    if (unbind) {
      context.willChange('use the selected profile here', { profile: null, folder: context.cwd });
      return { profile: null, ...(await unbindHere(context)) };
    }
    if (name === undefined)
      throw new UsageError('missing argument <profile>', { fix: gantryCommand`config profiles ${action} NAME` });
    if (action === 'remove') return { ...(await deleteProfile(context, name)), folder: null, removed: true };
    context.willChange(`use profile ${name}`, { profile: name, folder: here ? context.cwd : null });
    return here ? bindHere(context, name) : switchProfile(context, name);
  },
  view: (value) => (Array.isArray(value) ? profilesTable(value) : changedText(value)),
  effect: 'destroys',
  onlyReads: (action) => action === 'list',
  local: true,
  dryRun: true,
  exits: ['not-found', 'input-needed'],
  details: [
    'With --here, the folder is remembered in your settings; nothing is written into it. --profile and GANTRY_PROFILE take precedence, and the nearest folder counts.',
  ],
  json: listOr(
    documents({
      name: text('profile name'),
      current: boolean('whether it is in use'),
      project: nullable(text('stored project, or null')),
      hasToken: boolean('whether it has a stored token'),
      folders: list(text('folder'), 'folders that use it, see --here'),
    }),
    changed,
  ),
  formOf: (_, [action]) => (action === 'list' ? undefined : changed),
  examples: [
    'config profiles',
    'config profiles use staging',
    'config profiles use staging --here',
    'config profiles remove staging --yes',
  ],
});

function profilesTable(profiles: ListedProfiles): View {
  return table(profiles, ['NAME', 'CURRENT'], {
    NAME: ({ name }) => name,
    CURRENT: ({ current }) => (current ? 'current' : ''),
    PROJECT: ({ project }) => project,
    TOKEN: ({ hasToken }) => (hasToken ? 'stored' : 'none'),
    FOLDERS: ({ folders }) => folders.join(', '),
  });
}

function changedText({ profile, folder, removed }: Changed): string {
  if (removed) return `removed profile ${profile}`;
  return profile === null ? `unbound ${folder}` : `using profile ${profile}${folder === null ? '' : ` in ${folder}`}`;
}
