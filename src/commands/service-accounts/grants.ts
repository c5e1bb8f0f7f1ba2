import { type Command, defineCommand } from '../../command.ts';
import { changeGrants, type GrantAction, type GrantChange } from '../../operations/team/index.ts';

/** What `grant`, `revoke` and `set-grants` share, which is all but the meaning of the projects they are given. */
export function grantCommand(change: GrantAction, line: string, projects: string): Command {
  return defineCommand({
    configure: (command) =>
      command
        .argument('<id>', 'service account id')
        .argument('<project...>', projects)
        .option('--dry-run', 'show what would change, and stop'),
    run: (context, id, named, { dryRun }) =>
      changeGrants(context, { id, change, projects: named, dryRun: dryRun === true }),
    view: (done) => () => inWords(done),
    json: {
      serviceAccountId: 'service account id',
      before: 'the projects it could access; null when they are not known',
      after: 'the projects it can access then',
      changed: 'false when all was as asked already',
      dryRun: 'whether it was only shown',
    },
    examples: [`${line} sa-1234 p-1234`, `${line} sa-1234 p-1234 p-5678 --dry-run`],
  });
}

function inWords({ serviceAccountId, after, changed, dryRun }: GrantChange): string {
  const verb = !changed ? 'already as asked:' : dryRun ? 'nothing was done:' : 'done:';
  const may = changed && dryRun ? 'would have access to' : 'has access to';
  return `${verb} ${serviceAccountId} ${may} ${after.join(', ')}`;
}
