import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineCommand } from '../command.ts';
import { FailedError } from '../errors.ts';

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

export default defineCommand({
  configure: (command) => {
    const configured = command.argument('<shell>', 'the shell to complete in').addHelpText('after', howTo);
    configured.registeredArguments[0]?.choices(shells);
    return configured;
  },
  run: (_, shell) => ({ shell, script: scriptFor(shell) }),
  verbatim: () => true,
  view:
    ({ script }) =>
    () =>
      script,
  json: { shell: 'the shell', script: 'what it has to read' },
  examples: ['completion bash', 'completion zsh'],
});

const howTo = `
To have it in every new shell:
  bash         echo 'eval "$(gantry completion bash)"' >> ~/.bashrc
  zsh          echo 'eval "$(gantry completion zsh)"' >> ~/.zshrc
  fish         gantry completion fish > ~/.config/fish/completions/gantry.fish
  powershell   gantry completion powershell >> $PROFILE`;

/** Made by @bomb.sh/tab at build time (build/texts.js). */
function scriptFor(shell: string): string {
  const here = import.meta.dirname;
  const file = [join(here, 'completion'), join(here, '../../dist/completion')]
    .map((folder) => join(folder, shell))
    .find((path) => existsSync(path));
  if (!file) throw new FailedError('the completion scripts are missing', { fix: 'npm run build' });
  return readFileSync(file, 'utf8').trimEnd();
}
