import { table } from '../../../kernel/output/table.ts';
import { listProjectsInUse } from '../../../team/account/index.ts';
import { defineCommand } from '../../command.ts';
import { applyLimit, listFlags } from '../../flags/list.ts';
import { boolean, documents, passThrough, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) => listFlags(command),
  run: async (context, flags) => applyLimit(await listProjectsInUse(context), flags, context.progress, 'project'),
  view: (projects) =>
    table(
      projects,
      {
        ID: (project) => project.id,
        NAME: (project) => project.name,
        CURRENT: (project) => (project.current ? 'current' : ''),
      },
      { keep: ['ID', 'CURRENT'] },
    ),
  empty: 'the token has no access to any project',
  effect: 'reads',
  json: documents(
    passThrough({ id: text('project id'), name: text('project name'), current: boolean('whether it is in use') }),
  ),
  examples: ['projects list', 'projects list --json=id'],
});
