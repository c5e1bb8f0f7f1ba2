import { defineCommand } from '../../command.ts';
import { document, text } from '../../result-schema.ts';

export default defineCommand({
  run: ({ project, target }) => ({ project, origin: target.project.origin }),
  view:
    ({ project }) =>
    () =>
      project,
  effect: 'reads',
  local: true,
  json: document({ project: text('project id'), origin: text('origin: flag, environment, profile or token') }),
  examples: ['projects current', 'projects current --json'],
});
