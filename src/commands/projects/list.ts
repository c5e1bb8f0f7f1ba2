import { defineCommand } from '../../command.ts';
import { listProjects } from '../../contract/projects.ts';
import { table } from '../../output/table.ts';

export default defineCommand({
  run: ({ api }) => api(listProjects, {}),
  view: (projects) => table(projects, { ID: (project) => project.id, NAME: (project) => project.name }),
  empty: 'the token may work in no project',
  json: { id: 'project id', name: 'its name' },
  passesThrough: true,
  examples: ['projects list', 'projects list --json=id'],
});
