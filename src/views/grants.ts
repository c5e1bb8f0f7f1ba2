import type { GrantChange } from '../operations/grants.ts';
import type { View } from '../output/page.ts';

/** What a change of grants came to, in one line. */
export function grantChangeView({ serviceAccountId, after, changed, dryRun }: GrantChange): View {
  const verb = !changed ? 'already as asked:' : dryRun ? 'nothing was done:' : 'done:';
  const may = changed && dryRun ? 'would have access to' : 'has access to';
  return () => `${verb} ${serviceAccountId} ${may} ${after.join(', ')}`;
}

/** The fields of a change of grants. */
export const grantChangeFields = {
  serviceAccountId: 'service account id',
  before: 'the projects it could access',
  after: 'the projects it can access then',
  changed: 'false when all was as asked already',
  dryRun: 'whether it was only shown',
};
