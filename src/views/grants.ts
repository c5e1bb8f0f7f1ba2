import type { GrantChange } from '../operations/team/index.ts';
import type { View } from '../output/page.ts';

export function grantChangeView({ serviceAccountId, after, changed, dryRun }: GrantChange): View {
  const outcome = !changed ? 'unchanged' : dryRun ? 'dry run' : 'updated';
  const access = changed && dryRun ? 'would have access to' : 'has access to';
  return () => `${outcome}: ${serviceAccountId} ${access} ${after.join(', ')}`;
}

export const grantChangeJson = {
  serviceAccountId: 'service account id',
  before: 'projects it had access to; null if unknown',
  after: 'projects it has access to after the change',
  changed: 'false if nothing had to change',
  dryRun: 'true for a dry run',
};
