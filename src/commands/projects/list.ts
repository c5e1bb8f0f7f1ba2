import { defineCommand } from '../../command.ts';
import { projects } from '../../operations/projects.ts';
import { table } from '../../output/table.ts';

export default defineCommand({
  run: projects,
  view: (projects) =>
    table(projects, {
      ID: (project) => project.id,
      NAME: (project) => project.name,
      CURRENT: (project) => (project.current ? 'current' : ''),
    }),
  empty: 'the token may work in no project',
  json: { id: 'project id', name: 'its name', current: 'whether it is the one in use' },
  passesThrough: true,
  examples: ['projects list', 'projects list --json=id'],
});
