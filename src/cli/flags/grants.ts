import type { Command as Commander } from '@commander-js/extra-typings';

/** Arguments of the commands that change the grants of a service account. */
export function grantFlags(command: Commander, projects: string) {
  return command.argument('<id>', 'service account id').argument('<project...>', projects);
}
