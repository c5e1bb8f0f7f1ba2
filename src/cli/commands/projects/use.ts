import { platformExits } from '../../../kernel/errors.ts';
import { useProject } from '../../../team/account/index.ts';
import { defineCommand } from '../../command.ts';
import { document, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) => command.argument('<project>', 'project id, see gantry projects list'),
  run: (context, id) => useProject(context, id),
  view: ({ project, profile }) => `using project ${project} (profile ${profile})`,
  effect: 'changes',
  local: true,
  exits: platformExits,
  ofProfile: true,
  json: document({
    project: text('project id'),
    profile: text('profile it is stored in'),
  }),
  examples: ['projects use p-12345678'],
});
