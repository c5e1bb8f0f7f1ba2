import { defineCommand } from '../../command.ts';
import { document, text } from '../../result-schema.ts';

export default defineCommand({
  run: ({ project, settings }) => ({
    project,
    origin: settings.project.value ? settings.project.origin : 'claims of the token',
  }),
  view:
    ({ project }) =>
    () =>
      project,
  effect: 'reads',
  json: document({ project: text('project id'), origin: text('origin: flag, environment, profile or token') }),
  examples: ['projects current', 'projects current --json'],
});
