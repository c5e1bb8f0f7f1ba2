import { attempt, FailedError } from '../../kernel/errors.ts';
import { readOwnFile } from '../../own-files.ts';
import { defineCommand } from '../command.ts';
import { document, text } from '../result-schema.ts';

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

export default defineCommand({
  configure: (command) => {
    const configured = command.argument('<shell>', 'shell to complete in');
    configured.registeredArguments[0]?.choices(shells);
    return configured;
  },
  run: (_, shell) => ({ shell, script: scriptFor(shell) }),
  verbatim: () => true,
  view: ({ script }) => script,
  details: [
    'Completes commands, flags, and the names of what you have: apps, builds, runs, containers, secrets, files on volumes. To load the script in every new shell:',
    'bash: add eval "$(gantry completion bash)" to ~/.bashrc.',
    'zsh: add eval "$(gantry completion zsh)" to ~/.zshrc.',
    'fish: gantry completion fish > ~/.config/fish/completions/gantry.fish',
    'PowerShell: gantry completion powershell >> $PROFILE',
  ],
  effect: 'reads',
  local: true,
  exits: [],
  json: document({ shell: text('shell'), script: text('script for the shell to load') }),
  examples: ['completion bash', 'completion zsh'],
});

/** Made by @bomb.sh/tab at build time (build/texts.js). */
function scriptFor(shell: string): string {
  const scriptIn = (folder: string) => attempt(() => readOwnFile(`${folder}/${shell}`).trimEnd());
  const script = scriptIn('completion') ?? scriptIn(fromSources);
  if (script === undefined) throw new FailedError('the completion scripts are missing', { fix: 'npm run build' });
  return script;
}

const fromSources = '../dist/completion';
