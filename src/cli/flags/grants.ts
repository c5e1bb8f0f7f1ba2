import type { Command as Commander } from '@commander-js/extra-typings';

export function grantFlags(command: Commander, projects: string) {
  return command.argument('<id>', 'service account id').argument('<project...>', projects);
}
