import { defineCommand } from '../../command.ts';
import { listProfiles } from '../../operations/account/index.ts';
import { table } from '../../output/table.ts';

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
      },
      { keep: ['NAME', 'CURRENT'] },
    ),
  json: {
    name: 'name of the profile',
    current: 'whether it is in use',
    project: 'project stored in it, or null',
    hasToken: 'whether a token is stored for it',
  },
  examples: ['profiles list', 'profiles list --json'],
});
