import { logOut } from '../../team/account/index.ts';
import { defineCommand } from '../command.ts';
import { document, list, nullable, text } from '../result-schema.ts';

export default defineCommand({
  configure: (command) => command.option('--all-profiles', 'log out of every profile'),
  run: (context, { allProfiles }) => logOut(context, { all: allProfiles === true }),
  view: ({ profiles }) => profiles.map((name) => `logged out of profile ${name}`).join('\n'),
  effect: 'destroys',
  local: true,
  ofProfile: true,
  exits: ['input-needed'],
  json: document({
    profiles: list(text('name'), 'profiles whose token was removed'),
    stillUsed: nullable(text('where a token that is still in use comes from'), 'no token is left'),
  }),
  examples: ['logout', 'logout --profile work', 'logout --all-profiles'],
});
