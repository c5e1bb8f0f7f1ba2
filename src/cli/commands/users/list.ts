import { ago } from '../../../kernel/output/format.ts';
import { table } from '../../../kernel/output/table.ts';
import { listUsers, User } from '../../../platform/contract/team.ts';
import { defineCommand } from '../../command.ts';
import { documents, passThrough, sentFields } from '../../result-schema.ts';
import { statusCell } from '../../views/status.ts';

export default defineCommand({
  configure: (command) =>
    command.option('--status <status>', 'show only users with this status, such as active or invited'),
  run: async ({ api, project }, { status }) => {
    const users = await api(listUsers, { project });
    const wantedStatus = status?.toLowerCase();
    return wantedStatus === undefined ? users : users.filter((user) => user.status?.toLowerCase() === wantedStatus);
  },
  view: (users) =>
    table(users, ['EMAIL', 'STATUS', 'ROLE'], {
      EMAIL: (user) => user.email ?? user.id,
      NAME: ({ firstName, lastName }) => [firstName, lastName].filter(Boolean).join(' '),
      ROLE: (user) => user.role,
      STATUS: (user) => statusCell(user.status),
      'INVITED BY': (user) => user.invitedBy,
      SINCE: (user) => ago(user.createdAt),
    }),
  empty: 'no users or invitations',
  effect: 'reads',
  json: documents(passThrough(sentFields(User))),
  examples: ['users list', 'users list --status invited'],
});
