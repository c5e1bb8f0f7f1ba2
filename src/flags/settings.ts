import type { Argument } from '@commander-js/extra-typings';
import { settingNames } from '../operations/account/index.ts';

/** Offers the setting names in help and completion. The operation rejects other names, with a suggestion. */
export function offerSettingNames<Command extends { registeredArguments: readonly Argument[] }>(
  command: Command,
): Command {
  command.registeredArguments[0]?.choices(settingNames).argParser((name) => name);
  return command;
}
