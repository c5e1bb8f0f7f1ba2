import { wrapped } from '../../kernel/output/table.ts';
import { changeGrants } from '../../team/members.ts';
import { defineCommand, type Effect } from '../command.ts';
import { boolean, document, list, text } from '../result-schema.ts';

export function grantCommand(change: 'grant' | 'revoke' | 'set-grants', effect: Effect, about: string) {
  const line = `service-accounts ${change} sa-1234 p-1234`;
  return defineCommand({
    configure: (command) => command.argument('<id>', 'service account id').argument('<project...>', about),
    run: (context, id, projects) => changeGrants(context, { id, change, projects }),
    view: ({ serviceAccount, after, changed }) => {
      const outcome = changed ? 'updated' : 'unchanged';
      return wrapped(`${outcome}: ${serviceAccount} has access to ${after.join(', ')}`);
    },
    effect,
    dryRun: true,
    json: document({
      serviceAccount: text('service account id'),
      before: list(text('name'), 'projects it had access to'),
      after: list(text('name'), 'projects it has access to after the change'),
      changed: boolean('false if nothing had to change'),
      confirmed: boolean('false if the platform accepted it and does not list the grants, or not in a known format'),
    }),
    examples: [line, `${line} p-5678 --dry-run`],
  });
}
