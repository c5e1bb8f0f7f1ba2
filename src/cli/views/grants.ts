import type { View } from '../../kernel/output/page.ts';
import { wrapped } from '../../kernel/output/table.ts';
import type { GrantChange } from '../../team/members.ts';
import { boolean, document, list, text } from '../result-schema.ts';

export function grantChangeView({ serviceAccount, after, changed }: GrantChange): View {
  const outcome = changed ? 'updated' : 'unchanged';
  return wrapped(() => `${outcome}: ${serviceAccount} has access to ${after.join(', ')}`);
}

export const grantChangeJson = document({
  serviceAccount: text('service account id'),
  before: list(text('name'), 'projects it had access to'),
  after: list(text('name'), 'projects it has access to after the change'),
  changed: boolean('false if nothing had to change'),
  confirmed: boolean('false if the platform accepted it and does not list the grants, or not in a known format'),
});
