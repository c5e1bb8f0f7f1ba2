import { defineCommand } from '../../command.ts';
import { applyLimit, listFlags } from '../../flags/list.ts';
import { listProjectsInUse } from '../../operations/account/index.ts';
import { table } from '../../output/table.ts';

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
  json: { id: 'project id', name: 'project name', current: 'whether it is in use' },
  passesThrough: true,
  examples: ['projects list', 'projects list --json=id'],
});
