import { table } from '../../../kernel/output/table.ts';
import { Project } from '../../../platform/contract/session.ts';
import { listProjectsInUse } from '../../../team/account/index.ts';
import { defineCommand } from '../../command.ts';
import { boolean, documents, passThrough, sentFields } from '../../result-schema.ts';

export default defineCommand({
  run: listProjectsInUse,
  view: (projects) =>
    table(projects, ['ID', 'CURRENT'], {
      ID: (project) => project.id,
      NAME: (project) => project.name,
      CURRENT: (project) => (project.current ? 'current' : ''),
    }),
  empty: 'the token has no access to any project',
  effect: 'reads',
  json: documents(passThrough({ ...sentFields(Project), current: boolean('whether it is in use') })),
  examples: ['projects list', 'projects list --json=id'],
});
