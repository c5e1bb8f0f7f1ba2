import { RawOutput } from '../../../kernel/output/raw-output.ts';
import { defineCommand } from '../../command.ts';

export default defineCommand({
  configure: (command) =>
    command
      .option('--allow-changes', 'also offer commands that change something')
      .option('--allow-destroy', 'also offer commands that can remove or replace something'),
  run: async (context, access) => {
    const { interruption, progress, terminal } = context;
    interruption.message = '';
    if (terminal.stdin) progress.note('waiting for an MCP client on stdin');
    const { serveMcp } = await import('../../mcp/serve.ts');
    return new RawOutput((write) => serveMcp(context, access, write));
  },
  effect: 'destroys',
  local: true,
  unattended: false,
  exits: [],
  details: [
    'gantry mcp is the same. Results are the JSON of --json. What would be asked takes --yes; to delete an app or a folder, --confirm with its name.',
    'The flags --project, --profile, --region and -C apply to every call.',
  ],
  examples: ['mcp serve', 'mcp serve --allow-changes -C my-app'],
});
