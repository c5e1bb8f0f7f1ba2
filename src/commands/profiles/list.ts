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
    name: 'profile name',
    current: 'whether it is in use',
    project: 'stored project, or null',
    hasToken: 'whether it has a stored token',
  },
  examples: ['profiles list', 'profiles list --json'],
});
