import { defineCommand } from '../../command.ts';

export default defineCommand({
  run: ({ project, settings }) => ({
    id: project,
    origin: settings.project.value ? settings.project.origin : 'claims of the token',
  }),
  view:
    ({ id }) =>
    () =>
      id,
  json: { id: 'project id', origin: 'origin: flag, environment, profile or token' },
  examples: ['projects current', 'projects current --json'],
});
