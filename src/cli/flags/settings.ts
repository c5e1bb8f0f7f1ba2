import type { Argument } from '@commander-js/extra-typings';
import { checkSettingName, settingNames } from '../../team/account/index.ts';

/** Offers the setting names in help and completion. Other names are rejected with a suggestion. */
export function offerSettingNames<Command extends { registeredArguments: readonly Argument[] }>(
  command: Command,
): Command {
  command.registeredArguments[0]?.choices(settingNames).argParser((name) => checkSettingName(name, { toStore: true }));
  return command;
}
