import { defineCommand } from '../command.ts';
import { logOut } from '../operations/account/index.ts';

export default defineCommand({
  configure: (command) => command.option('--all', 'of every profile'),
  run: (context, { all }) => logOut(context, { all: all === true }),
  view:
    ({ profiles }) =>
    () =>
      profiles.map((name) => `logged out of profile ${name}`).join('\n'),
  json: {
    profiles: 'the profiles whose token was removed',
    stillUsed: 'where a token comes from that is still used; null when there is none',
  },
  examples: ['logout', 'logout --profile work', 'logout --all'],
});
