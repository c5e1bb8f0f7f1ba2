import type { Command as Commander } from '@commander-js/extra-typings';

/** Arguments and flags of `service-accounts grant`, `revoke` and `set-grants`. */
export function grantFlags(command: Commander, projects: string) {
  return command.argument('<id>', 'service account id').argument('<project...>', projects);
}
